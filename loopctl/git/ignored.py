"""Ignored paths: what the ignore rules of one commit leave out, whatever a later tree says.

Invariant: only the rules of that commit and the user's own count, as they were before an agent
existed.
"""

import tempfile
from collections.abc import Iterable
from pathlib import Path

from loopctl.git.change import SYMLINK
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.runner import Git, nul_terminated, records

RULES = ".gitignore"


def ignored_at(project: ProjectRepository, commit: str, paths: Iterable[str]) -> list[str]:
    """Those of these paths that a commit ignores, in their order.

    Args:
        project: where the commit is.
        commit: id of the commit or tree.
        paths: relative to the root; none of them is in that commit.

    Raises:
        GitError: git could not tell.
    """
    asked = list(paths)
    if not asked:
        return []
    with tempfile.TemporaryDirectory() as made:
        for path, entry in project.entries(commit).items():
            if path.rpartition("/")[2] != RULES or entry.mode == SYMLINK:
                continue
            found = project.read(entry.blob)
            if found is not None:
                place = Path(made, path)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(found[2])
        git = Git(project.path, Path(made), cwd=Path(made))
        question = ("check-ignore", "--no-index", "--stdin", "-z")
        return records(git.run(*question, stdin=nul_terminated(asked), expect=(0, 1)))
