"""How a tree differs from the base commit, for whoever judges it.

Invariant: the patch is bounded, and it is always said whether there is more of it.
"""

from loopctl.git.difference import overview, text_patch
from loopctl.git.project_repository import ProjectRepository
from loopctl.ports import Difference
from loopctl.workspace.path_text import path_text

MOST_PATHS = 500


def difference(project: ProjectRepository, base: str, tree: str, limit: int) -> Difference:
    """How ``tree`` differs from ``base``; the patch has ``limit`` bytes at most.

    Raises:
        GitError: git could not compare them.
    """
    lines = [_text(line).rstrip("\n") for line in overview(project, base, tree)]
    shown = lines[:MOST_PATHS]
    if len(lines) > MOST_PATHS:
        shown.append(f"and {len(lines) - MOST_PATHS} lines more")
    parts, size = [], 0
    for line in text_patch(project, base, tree):
        size += len(line)
        if size > limit:
            break
        parts.append(_text(line))
    return Difference(overview=tuple(shown), patch="".join(parts), is_cut=size > limit)


def _text(line: bytes) -> str:
    return path_text(line.decode(errors="surrogateescape"))
