"""A project repository for the time of one question, for commands that may store nothing.

Invariant: it lies in the folder for temporary files, borrows the user's objects, and is gone
afterwards; neither the state folder nor the user's repository is written to.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository


@contextmanager
def scratch_project(user: UserRepository) -> Iterator[ProjectRepository]:
    """Open a repository as a loop of ``user`` would have it, and remove it again."""
    with tempfile.TemporaryDirectory(prefix="loopctl-") as folder:
        project = ProjectRepository.open_or_create(Path(folder) / "objects.git", user)
        try:
            yield project
        finally:
            project.close()
