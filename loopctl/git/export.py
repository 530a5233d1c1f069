"""An export: the files of a tree in a plain folder, for an evaluator.

Invariant: the folder holds exactly the tree's files, written by git from a fresh index, and no
symlink in it resolves to a place outside it. There is no ``.git`` in it unless it was made first
(see ``checkout_repository``).
"""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from loopctl.errors import GitError
from loopctl.git.change import ABSENT, GITLINK, SYMLINK, Change
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.runner import Git, nul_terminated

# Making files is what takes the time: measured, two processes need half of it.
PARALLEL = ("-c", "checkout.workers=2")


def export_tree(
    project: ProjectRepository,
    tree: str,
    destination: Path,
    *,
    index: Path | None = None,
    folders: tuple[str, ...] = (),
) -> tuple[str, ...]:
    """Write the files of a commit or tree into a new folder.

    Args:
        project: where the objects are.
        tree: id of a commit or tree.
        destination: must not exist, or be a folder with nothing but a ``.git``.
        index: where the index of these files is to be kept; None keeps none.
        folders: write only what is below these, and the files at the root; empty is all.

    Returns:
        The paths of symlinks that lead out of the folder: they were not created.

    Raises:
        GitError: the folder has content, or git could not write.
    """
    destination.mkdir(parents=True, exist_ok=True, mode=0o700)
    if set(os.listdir(destination)) - {".git"}:  # noqa: PTH208 - only the names
        raise GitError(f"cannot export to {destination}", why="the folder is not empty")
    git = Git(project.path, destination)
    with project.scratch_index() as scratch:
        _write(project, git, tree, index or scratch, folders)
    return remove_escaping_links(project, tree, destination)


def export_paths(
    project: ProjectRepository, tree: str, paths: Iterable[str], destination: Path
) -> None:
    """Write single files of a commit or tree into an empty folder, as an export has them.

    Raises:
        GitError: git could not write.
    """
    git = Git(project.path, destination)
    with project.scratch_index() as index:
        git.run("read-tree", project.tree_of(tree), index=index)
        write = ("checkout-index", "-z", "--stdin")
        git.run(*write, index=index, stdin=nul_terminated(list(paths)))


def is_wanted(path: str, folders: tuple[str, ...]) -> bool:
    """Whether an export that is limited to these folders has this path; no folder: no limit."""
    return not folders or "/" not in path or path.startswith(tuple(f"{f}/" for f in folders))


def remove_escaping_links(project: ProjectRepository, tree: str, root: Path) -> tuple[str, ...]:
    """Remove the links of an exported tree that resolve outside; return their paths."""
    links = [path for path, each in project.entries(tree).items() if each.mode == SYMLINK]
    return remove_escaping(root, links)


def _write(
    project: ProjectRepository, git: Git, tree: str, index: Path, folders: tuple[str, ...]
) -> None:
    if not folders:
        git.run(*PARALLEL, "read-tree", "--reset", "-u", project.tree_of(tree), index=index)
        return
    git.run("read-tree", project.tree_of(tree), index=index)
    paths = list(project.entries(tree))
    wanted = [path for path in paths if is_wanted(path, folders)]
    others = sorted(set(paths) - set(wanted))
    write = (*PARALLEL, "checkout-index", "-u", "-z", "--stdin")
    git.run(*write, index=index, stdin=nul_terminated(wanted))
    # For git's commands in the checkout these are sparse, not deleted.
    skip = ("update-index", "-z", "--skip-worktree", "--stdin")
    git.run(*skip, index=index, stdin=nul_terminated(others))


def compose_tree(
    project: ProjectRepository, snapshot: str, base: str, restore: Iterable[str]
) -> str:
    """Build a tree that is the snapshot's, except for paths that are as in base.

    A path that base lacks is removed; one that base has comes back, whatever stands in its way
    (a folder of its name, a file or symlink in place of its parent).

    Args:
        project: where the objects are.
        snapshot: commit or tree id.
        base: commit or tree id.
        restore: exact paths, relative to the root.

    Returns:
        The tree id; the snapshot's own when nothing had to be restored.

    Raises:
        GitError: an object of base is not what its id says.
    """
    changes = {change.path: change for change in project.diff(base, snapshot)}
    wanted = [changes[path] for path in restore if path in changes]
    if not wanted:
        return project.tree_of(snapshot)
    for change in wanted:
        _check_content(project, change)
    removed = [path for change in wanted for path in _in_the_way(changes, change)]
    lines = [f"0 {project.zero}\t{path}" for path in removed]
    lines += [f"{w.old_mode} {w.old_blob}\t{w.path}" for w in wanted if w.old_mode != ABSENT]
    with project.scratch_index() as index:
        project.git.run("read-tree", project.tree_of(snapshot), index=index)
        orders = b"".join(os.fsencode(each) + b"\0" for each in lines)
        project.git.run("update-index", "-z", "--index-info", index=index, stdin=orders)
        return project.git.run("write-tree", index=index).decode().strip()


def _in_the_way(changes: dict[str, Change], wanted: Change) -> list[str]:
    """Paths of the snapshot that cannot exist beside base's entry, and the path itself."""
    parents = [str(parent) for parent in PurePosixPath(wanted.path).parents][:-1]
    found = [wanted.path]
    if wanted.old_mode != ABSENT:
        found += [path for path in changes if path.startswith(wanted.path + "/")]
        found += [path for path in parents if path in changes and changes[path].new]
    return found


def _check_content(project: ProjectRepository, change: Change) -> None:
    """Hash base's blob again: an agent may have rewritten the object in the user's repository."""
    if change.old_mode in {ABSENT, GITLINK}:
        return
    found = project.read(change.old_blob)
    if found:
        content = found[2]
        name = "sha1" if len(change.old_blob) == len(hashlib.sha1(b"").hexdigest()) else "sha256"  # noqa: S324 - git's own object id
        digest = hashlib.new(name, b"blob %d\0" % len(content) + content)
        if digest.hexdigest() == change.old_blob:
            return
    raise GitError(
        f"cannot restore {change.path}",
        why=f"the object {change.old_blob} is missing or was changed in the user's repository",
        next_step="git fsck",
    )


def remove_escaping(root: Path, links: list[str]) -> tuple[str, ...]:
    """Remove those of these links that resolve outside of ``root``; return them.

    Args:
        root: a folder with the files of a tree.
        links: paths of symlinks, relative to it.
    """
    inside = os.path.realpath(root)
    # All are looked at before one is removed, because one may lead through another.
    escaping = [path for path in links if _escapes(root / path, inside)]
    for path in escaping:
        (root / path).unlink()
    return tuple(escaping)


def _escapes(link: Path, inside: str) -> bool:
    if not link.is_symlink():  # core.symlinks is off: git wrote a plain file
        return False
    if link.readlink().is_absolute():
        return True
    return os.path.commonpath([inside, os.path.realpath(link)]) != inside
