"""The toolchains that exist in a container: what PATH leads to, and what that needs in turn.

Looked at once, as a driver starts. Invariants: a folder that holds anything which must stay hidden
(the user's checkout, loopctl's own files, a home as a whole) is never among them, only what is in
it; and nothing of what the judged tree says about itself adds one.
"""

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.process.sandbox.system import is_of_system
from loopctl.workspace.command_programs import names_of
from loopctl.workspace.interpreters import Commands, site_folders
from loopctl.workspace.redirection import SEARCH_PATHS
from loopctl.workspace.toolchain_roots import outermost
from loopctl.workspace.toolchains import TOOLCHAIN_HOMES

_PROGRAM_FOLDERS = frozenset({"bin", "sbin", ".bin", "shims", "Scripts"})
_INTERPRETERS = ("python", "python3", "pypy3", "node", "ruby", "perl", "java", "go", "cargo")
_SETTING = re.compile(r"home\s*=\s*(/.+)")
_SHEBANG = re.compile(rb"#!\s*(/[^\s]+)")
_SHEBANG_BYTES = 512
_QUOTED = re.compile(r"['\"](/[^'\"\n]+)['\"]")
_NOWHERE = Path("/nonexistent")
_MAVEN = re.compile(r"-Dmaven\.repo\.local=(/\S+)")


@dataclass(frozen=True)
class Hidden:
    """What must not be seen.

    Attributes:
        own: folders of loopctl's; nothing in them is ever a toolchain, an agent works there.
        projects: the user's checkouts and their git folder; a part may be one, such as an
            environment.
        homes: the same of the user's home; what is in it may be one.
    """

    own: tuple[Path, ...]
    projects: tuple[Path, ...] = ()
    homes: tuple[Path, ...] = ()

    def holds(self, folder: Path) -> bool:
        """Whether the folder lies in loopctl's own."""
        return any(folder.is_relative_to(each) for each in self.own)

    def is_of_project(self, path: Path) -> bool:
        """Whether the path lies in a checkout of the user's."""
        return any(path.is_relative_to(each) for each in self.projects)

    def would_show(self, folder: Path) -> bool:
        """Whether something hidden is the folder, or lies in it."""
        hidden = (*self.own, *self.projects, *self.homes)
        return any(each.is_relative_to(folder) for each in hidden)


def visible_toolchains(
    variables: Mapping[str, str],
    shell: Iterable[str],
    environments: Iterable[Path],
    hidden: Hidden,
) -> tuple[str, ...]:
    """The folders and files to mount, the outer ones alone.

    Args:
        variables: those of an evaluator.
        shell: what is run, as shell text.
        environments: folders of the user's of which checkouts have copies.
        hidden: what must not be seen.
    """
    path = variables.get("PATH", "")
    places = [Path(each) for each in path.split(os.pathsep) if each]
    found: dict[Path, None] = {}
    for place in places:
        prefix = prefix_of(place)
        _take(found, place if hidden.would_show(prefix) else prefix, hidden)
    added = _added(variables, Commands(tuple(shell)), environments)
    beside = [each for each in added if not hidden.is_of_project(each)]
    for folder in (*_named(variables), *_behind(places), *_bases(environments), *beside):
        _take(found, folder, hidden)
    for name in (*_INTERPRETERS, *(name for text in shell for name in names_of(text))):
        for program in filter(None, [shutil.which(name, path=path)]):
            for each in _needed(Path(program)):
                _take(found, each, hidden)
    return tuple(map(str, outermost(found)))


def _take(found: dict[Path, None], folder: Path, hidden: Hidden) -> None:
    """A folder as it is named, and as it is without links, unless it would show too much."""
    names = dict.fromkeys((folder, Path(os.path.realpath(folder))))
    if any(hidden.holds(each) or hidden.would_show(each) for each in names):
        return
    for each in names:
        is_there = is_of_system(each) and not hidden.is_of_project(each)
        if each.is_absolute() and each.exists() and not is_there:
            found[each] = None


def prefix_of(folder: Path) -> Path:
    """The installation whose programs are in a folder."""
    return folder.parent if folder.name in _PROGRAM_FOLDERS else folder


def _named(variables: Mapping[str, str]) -> Iterator[Path]:
    """What variables lead tools to."""
    for name in TOOLCHAIN_HOMES:
        if variables.get(name):
            yield Path(variables[name])
    for name in SEARCH_PATHS:
        yield from (Path(each) for each in variables.get(name, "").split(os.pathsep) if each)
    yield from (Path(each) for each in _MAVEN.findall(variables.get("MAVEN_OPTS", "")))


def _behind(places: Iterable[Path]) -> Iterator[Path]:
    """The installations that environments on PATH were made from."""
    yield from _bases(prefix_of(place) for place in places)


def _bases(environments: Iterable[Path]) -> Iterator[Path]:
    """What a virtual environment says it was made from, and what its interpreter really is."""
    for environment in environments:
        for line in _lines(environment / "pyvenv.cfg"):
            setting = _SETTING.fullmatch(line)
            if setting is not None:
                yield prefix_of(Path(setting[1]))
        python = environment / "bin" / "python"
        needed = _needed(python) if python.exists() else ()
        yield from (each for each in needed if not each.is_relative_to(environment))


def _added(
    variables: Mapping[str, str], commands: Commands, environments: Iterable[Path]
) -> Iterator[Path]:
    """Further folders that installed packages are in, such as those of a sibling project."""
    sites = [*site_folders(variables, commands, _NOWHERE)]
    sites += [site for each in environments for site in each.glob("lib/python*/*-packages")]
    for site in sites:
        yield from (Path(os.path.realpath(each)) for each in site.glob("*") if each.is_symlink())
        for file in site.glob("*.pth"):
            lines = _lines(file)
            yield from (site / line for line in lines if not line.startswith(("#", "import")))
        for pattern in ("__editable__*.py", "_editable_impl_*.py"):
            for file in site.glob(pattern):
                yield from (Path(each) for each in _QUOTED.findall("\n".join(_lines(file))))


def _lines(file: Path) -> list[str]:
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [line.strip() for line in text.splitlines() if line.strip()]


def _needed(program: Path) -> Iterator[Path]:
    """Where a program really is, step by step, and where the interpreter of a script is."""
    seen: set[Path] = set()
    pending = [program]
    for each in pending:  # grows while it is walked
        if each in seen:
            continue
        seen.add(each)
        real = Path(os.path.realpath(each))
        if real != each:
            yield from (prefix_of(step.parent) for step in _steps(each))
        interpreter = _interpreter(real)
        if interpreter is not None:
            yield prefix_of(interpreter.parent)
            pending.append(interpreter)


def _steps(link: Path) -> Iterator[Path]:
    """The files that a chain of links goes through, the last one included."""
    for _ in range(40):
        if not link.is_symlink():
            return
        link = Path(os.path.normpath(link.parent / link.readlink()))
        yield link
        yield Path(os.path.realpath(link.parent), link.name)


def _interpreter(script: Path) -> Path | None:
    try:
        with script.open("rb") as file:
            match = _SHEBANG.match(file.read(_SHEBANG_BYTES))
    except OSError:
        return None
    return Path(os.fsdecode(match[1])) if match else None
