"""``loopctl discard``: remove the worktree and the branch of a loop."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from loopctl.cli import options
from loopctl.cli.agent_guard import refuse_inside_agent
from loopctl.cli.output import notice, say
from loopctl.errors import UsageError

if TYPE_CHECKING:
    from loopctl.bootstrap.discarding import Discarded
    from loopctl.domain.loop import LoopState


def discard(name: options.SomeLoop, *, yes: options.Yes = False) -> int:
    """Remove the worktree and the branch of a loop. Its rounds and snapshots are kept."""
    refuse_inside_agent(os.environ, "loopctl discard")
    from loopctl.bootstrap import discarding

    done = discarding.discard(
        name, Path.cwd(), os.environ, lambda state: yes or _agrees(name, state)
    )
    say("nothing was removed" if done is None else _text(done))
    return 0


def _agrees(name: str, state: "LoopState") -> bool:
    from loopctl.observe.plain import one_line

    if not sys.stdin.isatty():
        raise UsageError(
            f"nobody can be asked whether to discard {name}",
            why="standard input is not a terminal",
            next_step="add --yes",
        )
    work = one_line(state.workspace) or "(none)"
    notice(f"removes the worktree {work} with everything in it, also what no snapshot holds,")
    notice(f"and the branch {one_line(state.spec.branch)}; type yes to go on:")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _text(done: "Discarded") -> str:
    from loopctl.observe.plain import one_line

    branch = one_line(done.branch)
    lines = [
        f"{one_line(done.loop)} is discarded; loopctl show, diff and logs still work"
        if done.removed
        else f"{one_line(done.loop)} has no worktree and no branch of its own left"
    ]
    if done.removed:
        lines.append(f"removed: {one_line(done.worktree)}" + ("" if done.kept else f", {branch}"))
    if done.kept:
        lines.append(f"kept: the branch {branch} is checked out, or not where loopctl left it")
    lines += [f"kept: {one_line(str(path))}" for path in done.aside]
    return "\n".join(lines)
