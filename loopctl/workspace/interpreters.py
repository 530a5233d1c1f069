"""The Python interpreters that an environment leads to, and where they keep packages.

Found by the layout of folders alone: nothing is run, because an agent may be able to write there.
Invariant: too many may be found (each version of a version manager), never one too few of those
that lie on PATH, are active, or are named in a command.
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from loopctl.workspace.command_programs import programs_of

_EXECUTABLES = ("python", "python3", *(f"python3.{minor}" for minor in range(8, 16)), "pypy3")
_ACTIVE = ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONUSERBASE")
_COMMON = ("python", "python3")
_MOST_INTERPRETERS = 4
_KEPT = 32  # PATHs of which the interpreters are remembered; their packages are read anew
_IN_ENVIRONMENT = re.compile(r"([^\s'\"`=;|&()<>:]+)/bin/[\w.-]+")
_SHEBANG = re.compile(rb"(/[^\s'\"]+)/bin/(?:python|pypy)[\d.]*")
_SHEBANG_BYTES = 512
_WORD = re.compile(r"[\w.+-]+")
_RUNNERS = ("pytest", "py.test")
_SHIMS = ("versions/*", "installs/python/*")
_LIBRARIES = ("", "local/")
_SITES = ("site-packages", "dist-packages")


@dataclass(frozen=True, slots=True)
class Commands:
    """What is run, as text in which interpreters may be named.

    Attributes:
        shell: shell commands, such as ``.venv/bin/python -m pytest``.
        scripts: the texts of files that they run, such as a Makefile.
        cwd: folder in which they run, below the one that a caller gives.
    """

    shell: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    cwd: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.shell, *self.scripts)


def site_folders(
    environment: Mapping[str, str], commands: Commands, folder: Path
) -> tuple[Path, ...]:
    """The folders in which the interpreters find installed packages and ``.pth`` files.

    Args:
        environment: variables of the program that starts the interpreters.
        commands: what is run.
        folder: root of the place where it is run.
    """
    found: dict[str, str] = {}
    for prefix in dict.fromkeys(map(str, _prefixes(environment, commands, folder))):
        for base in (prefix, *_base(prefix)):
            for site in _sites(base):
                found.setdefault(os.path.realpath(site), site)
    return tuple(map(Path, found.values()))


def interpreters(
    environment: Mapping[str, str], commands: Commands, folder: Path
) -> tuple[str, ...]:
    """The interpreters that ``python``, ``python3`` and the commands most likely start."""
    path = environment.get("PATH", "")
    named = (str(prefix / "bin") for prefix in _named(path, commands, folder))
    places = [path, *dict.fromkeys(named)]
    found = (shutil.which(name, path=place) for place in places for name in _COMMON)
    # ``python`` and ``python3`` of one environment are the same.
    distinct = {(os.path.realpath(each), Path(each).parent): each for each in found if each}
    return tuple(distinct.values())[:_MOST_INTERPRETERS]


def _prefixes(environment: Mapping[str, str], commands: Commands, folder: Path) -> Iterator[Path]:
    """Folders above ``bin`` that may belong to an interpreter, and the user's own packages."""
    path = environment.get("PATH", "")
    yield from (Path(environment[name]) for name in _ACTIVE if environment.get(name))
    yield from _named(path, commands, folder)
    yield from _on_path(path)
    if environment.get("HOME"):
        yield Path(environment["HOME"], ".local")


def _named(path: str, commands: Commands, folder: Path) -> Iterator[Path]:
    """The environments of what the commands name by a path, and of scripts on PATH."""
    for text in commands.texts:
        for match in _IN_ENVIRONMENT.finditer(text):
            yield folder / commands.cwd / match[1]
    programs = (Path(each) for command in commands.shell for each in programs_of(command))
    for program in programs:
        if program.parent.name == "bin":
            yield folder / commands.cwd / program.parent.parent
    yield from _of_scripts(path, commands.shell)


@lru_cache(maxsize=_KEPT)
def _on_path(path: str) -> tuple[Path, ...]:
    """The installations that the folders of PATH belong to or have links to."""
    found: list[Path] = []
    for place in map(Path, filter(os.path.isabs, path.split(os.pathsep))):
        found.append(place.parent)
        if place.name == "shims":
            found += (each for pattern in _SHIMS for each in place.parent.glob(pattern))
        links = (place / name for name in _EXECUTABLES)
        found += (Path(os.path.realpath(each)).parent.parent for each in links if each.is_symlink())
    return tuple(found)


@lru_cache(maxsize=_KEPT)
def _of_scripts(path: str, shell: tuple[str, ...]) -> tuple[Path, ...]:
    """The environments of the scripts on PATH that the commands run."""
    words = (word for command in shell for word in _WORD.findall(command))
    programs = (shutil.which(word, path=path) for word in dict.fromkeys((*_RUNNERS, *words)))
    return tuple(each for program in programs if program for each in _script_environment(program))


def _script_environment(program: str) -> Iterator[Path]:
    try:
        with open(program, "rb") as file:  # noqa: PTH123 - the first bytes alone
            head = file.read(_SHEBANG_BYTES)
    except OSError:
        return
    match = _SHEBANG.search(head) if head.startswith(b"#!") else None
    if match is not None:
        yield Path(os.fsdecode(match[1]))


def _sites(prefix: str) -> Iterator[str]:
    """The folders of packages of one installation or virtual environment."""
    for start in _LIBRARIES:
        for library in _names(f"{prefix}/{start}", ("lib",)):
            for python in _names(f"{prefix}/{start}{library}", ("python", "pypy")):
                for site in _SITES:
                    yield from _existing(f"{prefix}/{start}{library}/{python}/{site}")
    yield from _existing(f"{prefix}/site-packages")  # PyPy


def _existing(folder: str) -> Iterator[str]:
    if os.path.isdir(folder):  # noqa: PTH112 - asked for hundreds of names at every evaluation
        yield folder


def _names(folder: str, beginnings: tuple[str, ...]) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if name.startswith(beginnings)]  # noqa: PTH208
    except OSError:
        return []


def _base(environment: str) -> Iterator[str]:
    """The installation whose packages a virtual environment sees as well."""
    try:
        text = Path(environment, "pyvenv.cfg").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    settings = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition("=") for line in text.splitlines())
    }
    if settings.get("include-system-site-packages", "").lower() == "true" and "home" in settings:
        yield str(Path(settings["home"]).parent)
