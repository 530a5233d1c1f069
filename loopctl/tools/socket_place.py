"""The folder of a driver's socket: short, the user's alone, and gone afterwards.

The path of a Unix socket has about a hundred bytes, and the state folder may lie deeper than
that. So the socket is in the runtime folder of the user's session where there is a safe one,
else with the temporary files. A link in the loop's folder names the place from before it exists,
so that the next driver finds what one that was killed has left.

Invariant: nothing is removed but a socket of our name and its empty folder.
"""

import contextlib
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from loopctl.errors import LoopctlError

MOST_PATH_BYTES = 103
"""macOS has room for so many; Linux has a few more."""

LINK = "tools-socket"
_PREFIX = "loopctl-"
_NAME = "tools"


class SocketPlaceError(LoopctlError):
    """There is no folder in which the socket could be made."""


@contextmanager
def socket_place(owner: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """The path for the socket of a driver, in a new folder of its own.

    Args:
        owner: the loop's folder; nobody else drives the loop.
        environment: loopctl's own.

    Raises:
        SocketPlaceError: no folder can be used.
    """
    remove_socket_place(owner)
    try:
        yield _make(owner, environment) / _NAME
    finally:
        remove_socket_place(owner)


def remove_socket_place(owner: Path) -> None:
    """Remove what a driver that was killed has left: what the link names, and the link.

    What is not ours stays, and a place that is not there is no error.
    """
    link = owner / LINK
    with contextlib.suppress(OSError):
        folder = link.readlink()
        if folder.name.startswith(_PREFIX) and not folder.is_symlink():
            _remove_socket(folder / _NAME)
            folder.rmdir()
    with contextlib.suppress(OSError):
        link.unlink()


def _make(owner: Path, environment: Mapping[str, str]) -> Path:
    problems = []
    name = f"{_PREFIX}{secrets.token_hex(4)}"
    for parent in _parents(environment):
        folder = parent / name
        if len(os.fsencode(folder / _NAME)) > MOST_PATH_BYTES:
            problems.append(f"{parent} has too long a path")
            continue
        try:
            (owner / LINK).symlink_to(folder)
            folder.mkdir(mode=stat.S_IRWXU)
        except OSError as error:
            problems.append(str(error))
            (owner / LINK).unlink(missing_ok=True)
        else:
            return folder
    raise SocketPlaceError(
        "there is no place for the socket of loopctl's tools",
        why="; ".join(problems),
        next_step="export TMPDIR=DIRECTORY (a short path that you can write to)",
    )


def _parents(environment: Mapping[str, str]) -> Iterator[Path]:
    runtime = Path(environment.get("XDG_RUNTIME_DIR", ""))
    if runtime.is_absolute() and _is_ours_alone(runtime):
        yield runtime
    with contextlib.suppress(FileNotFoundError):
        yield Path(tempfile.gettempdir())
    yield Path("/tmp")  # noqa: S108 - a folder with a random name is made in it, by mkdir


def _is_ours_alone(folder: Path) -> bool:
    try:
        status = folder.stat()
    except OSError:
        return False
    others = status.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not others


def _remove_socket(path: Path) -> None:
    with contextlib.suppress(OSError):
        if stat.S_ISSOCK(path.lstat().st_mode):
            path.unlink()
