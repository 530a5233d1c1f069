"""The files of Python environments and of node_modules that take part in judging.

What an interpreter runs as it starts (``.pth`` files, sitecustomize), the test runner and its
plug-ins, what of the standard library is imported at every start, the programs that start them.
Invariant: nothing is run, and nothing is read but the entry points of packages; all else is looked
at by its stamp.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

Stamp = tuple[int, int, int, int]

_RUNNERS = frozenset(
    {"pytest", "_pytest", "pluggy", "iniconfig", "coverage", "xdist", "execnet", "pytest_cov"}
    | {"packaging", "pygments", "exceptiongroup", "tomli", "py"}
)
_CUSTOM = frozenset({"sitecustomize", "usercustomize"})
_RECORD = ".dist-info"
_NONE = (0, 0, 0, 0)
_PLUGINS = re.compile(r"^\[pytest11\]\s*$([^\[]*)", re.MULTILINE)
_MODULE = re.compile(r"=\s*(\w+)")
_PROGRAMS = ("python", "python3", "pytest", "py.test", "coverage", "tox", "nox")
_LIBRARY = ("unittest", "importlib")
# Modules of the standard library that every start of an interpreter imports, or looks for.
_AT_START = (
    *("abc.py", "codecs.py", "genericpath.py", "io.py", "os.py", "posixpath.py", "runpy.py"),
    *("site.py", "stat.py", "_collections_abc.py", "_sitebuiltins.py"),
    *("sitecustomize.py", "usercustomize.py", "sitecustomize", "usercustomize"),
)
_BYTECODE = "__pycache__"
_COMPILED = ".pyc"
_MODULE_FILE = re.compile(r"\.py$|(\.[\w-]+)?\.so$")
_KEPT = 1_024  # entry points of packages that are remembered


@dataclass
class Installed:
    """What was found.

    Attributes:
        judging: stamps of the files that take part in every judgement, by path.
        packages: stamps of the packages beside them, by the name under which they are recorded.
        compiled: stamps of the compiled code of these files, by path.
        modules: names under which Python imports what is installed.
    """

    judging: dict[str, Stamp] = field(default_factory=dict)
    packages: dict[str, Stamp] = field(default_factory=dict)
    compiled: dict[str, Stamp] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)


def look(sites: Iterable[Path], node: Iterable[Path] = ()) -> Installed:
    """Look at environments.

    Args:
        sites: folders in which interpreters find packages.
        node: folders called ``node_modules``.
    """
    found = Installed()
    libraries: dict[str, None] = {}
    for site in map(str, sites):
        _look_at_site(site, found)
        library, _, _ = site.rpartition("/")
        prefix = library.rpartition("/")[0].rpartition("/")[0]
        libraries.update(dict.fromkeys((library, *_libraries(prefix, library))))
        _add((f"{prefix}/bin/{name}" for name in _PROGRAMS), found)
        _add([f"{prefix}/pyvenv.cfg"], found)
    for library in libraries:
        _add((f"{library}/{name}" for name in _AT_START), found)
        for name in _LIBRARY:
            _add_folder(f"{library}/{name}", found)
    for folder in map(str, node):
        _add_folder(f"{folder}/.bin", found, below=False)
        found.packages |= _node_packages(folder)
    return found


def _look_at_site(site: str, found: Installed) -> None:
    names = _listed(site)
    watched = set(_RUNNERS)
    found.modules.update(_MODULE_FILE.sub("", name) for name in names if _is_module(name))
    for name in names:
        if not name.endswith(_RECORD):
            continue
        found.packages[name.removesuffix(_RECORD)] = _stamp(f"{site}/{name}") or _NONE
        points = f"{site}/{name}/entry_points.txt"
        stamp = _stamp(points)
        modules = () if stamp is None else _plugin_modules(points, stamp)
        if stamp is not None and modules:
            found.judging[points] = stamp
            watched.update(modules)
    for name in names:
        if name.endswith(".pth"):
            _add([f"{site}/{name}"], found)
        elif name.partition(".")[0] in watched | _CUSTOM and not name.endswith(_RECORD):
            _add_folder(f"{site}/{name}", found)


def _is_module(name: str) -> bool:
    return _MODULE_FILE.sub("", name).isidentifier()


@lru_cache(maxsize=_KEPT)
def _plugin_modules(points: str, stamp: Stamp) -> tuple[str, ...]:  # noqa: ARG001 - part of the key
    """The top-level modules of the pytest plug-ins that a package registers."""
    try:
        text = Path(points).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    section = _PLUGINS.search(text)
    return tuple(dict.fromkeys(_MODULE.findall(section[1]))) if section else ()


def _libraries(prefix: str, library: str) -> Iterator[str]:
    """The standard library of the interpreter that a virtual environment was made with."""
    version = library.rpartition("/")[2]
    for name in ("python", "python3"):
        real = os.path.realpath(f"{prefix}/bin/{name}")
        base = real.rpartition("/")[0].rpartition("/")[0]
        yield f"{base}/lib/{version}"


def _add_folder(place: str, found: Installed, *, below: bool = True) -> None:
    """Add a file, or the files in a folder: compiled code apart, which is written as they run."""
    pending = [place]
    for folder in pending:  # grows while it is walked
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if not entry.is_dir(follow_symlinks=False):
                        found.judging[entry.path] = _of(entry.stat())
                    elif entry.name == _BYTECODE:
                        _add_compiled(entry.path, found)
                    elif below:
                        pending.append(entry.path)
        except NotADirectoryError:
            _add([folder], found)
        except OSError:
            continue


def _add_compiled(folder: str, found: Installed) -> None:
    names = (name for name in _listed(folder) if name.endswith(_COMPILED))
    for path in (f"{folder}/{name}" for name in names):
        stamp = _stamp(path)
        if stamp is not None:
            found.compiled[path] = stamp


def _add(files: Iterable[str], found: Installed) -> None:
    for file in files:
        stamp = _stamp(file)
        if stamp is not None:
            found.judging[file] = stamp


def _node_packages(folder: str) -> dict[str, Stamp]:
    found = {}
    for name in _listed(folder):
        inner = [f"{name}/{each}" for each in _listed(f"{folder}/{name}")] if name[0] == "@" else ()
        for each in inner or [name]:
            stamp = _stamp(f"{folder}/{each}/package.json")
            if stamp is not None:
                found[each] = stamp
    return found


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - only the names
    except OSError:
        return []


def _stamp(file: str) -> Stamp | None:
    """Of a folder only which one it is; None for what is not there."""
    try:
        return _of(os.stat(file))  # noqa: PTH116 - asked for hundreds of files
    except OSError:
        return None


def _of(seen: os.stat_result) -> Stamp:
    """Inode, size, time of writing and of any change."""
    if not stat.S_ISREG(seen.st_mode):
        return seen.st_ino, 0, 0, 0
    return seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns
