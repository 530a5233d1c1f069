"""The folder in which loopctl keeps everything: ``LOOPCTL_HOME``, else the platform's place.

Invariant: it and all folders in it are the user's alone (0700) whatever the umask, and a folder
that holds somebody else's files is never made private in passing.
"""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from loopctl.errors import UsageError

VARIABLE = "LOOPCTL_HOME"
_NAMES = frozenset({"loopctl.db", "projects", "loops", "locks"})
_NEXT_STEP = f"export {VARIABLE}=DIRECTORY (a folder of your own on a local disk)"


class HomeError(UsageError):
    """The state folder cannot be used; nothing was started."""


@dataclass(frozen=True)
class StateHome:
    """The state folder and what lies where in it."""

    path: Path

    @property
    def database(self) -> Path:
        """The database file."""
        return self.path / "loopctl.db"

    @property
    def locks(self) -> Path:
        """The folder of the lock files."""
        return _private(self.path / "locks")

    def project_folder(self, project: str) -> Path:
        """What all loops of one project share: snapshots and worktrees."""
        return _private(_private(self.path / "projects") / project)

    def loop_folder(self, loop_id: str) -> Path:
        """What belongs to one loop beside its rows: logs, prompt files, the private index."""
        return _private(_private(self.path / "loops") / loop_id)

    @property
    def has_loops(self) -> bool:
        """Whether a loop was ever stored here, as far as the folders tell."""
        folder = self.path / "loops"
        return folder.is_dir() and any(folder.iterdir())


def home_path(environment: Mapping[str, str]) -> Path:
    """Where the state folder is or would be."""
    chosen = environment.get(VARIABLE)
    return Path(chosen) if chosen else platformdirs.user_state_path("loopctl", appauthor=False)


def state_home(environment: Mapping[str, str]) -> StateHome:
    """Find the state folder, and create it on first use.

    Raises:
        HomeError: it cannot be used; the message says why.
    """
    path = home_path(environment)
    if not path.is_absolute():
        raise _refusal(path, "it is relative: every folder would have loops of its own")
    try:
        if not environment.get(VARIABLE):
            path.parent.mkdir(parents=True, exist_ok=True)
        _create_if_missing(path)
        _check(path)
    except FileNotFoundError as error:
        raise _refusal(path, f"{path.parent} does not exist") from error
    except FileExistsError as error:
        raise _refusal(path, "it is a link to something that does not exist") from error
    except OSError as error:
        raise _refusal(path, error.strerror or str(error)) from error
    return StateHome(path)


def look_at_home(environment: Mapping[str, str]) -> StateHome:
    """As `state_home`, without creating or changing anything: a folder that is not there is fine.

    Raises:
        HomeError: it could not be used.
    """
    path = home_path(environment)
    if not path.is_absolute():
        raise _refusal(path, "it is relative: every folder would have loops of its own")
    try:
        if os.path.lexists(path):
            _check(path, repair=False)
            return StateHome(path)
    except OSError as error:
        raise _refusal(path, error.strerror or str(error)) from error
    above = path.parent
    while not environment.get(VARIABLE) and not os.path.lexists(above):
        above = above.parent
    if not above.is_dir():
        raise _refusal(path, f"{above} does not exist")
    if not os.access(above, os.W_OK | os.X_OK):
        raise _refusal(path, f"{above} cannot be written to")
    return StateHome(path)


def _create_if_missing(path: Path) -> None:
    try:
        path.stat()
    except FileNotFoundError:
        _private(path)


def _check(path: Path, *, repair: bool = True) -> None:
    status = path.stat()
    if not stat.S_ISDIR(status.st_mode):
        raise _refusal(path, "it is not a folder")
    if status.st_uid != os.geteuid():
        raise _refusal(path, f"it belongs to another user (uid {status.st_uid})")
    if status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        names = {entry.name for entry in path.iterdir()}
        if names and not names & _NAMES:
            raise HomeError(
                f"{path} cannot be the state folder",
                why="other users can look into it, and it holds other files already",
                next_step=f"chmod 700 {path}, or {_NEXT_STEP}",
            )
        if repair:
            path.chmod(stat.S_IRWXU)
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        raise _refusal(path, "it cannot be written to")


def _private(path: Path) -> Path:
    path.mkdir(mode=stat.S_IRWXU, exist_ok=True)
    return path


def _refusal(path: Path, why: str) -> HomeError:
    return HomeError(f"{path} cannot be the state folder", why=why, next_step=_NEXT_STEP)
