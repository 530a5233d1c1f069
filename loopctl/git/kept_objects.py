"""What the base commit holds of protected files, copied into loopctl's own repository.

Everything else is borrowed from the user's repository, where an agent of the same user can write:
git does not hash an object again when it reads it. Invariant: what is kept was hashed first, and
git looks at the packs of a repository before it looks at what the repository borrows.
"""

from collections.abc import Callable

from loopctl.errors import GitError
from loopctl.git.change import GITLINK
from loopctl.git.object_check import is_sound, named_below
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.runner import Git


def keep_objects(
    project: ProjectRepository, commit: str, is_protected: Callable[[str], bool]
) -> None:
    """Copy ``commit`` with its trees, and the contents of its protected files.

    Args:
        project: where to.
        commit: full id of the base commit; call this before an agent exists.
        is_protected: whether a path is.

    Raises:
        GitError: an object is not what its id says, or git could not write.
    """
    wanted = {
        entry.blob
        for path, entry in project.entries(commit).items()
        if entry.mode != GITLINK and is_protected(path)
    }
    names = {commit, *_trees(project, project.tree_of(commit)), *wanted}
    for name in (commit, *wanted):
        _check(project, name)
    orders = "".join(f"{name}\n" for name in sorted(names)).encode()
    folder = project.path / "objects" / "pack"
    Git(project.path).run("pack-objects", "-q", str(folder / "pack"), stdin=orders)
    project.forget_packs()


def _trees(project: ProjectRepository, root: str) -> set[str]:
    """The ids of a tree and of all trees below it."""
    found: set[str] = set()
    waiting = [root]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            content = _check(project, name)
            waiting += [below for below, is_tree in named_below("tree", content, name) if is_tree]
    return found


def _check(project: ProjectRepository, name: str) -> bytes:
    found = project.read(name)
    if found is None or not is_sound(name, found[1], found[2]):
        raise GitError(
            f"the object {name} of the base commit is missing or damaged",
            why="its content is not what its id says",
            next_step="git fsck",
        )
    return found[2]
