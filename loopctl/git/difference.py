"""The difference of two trees as people read it: line counts and a patch.

Invariant: taken from the objects alone. Attributes and configuration of a worktree cannot blank
it (``-diff``, textconv, external diff programs).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from loopctl.git.project_repository import ProjectRepository
from loopctl.git.runner import CommandFailed, text

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


def patch(project: ProjectRepository, old: str, new: str) -> Iterator[bytes]:
    """The lines of a unified diff that `git apply` takes, binary content included.

    Raises:
        GitError: git could not compare them.
    """
    return _lines(project, "-p", "--binary", "--full-index", old, new)


def text_patch(project: ProjectRepository, old: str, new: str) -> Iterator[bytes]:
    """The lines of a unified diff for readers: of binary content it says only that it differs.

    Raises:
        GitError: git could not compare them.
    """
    return _lines(project, "-p", old, new)


def overview(project: ProjectRepository, old: str, new: str) -> Iterator[bytes]:
    """The lines of git's own summary: paths, line counts, changed modes.

    Raises:
        GitError: git could not compare them.
    """
    return _lines(project, "--stat=100", "--summary", old, new)


def _lines(project: ProjectRepository, *options: str) -> Iterator[bytes]:
    argv = ("diff-tree", "-r", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
    process = project.git.start(*argv, *options)
    with process:  # a reader that stops early closes the pipe, which ends git
        assert process.stdin is not None  # noqa: S101 - started with pipes
        assert process.stdout is not None  # noqa: S101
        process.stdin.close()
        yield from process.stdout
    if process.returncode:
        raise CommandFailed((*argv, *options), process.returncode, "")
