"""Uncommitted work of the user: a loop starts from a commit, so it is told what it will not see.

Invariant: it never keeps a loop from starting. What counts is what `git status` counts: ignored
files do not, nor line ends that git converts, nor modes that it is told to ignore.
"""

from loopctl.errors import GitError
from loopctl.git.repository import UserRepository


def uncommitted_work(user: UserRepository) -> tuple[str, ...]:
    """What to tell; call it before an agent exists."""
    try:
        found = user.dirty_summary()
    except GitError:  # such as a filter of the user's that fails
        return ()
    kinds = (
        (found.staged, "staged"),
        (found.unstaged, "not staged"),
        (found.untracked, "untracked"),
    )
    parts = ", ".join(f"{number} {kind}" for number, kind in kinds if number)
    if not parts:
        return ()
    return (f"the loop starts from commit {user.head[:12]}, without your changes ({parts})",)
