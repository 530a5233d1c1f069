"""HOME of a sandboxed agent: an empty folder with copies of what it needs to log in.

Copies, because settings of the user that an agent can write would act outside of the sandbox,
the next time the user types the vendor's program. A login alone is brought back when the program
has renewed it: else the one that the user has would be worth nothing any more.

Invariant: what is brought back is a JSON file with the same keys as before, and it replaces only
the login that it is a copy of.
"""

import contextlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from loopctl.tools.files.errors import FileToolError
from loopctl.tools.files.folder import Folder
from loopctl.tools.files.writing import write
from loopctl.workspace.removal import remove_folder
from loopctl.workspace.vendor_needs import VendorNeeds

LARGEST_COPY = 256 * 1024 * 1024  # bytes of all settings together
_LARGEST_LOGIN = 256 * 1024
_DEEPEST = 20


@dataclass
class AgentHome:
    """The private folder of one loop that stands for HOME.

    Attributes:
        folder: where it is on the machine.
        home: the user's HOME, which is its path in the sandbox as well.
        environment: the user's variables.
        vendors: whose programs are used.
    """

    folder: Path
    home: Path
    environment: Mapping[str, str]
    vendors: tuple[VendorNeeds, ...]
    _logins: dict[Path, bytes] = field(default_factory=dict)

    def make(self) -> tuple[str, ...]:
        """Make it, with copies of the settings; return what had to be left out.

        Raises:
            OSError: it could not be made.
        """
        for folder in (self.folder, self._beside):
            remove_folder(folder)
            folder.mkdir(parents=True, mode=stat.S_IRWXU)
        self._logins.clear()
        room, left_out = LARGEST_COPY, []
        for source in self._places("settings"):
            copied = _copy(source, self.copy_of(source), room)
            if copied is None:
                left_out.append(f"{source} is not in the sandbox: it is too large to be copied")
            room -= copied or 0
        return tuple(left_out)

    def bring_logins(self) -> None:
        """Give the agent the logins that the user has now, where they have changed."""
        for source in self._places("login"):
            content = _content(Path(os.path.realpath(source)))
            if content is None or self._logins.get(source) == content:
                continue
            self._logins[source] = content
            folder, name = self._inside(source)
            with contextlib.suppress(FileToolError):  # the agent has made something else there
                write(Folder(folder), name, content.decode(errors="replace"))

    def return_logins(self) -> tuple[str, ...]:
        """Bring back the logins that the agent's program has renewed; return what was done."""
        done = []
        for source, known in self._logins.items():
            renewed = self._copied_content(source)
            if renewed is None or renewed == known:
                continue
            real = Path(os.path.realpath(source))
            if _shape(renewed) != _shape(known) or _shape(known) is None:
                done.append(f"{source} was changed in the sandbox, and not as a program renews it")
            elif _content(real) == known:
                _replace(real, renewed)
                self._logins[source] = renewed
                done.append(f"{source} was renewed in the sandbox and brought back")
        return tuple(done)

    def copy_of(self, path: Path) -> Path:
        """Where the copy of a file of the user's is on the machine."""
        folder, name = self._inside(path)
        return folder / name

    @property
    def elsewhere(self) -> dict[Path, Path]:
        """Folders of vendors outside of HOME: the path, and where its copy is."""
        moved = {
            Path(os.path.normpath(self.environment.get(each.variable, "")))
            for each in self.vendors
            if self.environment.get(each.variable, "").startswith("/")
        }
        return {
            path: self.copy_of(path)
            for path in sorted(moved)
            if path.is_dir() and not path.is_relative_to(self.home)
        }

    @property
    def _beside(self) -> Path:
        return self.folder.with_name("elsewhere")

    def _inside(self, path: Path) -> tuple[Path, str]:
        """The folder that a copy is in, and its name there: what is below may be a link by now."""
        if path.is_relative_to(self.home):
            return self.folder, os.fspath(path.relative_to(self.home))
        return self._beside, os.fspath(path.relative_to("/"))

    def _copied_content(self, source: Path) -> bytes | None:
        folder, name = self._inside(source)
        try:
            with Folder(folder).reading(name) as file:
                content = file.read(_LARGEST_LOGIN + 1)
        except FileToolError:
            return None
        return content if len(content) <= _LARGEST_LOGIN else None

    def _places(self, kind: str) -> list[Path]:
        places = {
            Path(os.path.normpath(vendor.place(entry, self.home, self.environment)))
            for vendor in self.vendors
            for entry in getattr(vendor, kind)
        }
        return sorted(place for place in places if place.exists())


def _copy(source: Path, copy: Path, room: int, depth: int = 0) -> int | None:
    """Copy files and folders, links followed; the bytes, None when there is not so much room."""
    if depth > _DEEPEST:
        return None
    if source.is_dir():
        copy.mkdir(parents=True, exist_ok=True, mode=stat.S_IRWXU)
        total = 0
        for each in sorted(source.iterdir()):
            done = _copy(each, copy / each.name, room - total, depth + 1)
            if done is None:
                return None
            total += done
        return total
    if not source.is_file():  # a link that leads nowhere, a pipe, a socket
        return 0
    size = source.stat().st_size
    if size > room:
        return None
    copy.parent.mkdir(parents=True, exist_ok=True, mode=stat.S_IRWXU)
    shutil.copy2(source, copy)
    return size


def _content(path: Path) -> bytes | None:
    """The bytes of a file of the user's; None when there is none of a moderate size."""
    with contextlib.suppress(OSError):
        if path.is_file() and path.stat().st_size <= _LARGEST_LOGIN:
            return path.read_bytes()
    return None


def _replace(path: Path, content: bytes) -> None:
    """Write a file that is the user's alone, in one step."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _shape(content: bytes) -> object:
    """The keys of a JSON object, at every depth, and the kinds of its values; None is no JSON."""

    def kind(value: object) -> object:
        if isinstance(value, dict):
            return {key: kind(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [kind(inner) for inner in value]
        return "number" if isinstance(value, int | float) else type(value).__name__

    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return kind(found) if isinstance(found, dict) else None
