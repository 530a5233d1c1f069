"""Which two trees ``loopctl diff`` compares, and how they differ.

Read from loopctl's own repository alone, so that it makes no difference whether the loop runs or
its worktree is gone.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from loopctl.bootstrap.work import seen_tree
from loopctl.cli.stored import Stored
from loopctl.domain.loop import LoopState
from loopctl.errors import UnknownNameError
from loopctl.git.difference import LineCount, diffstat
from loopctl.git.project_repository import ProjectRepository
from loopctl.store.loop_documents import load_state
from loopctl.store.loops import StoredLoop
from loopctl.store.rounds import StoredRound, rounds_of
from loopctl.workspace.path_text import path_text

SCHEMA = "loopctl.diff/1"
_SHA256_DIGITS = 64


@dataclass(frozen=True)
class Comparison:
    """Two trees of one loop.

    Attributes:
        loop: the loop as it is stored.
        state: its state.
        old: commit id of the earlier one.
        new: the round with the later one; ``None`` when no round has a snapshot.
        round: the round that was asked for; ``None`` for the whole work.
        project: where both are.
    """

    loop: StoredLoop
    state: LoopState
    old: str
    new: StoredRound | None
    round: int | None
    project: ProjectRepository

    @property
    def commit(self) -> str:
        """Commit id of the later tree; the earlier one when there is none."""
        return self.new.snapshot.commit if self.new and self.new.snapshot else self.old

    def left_out(self) -> tuple[str, ...]:
        """Paths of the later tree that were put back before it was judged."""
        if self.new is None or self.new.snapshot is None:
            return ()
        snapshot = self.new.snapshot
        undone = self.project.diff(seen_tree(self.state, snapshot), snapshot.tree)
        return tuple(path_text(change.path) for change in undone)


@contextmanager
def comparison(stored: Stored, loop: StoredLoop, number: int | None) -> Iterator[Comparison]:
    """What a round has changed, or (``None``) all rounds together.

    Raises:
        UnknownNameError: the round has no snapshot.
    """
    state = load_state(stored.database, loop.id)
    kept = [entry for entry in rounds_of(stored.database, loop.id) if entry.snapshot is not None]
    commits = [loop.base_commit, *(each.snapshot.commit for each in kept if each.snapshot)]
    at = len(kept) - 1 if number is None else _position(loop, kept, number)
    project = ProjectRepository(
        stored.home.project_folder(loop.project) / "objects.git",
        "sha256" if len(loop.base_commit) == _SHA256_DIGITS else "sha1",
        frozenset(),
    )
    try:
        yield Comparison(
            loop=loop,
            state=state,
            old=loop.base_commit if number is None else commits[at],
            new=kept[at] if kept else None,
            round=number,
            project=project,
        )
    finally:
        project.close()


def comparison_object(compared: Comparison) -> dict[str, Any]:
    """The document of ``diff --json``."""
    unknown = LineCount(None, None)
    project, old, new = compared.project, compared.old, compared.commit
    counts, left_out = diffstat(project, old, new), set(compared.left_out())
    return {
        "schema": SCHEMA,
        "loop": compared.loop.name,
        "id": compared.loop.id,
        "round": compared.round,
        "from": old,
        "to": new,
        "partial": compared.new is not None and compared.new.partial,
        "paths": [
            {
                "path": path_text(change.path),
                "kind": change.kind,
                "added": counts.get(change.path, unknown).added,
                "deleted": counts.get(change.path, unknown).deleted,
                "left_out": path_text(change.path) in left_out,
            }
            for change in project.diff(old, new)
        ],
    }


def _position(loop: StoredLoop, kept: list[StoredRound], number: int) -> int:
    numbers = [entry.number for entry in kept]
    if number in numbers:
        return numbers.index(number)
    raise UnknownNameError(
        f"the loop {loop.name} has no snapshot of a round {number}",
        why=f"the rounds with a snapshot are {', '.join(map(str, numbers))}"
        if numbers
        else "no round has one yet",
        next_step=f"loopctl show {loop.name}",
    )
