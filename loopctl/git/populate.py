"""Populating: the files of submodules, where the files of a tree have just been written.

Each submodule is at the commit that the tree pins, as a small repository of its own, so that git
finds it clean. Invariant: the objects are those in loopctl's repository; no configuration, hook
or filter of a submodule is used, nothing is fetched, and no link leads out of the whole folder.
"""

import hashlib
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from loopctl.git.change import GITLINK, SYMLINK
from loopctl.git.checkout_repository import make_pinned_git_folder
from loopctl.git.export import remove_escaping
from loopctl.git.filtered_paths import FilteredPaths
from loopctl.git.judged_objects import JudgedObjects
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.runner import Git, nul_terminated, records
from loopctl.git.smudge import smudge, stand_still
from loopctl.git.submodule import is_carried, pinned_submodules


def populate(
    project: ProjectRepository,
    tree: str,
    root: Path,
    *,
    repositories: bool = True,
    folders: tuple[str, ...] = (),
    private_index: Path | None = None,
    checkout: Path | None = None,
    objects: JudgedObjects | None = None,
) -> tuple[str, ...]:
    """Write the files of every submodule of a tree.

    Args:
        project: where the objects are.
        tree: id of the commit or tree whose files are in ``root``. Nobody else is at work there.
        root: the worktree or checkout.
        repositories: make each one a repository.
        folders: write only submodules at or below these; empty is all.
        checkout: root of the user's checkout, where contents of LFS may be.
        objects: what the repositories borrow from, when not from everything that there is.
        private_index: where to keep an index of each, with a suffix, for `changed_submodules`.

    Returns:
        The paths of the submodules whose objects are not there: their folders are empty.

    Raises:
        GitError: git could not write.
    """
    missing = []
    for path, commit in pinned_submodules(project, tree).items():
        if folders and not f"{path}/".startswith(tuple(f"{each}/" for each in folders)):
            continue
        _empty(root / path)
        if not is_carried(project, commit):
            missing.append(path)
            continue
        kept = index_of(private_index, path) if private_index else None
        make = partial(make_pinned_git_folder, project, root / path, commit, objects)
        own = _write(project, commit, root / path, make if repositories else None, kept)
        if checkout is not None:
            filters = FilteredPaths(project, commit)
            done = smudge(project, filters, commit, root / path, checkout / path)
            for index in filter(None, (own, kept)):
                stand_still(project, root / path, index, done.filled)
        entries = project.entries(commit).items()
        remove_escaping(root, [f"{path}/{name}" for name, e in entries if e.mode == SYMLINK])
    return tuple(missing)


def changed_submodules(
    project: ProjectRepository, base: str, root: Path, private_index: Path
) -> dict[str, str]:
    """Path and commit of the populated submodules whose files are not as they were written.

    Their repositories are not opened: only their files count.
    """
    return {
        path: commit
        for path, commit in pinned_submodules(project, base).items()
        if (index := index_of(private_index, path)).exists()
        and _is_changed(project, root, path, index)
    }


def index_of(private_index: Path, path: str) -> Path:
    """The private index of one submodule."""
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    return private_index.with_name(f"{private_index.name}.submodule-{digest}")


def _empty(folder: Path) -> None:
    """An empty folder, whatever was there."""
    if folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder)
    else:
        folder.unlink(missing_ok=True)
    folder.mkdir(parents=True, mode=0o755)


def _write(
    project: ProjectRepository,
    commit: str,
    folder: Path,
    make_repository: Callable[[], Path] | None,
    kept: Path | None,
) -> Path | None:
    """Write one submodule; return the index of its repository."""
    git, tree = Git(project.path, folder), project.tree_of(commit)
    with project.scratch_index() as scratch:
        own = make_repository() if make_repository else None
        index = own or scratch
        git.run("read-tree", "--reset", "-u", tree, index=index)
        if kept is not None:
            shutil.copy2(index, kept)  # with its time: git compares it with those of the files
            inner = [name for name, e in project.entries(tree).items() if e.mode == GITLINK]
            skip = ("update-index", "--skip-worktree", "-z", "--stdin")
            git.run(*skip, index=kept, stdin=nul_terminated(inner))
    return own


def _is_changed(project: ProjectRepository, root: Path, path: str, index: Path) -> bool:
    folder = root / path
    if not folder.is_dir() or folder.resolve() != root.resolve() / path:
        return True
    asked = ("ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard")
    return bool(records(Git(project.path, folder).run(*asked, index=index)))
