"""What is left of an ended loop: its worktree and its branch may have been removed.

Invariant: what is offered as the next command is about something that is there.
"""

import shlex
from collections.abc import Iterable
from pathlib import Path

from loopctl.domain.loop import LoopState
from loopctl.domain.stop import GoalMet
from loopctl.errors import LoopctlError
from loopctl.git.repository import discover
from loopctl.observe.stop_text import next_command
from loopctl.observe.summary import Row
from loopctl.store.loops import StoredLoop

_OF_BRANCH = frozenset({"branch", "worktree", "diff", "merge"})


class Remains:
    """What of a loop's work can still be found outside of loopctl's own repository."""

    def __init__(self, loop: StoredLoop, state: LoopState) -> None:
        self._state = state
        made = state.is_over and bool(state.workspace)
        self.has_worktree = not made or Path(state.workspace).is_dir()
        # A branch that is checked out cannot have been removed.
        self.has_branch = self.has_worktree or _has_branch(loop)

    def rows(self, rows: Iterable[Row]) -> list[Row]:
        """The rows of a summary without what is gone."""
        if self.has_worktree:
            return list(rows)
        if self.has_branch:
            gone = "removed; a restart makes it again"
            return [("worktree", gone) if row[0] == "worktree" else row for row in rows]
        kept = [row for row in rows if row[0] not in _OF_BRANCH]
        name = shlex.quote(self._state.spec.name)
        return [*kept, ("work", f"worktree and branch are removed; loopctl diff {name} shows it")]

    def next_command(self) -> str:
        """The command that goes on from here; ``""`` when there is none."""
        command = next_command(self._state)
        if self.has_branch or not command or not isinstance(self._state.stop, GoalMet):
            return command
        return f"loopctl apply {shlex.quote(self._state.spec.name)}"


def _has_branch(loop: StoredLoop) -> bool:
    try:
        return discover(Path(loop.repository)).branch_exists(loop.branch)
    except LoopctlError:  # the repository is gone as well
        return False
