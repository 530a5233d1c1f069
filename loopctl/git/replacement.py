"""Replacing files of the user's checkout: all of them, or none.

Everything is written beside the files first; then each is renamed into its place. Invariants: no
folder is entered through a symlink; a signal waits until the last rename; an error puts back what
was there. After ``kill -9`` each path is as before or as wanted, never in between.
"""

import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from loopctl.errors import GitError
from loopctl.git.change import Entry, index_lines
from loopctl.git.filtered_paths import LFS
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.runner import Git
from loopctl.git.smudge import smudge_files

_PREFIX = ".loopctl-apply-"
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Files = Mapping[str, Entry | None]


def replace_files(
    project: ProjectRepository,
    root: Path,
    before: Files,
    after: Files,
    filters: Mapping[str, str] | None = None,
) -> None:
    """Make the paths hold what ``after`` says; the caller has seen that they hold ``before``.

    Args:
        project: where the contents are.
        root: top of the checkout. One caller at a time.
        before: an entry for each path; None: nothing is there.
        after: the same paths.
        filters: those of them that have a content filter, with its name.

    Raises:
        GitError: git could not write the files, or a content of LFS is nowhere; nothing was
            changed.
        OSError: a file could not be put in its place; all is as before.
    """
    for left in root.glob(f"{_PREFIX}*"):  # by one that was killed
        shutil.rmtree(left)
    with tempfile.TemporaryDirectory(dir=root, prefix=_PREFIX) as place:
        old, new = Path(place) / "old", Path(place) / "new"
        _write(project, root, old, before, filters or {})
        _write(project, root, new, after, filters or {})
        with _signals_wait():
            try:
                _switch(root, new, after)
            except BaseException:
                _switch(root, old, before, (OSError,))
                raise


def _write(
    project: ProjectRepository, root: Path, place: Path, files: Files, filters: Mapping[str, str]
) -> None:
    """Write the files into a folder of our own, as the user's git would check them out."""
    place.mkdir()
    git = Git(project.path, root)
    with project.scratch_index() as index:
        git.run("update-index", "-z", "--index-info", index=index, stdin=index_lines(files))
        git.run("checkout-index", "--all", f"--prefix={place}/", index=index)
    there = {path: entry for path, entry in files.items() if entry and path in filters}
    done = smudge_files(project, there, {path: filters[path] for path in there}, place, root)
    if done.pointers and LFS in project.filters:
        raise GitError(
            f"the content of {done.pointers[0]} is not here",
            why="of Git LFS only its pointer is, and nothing is downloaded",
            next_step="git lfs fetch",
        )


def _switch(
    root: Path, place: Path, files: Files, forgiven: tuple[type[OSError], ...] = ()
) -> None:
    """Remove and place the files; errors of a kind that is forgiven pass over one file."""
    removed = [path for path, entry in files.items() if entry is None]
    for path in removed:
        with contextlib.suppress(*forgiven), _parent(root, path) as at:
            os.unlink(PurePosixPath(path).name, dir_fd=at)
    _remove_emptied(root, removed)
    for path, entry in files.items():
        if entry:
            with contextlib.suppress(*forgiven), _parent(root, path, make=True) as at:
                os.replace(place / path, PurePosixPath(path).name, dst_dir_fd=at)


def _remove_emptied(root: Path, removed: list[str]) -> None:
    """Remove the folders that held only removed files, as git does; the deepest first."""
    folders = {str(parent) for path in removed for parent in PurePosixPath(path).parents} - {"."}
    for folder in sorted(folders, key=lambda each: each.count("/"), reverse=True):
        with contextlib.suppress(OSError), _parent(root, folder) as at:
            os.rmdir(PurePosixPath(folder).name, dir_fd=at)


@contextmanager
def _parent(root: Path, path: str, *, make: bool = False) -> Iterator[int]:
    """The folder of a path, opened one step at a time: a symlink on the way is an error."""
    handle = os.open(root, _FOLDER & ~os.O_NOFOLLOW)
    try:
        for name in PurePosixPath(path).parts[:-1]:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, dir_fd=handle)
            inner = os.open(name, _FOLDER, dir_fd=handle)
            os.close(handle)
            handle = inner
        yield handle
    finally:
        os.close(handle)


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Keep the signals that would end the program until the end of the block."""
    kept: list[int] = []
    before = {each: signal.signal(each, lambda number, _: kept.append(number)) for each in _SIGNALS}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
        for number in kept[:1]:
            signal.raise_signal(number)
