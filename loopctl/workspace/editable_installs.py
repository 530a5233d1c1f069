"""Editable installs: what in an environment's packages leads to files of the project itself.

``pip install -e`` leaves no copy but a pointer: a path in a ``.pth`` file, a finder with a table
of paths, or a link. Whoever imports through it gets the user's files, whatever was checked out.
Invariant: files are read as text and nothing of them is run; a pointer of a kind that nobody
knows how to lead elsewhere is still found, and says so.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from loopctl.workspace.import_hook import is_environment

A_LINK = "it is a link in the place of a package"
A_TREE_OF_LINKS = "it leads to a tree of links (editable_mode=strict)"
OWN_CODE = "its code finds modules in its own way"

_LARGEST = 1_000_000  # bytes
_PATH_FILES = (".pth", ".egg-link")
_IMPORT = re.compile(r"import[ \t]")
_NAME = re.compile(r"[A-Za-z_]\w*")
_QUOTED = re.compile(r"['\"](/[^'\"\n]+)['\"]")
_STRICT = f"{os.sep}__editable__."
_KNOWN_FINDERS = ("_EditableFinder", "editables.redirector")
_ADDS_PATH = re.compile(r"\Aimport sys\s*;\s*sys\.path\.(?:append|insert)\b[^;]*\Z")


@dataclass(frozen=True, slots=True)
class Pointer:
    """One way from an environment into the project.

    Attributes:
        file: what holds it.
        inside: where it leads, relative to the root of the project; ``""`` is the root.
        obstacle: why it cannot be led elsewhere; ``""`` when it can.
    """

    file: Path
    inside: str
    obstacle: str = ""


@dataclass(frozen=True)
class ProjectRoots:
    """The folders that hold files of the project: the user's checkouts of it, a loop's worktree.

    Attributes:
        folders: absolute, in every spelling that a pointer may use.
        destination: the place that is meant to be imported from; what lies in it is no pointer.
    """

    folders: frozenset[str]
    destination: str

    @classmethod
    def of(cls, folders: frozenset[str], destination: Path) -> "ProjectRoots":
        """The roots of what is to be led to ``destination``, which is no root itself."""
        real = os.path.realpath(destination)
        return cls(folders - {real, str(destination)}, real)

    def inside(self, path: str) -> str | None:
        """The path relative to its root; ``None`` when it leads to no file of the project."""
        if "\0" in path:
            return None
        spellings = (os.path.normpath(path), os.path.realpath(path))
        if any(self.destination in _upwards(each) for each in spellings):
            return None
        for spelling in spellings:
            root = next((each for each in _upwards(spelling) if each in self.folders), None)
            if root is not None:
                rest = spelling[len(root) :]
                return None if is_environment(root, rest) else rest.lstrip(os.sep)
        return None


def spellings(folders: Iterable[Path]) -> frozenset[str]:
    """The folders as they are named and as they are without links."""
    return frozenset(form for each in folders for form in (str(each), os.path.realpath(each)))


def find_pointers(sites: Iterable[Path], roots: ProjectRoots) -> tuple[Pointer, ...]:
    """Every pointer into the project in these folders of packages."""
    found = (pointer for site in sites for pointer in _in_site(site, roots))
    return tuple(dict.fromkeys(found))


def find_copies(sites: Iterable[Path], roots: ProjectRoots) -> tuple[Path, ...]:
    """The records of installed packages that were built from the project and copied."""
    records = (each for site in sites for each in site.glob("*.dist-info/direct_url.json"))
    return tuple(record.parent for record in records if _is_copy(_text(record), roots))


def _is_copy(direct_url: str, roots: ProjectRoots) -> bool:
    """Whether the origin that an installer has noted is a folder of the project."""
    try:
        origin = json.loads(direct_url)
        url = urlsplit(origin["url"])
        editable = origin.get("dir_info", {}).get("editable", False)
    except (ValueError, TypeError, KeyError, AttributeError):
        return False
    is_inside = roots.inside(unquote(url.path)) is not None
    return url.scheme == "file" and is_inside and not editable


def _in_site(site: Path, roots: ProjectRoots) -> Iterator[Pointer]:
    try:
        with os.scandir(site) as scanned:
            entries = list(scanned)
    except OSError:
        return
    imported: set[str] = set()
    for entry in entries:
        if entry.name.endswith(_PATH_FILES):
            path = site / entry.name
            lines = [line.strip() for line in _text(path).splitlines()]
            code = [line for line in lines if _IMPORT.match(line)]
            imported.update(name for line in code for name in _NAME.findall(line))
            yield from _in_lines(path, [line for line in lines if line not in code], roots)
            for line in code:
                yield from _in_code(path, line, roots)
        elif entry.is_symlink():
            inside = roots.inside(os.path.realpath(entry.path))
            if inside is not None:
                yield Pointer(site / entry.name, inside, A_LINK)
    for entry in entries:
        name = entry.name.removesuffix(".py")
        if name != entry.name and (name.startswith("_") or name in imported):
            yield from _in_code(site / entry.name, _text(site / entry.name), roots)


def _in_lines(file: Path, lines: list[str], roots: ProjectRoots) -> Iterator[Pointer]:
    """The paths of a ``.pth`` file; a relative one begins at the file's own folder."""
    for line in lines:
        is_path = line[:1] not in ("", "#")
        inside = roots.inside(str(file.parent / line)) if is_path else None
        if inside is not None:
            yield Pointer(file, inside, A_TREE_OF_LINKS if _STRICT in os.sep + inside else "")


def _in_code(file: Path, text: str, roots: ProjectRoots) -> Iterator[Pointer]:
    """The paths in code that an interpreter runs as it starts."""
    known = any(mark in text for mark in _KNOWN_FINDERS) or _ADDS_PATH.search(text) is not None
    for path in dict.fromkeys(_QUOTED.findall(text)):
        inside = roots.inside(path)
        if inside is not None:
            yield Pointer(file, inside, "" if known else OWN_CODE)


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > _LARGEST:
            return ""
        return file.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


def _upwards(path: str) -> Iterator[str]:
    """The path and every folder above it, from the inside to the outside."""
    while path:
        yield path
        path = path.rpartition(os.sep)[0]
