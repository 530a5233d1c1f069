"""The difference of two trees as people read it: line counts and a patch.

Invariant: taken from the objects alone. Attributes and configuration of a worktree cannot blank
it (``-diff``, textconv, external diff programs).
"""

import subprocess
from dataclasses import dataclass

from loopctl.git.project_repository import ProjectRepository
from loopctl.git.runner import text

_NUMSTAT_FIELDS = 3


@dataclass(frozen=True, slots=True)
class LineCount:
    """Lines added to and deleted from one path; both None for binary content."""

    added: int | None
    deleted: int | None


def diffstat(project: ProjectRepository, old: str, new: str) -> dict[str, LineCount]:
    """Line counts per changed path between two commits or trees."""
    counts = {}
    for record in project.numstat(old, new).split(b"\0"):
        fields = record.split(b"\t", _NUMSTAT_FIELDS - 1)
        if len(fields) == _NUMSTAT_FIELDS:
            added, deleted = (None if n == b"-" else int(n) for n in fields[:2])
            counts[text(fields[2])] = LineCount(added, deleted)
    return counts


def patch(project: ProjectRepository, old: str, new: str, max_bytes: int) -> bytes:
    """The unified diff between two commits or trees, cut after `max_bytes`."""
    process = project.git.start(
        *("diff-tree", "-r", "-p", "--no-color", "--no-ext-diff", "--no-textconv"),
        *("--no-renames", old, new),
    )
    with process:
        assert process.stdin is not None  # noqa: S101 - started with pipes
        assert process.stdout is not None  # noqa: S101
        process.stdin.close()
        start: bytes = process.stdout.read(max_bytes)
        process.stdout.close()  # ends git by SIGPIPE when there is more
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
    return start
