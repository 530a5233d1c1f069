"""Submodules: at which commits a tree pins them, and their objects in loopctl's own repository.

Before an agent exists, the tree of every pinned commit is copied out of the git folders that the
user's checkout has for its submodules; nothing is fetched. Invariant: what was copied was hashed
on the way, and later it is read from loopctl's repository alone, so that nothing an agent writes
into a submodule's git folder reaches a worktree or a checkout.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from loopctl.git.change import GITLINK
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.git.runner import CommandFailed, Git
from loopctl.git.special_file import read_start

_NOTES = "submodules"  # an empty file for each commit that was copied to its end
_DEEPEST = 12  # folders between a git folder and those of its submodules


def pinned_submodules(project: ProjectRepository, tree: str, below: str = "") -> dict[str, str]:
    """Path and commit of every submodule, also of those inside submodules that were copied.

    Args:
        project: where the objects are.
        tree: id of a commit or tree.
        below: a path that comes before all others.
    """
    found = {}
    for path, entry in project.entries(tree).items():
        if entry.mode == GITLINK:
            found[below + path] = entry.blob
            if is_carried(project, entry.blob):
                found |= pinned_submodules(project, entry.blob, f"{below}{path}/")
    return found


def is_carried(project: ProjectRepository, commit: str) -> bool:
    """Whether the tree of a submodule's commit is in loopctl's repository."""
    return (project.path / _NOTES / commit).exists()


def carry_submodules(user: UserRepository, project: ProjectRepository, tree: str) -> None:
    """Copy the trees of all pinned commits that the user's checkout has; the others stay out.

    Args:
        user: the repository with the checkout.
        project: where they are copied to.
        tree: id of a commit or tree of the user's.
    """
    while absent := [
        (path, commit)
        for path, commit in pinned_submodules(project, tree).items()
        if not is_carried(project, commit)
    ]:
        copied = [_carry(user, project, path, commit) for path, commit in absent]
        if not any(copied):  # else there may be submodules inside them
            return


def _carry(user: UserRepository, project: ProjectRepository, path: str, commit: str) -> bool:
    for git_dir in _git_folders(user, path):
        # The work tree that its configuration names may be gone.
        if _copy(Git(git_dir, git_dir), project, commit):
            note = project.path / _NOTES / commit
            note.parent.mkdir(exist_ok=True, mode=0o700)
            note.touch(mode=0o600)
            return True
    return False


def _copy(source: Git, project: ProjectRepository, commit: str) -> bool:
    """Copy a commit and its tree, without its history.

    Returns:
        False when the source lacks a part of it, or has a part with another content.
    """
    listing = ("rev-list", "--objects", "--no-object-names", f"{commit}^{{tree}}")
    try:
        source.run("cat-file", "-e", f"{commit}^{{commit}}")
        objects = source.run(*listing)
        wanted = f"{commit}\n".encode() + objects
        with tempfile.TemporaryFile() as pack:
            source.run("pack-objects", "--stdout", "-q", stdin=wanted, stdout=pack)
            pack.seek(0)
            project.git.run("index-pack", "--stdin", stdin=pack)
        return project.git.run(*listing) == objects  # a forged one has another id here
    except CommandFailed:
        return False


def _git_folders(user: UserRepository, path: str) -> Iterator[Path]:
    """Where a submodule's objects may be: its own git folder first."""
    own = git_folder_of(user.top_level / path)
    if own is not None:
        yield own
    for root in dict.fromkeys((user.git_dir, user.common_dir)):
        yield from _modules(root / "modules")


def git_folder_of(folder: Path) -> Path | None:
    """The git folder of a submodule that is checked out there, found without running git."""
    marker = folder / ".git"
    try:
        if marker.is_file():
            marker = folder / read_start(marker).removeprefix("gitdir:").strip()
        return marker if _is_git_folder(marker) else None
    except (OSError, ValueError):
        return None


def _modules(folder: Path, depth: int = 0) -> Iterator[Path]:
    """Every git folder below one that is named ``modules``."""
    if depth > _DEEPEST or folder.is_symlink() or not folder.is_dir():
        return
    if _is_git_folder(folder):
        yield folder
        yield from _modules(folder / "modules", depth + 1)
        return
    for inner in sorted(folder.iterdir()):
        yield from _modules(inner, depth + 1)


def _is_git_folder(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir()
