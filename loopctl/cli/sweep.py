"""``loopctl sweep``: what worktrees take on the disk, and away with those that are not needed."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from loopctl.cli import options
from loopctl.cli.agent_guard import refuse_inside_agent
from loopctl.cli.output import notice, say
from loopctl.errors import UsageError

if TYPE_CHECKING:
    from loopctl.bootstrap.sweeping import Found


def sweep(*, yes: options.Yes = False) -> int:
    """Remove the worktrees of ended loops. Branches, rounds and snapshots are kept."""
    refuse_inside_agent(os.environ, "loopctl sweep")
    from loopctl.bootstrap import sweeping

    removed = sweeping.sweep(Path.cwd(), os.environ, lambda found: _agrees(found, yes=yes))
    from loopctl.observe.plain import byte_size, count

    size = byte_size(sum(each.size for each in removed))
    say(f"removed: {count(len(removed), 'worktree')}, {size}")
    return 0


def _agrees(found: "Found", *, yes: bool) -> bool:
    from loopctl.observe.plain import byte_size, one_line

    for each in found:
        what = f"kept, because {one_line(each.kept)}" if each.kept else "can go"
        size = byte_size(each.size)
        notice(f"{one_line(each.loop)}: {size}, {what}: {one_line(str(each.worktree))}")
    if all(each.kept for each in found):
        return False
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError(
            "nobody can be asked whether to remove worktrees",
            why="standard input is not a terminal",
            next_step="add --yes",
        )
    notice("removes the folders that can go, also what git ignores in them; type yes to go on:")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
