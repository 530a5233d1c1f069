"""Toolchains of the user outside of the system's folders: what of the disk a sandbox needs.

A program in a folder of PATH seldom stands alone: a virtual environment has its libraries beside
``bin`` and its interpreter elsewhere, a link leads to where a package manager has put the thing.
Invariant: a root is never HOME, one of its folders with more than programs, or a folder above
something that is to stay hidden.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.process.sandbox.system import is_of_system
from loopctl.workspace.toolchains import toolchain_homes

_BINARIES = frozenset({"bin", "sbin", ".bin", "shims"})
_SHARED_PREFIXES = (".local", ".cargo", "go", "bin", ".config", ".cache", "Library")
_DEPENDENCIES = "node_modules"
_ENVIRONMENT = "pyvenv.cfg"
_BASE = re.compile(r"^home\s*=\s*(.+?)\s*$", re.MULTILINE)
_WRITTEN_TO = frozenset({"CARGO_HOME", "GOMODCACHE", "MAVEN_OPTS"})
_MOST_LINKS = 2000
_DEEPEST_SCRIPT = 2  # scripts whose interpreter is a script
_LONGEST_FIRST_LINE = 512


@dataclass(frozen=True)
class ToolchainRoots:
    """Finds the roots of toolchains.

    Attributes:
        environment: the variables of the programs; PATH is theirs.
        hidden: folders that no root may hold, such as loopctl's own.
        checkout: the user's; only environments and installed packages are taken from it.
        visible: folders that are there anyway.
    """

    environment: Mapping[str, str]
    hidden: tuple[Path, ...]
    checkout: Path
    visible: tuple[Path, ...] = ()

    def of_path(self) -> tuple[Path, ...]:
        """Everything that the programs of PATH, and the toolchains of variables, consist of."""
        found: dict[Path, None] = {}
        for entry in self.environment.get("PATH", "").split(os.pathsep):
            folder = Path(os.path.normpath(entry)) if entry.startswith("/") else None
            if folder is not None and folder.is_dir() and not self._is_there(folder):
                found |= dict.fromkeys(self._of_folder(folder))
        homes = toolchain_homes(self.environment)
        for name in homes.keys() - _WRITTEN_TO:
            found |= dict.fromkeys(self._acceptable(Path(homes[name])))
        return tuple(sorted(found))

    def of_programs(self, programs: Iterable[str]) -> tuple[Path, ...]:
        """What these programs need, given by their paths, each with its interpreter."""
        found: dict[Path, None] = {}
        for program in programs:
            if program.startswith("/") and Path(program).is_file():
                found |= dict.fromkeys(self._of_program(Path(program)))
        return tuple(sorted(found))

    def _of_folder(self, folder: Path) -> Iterator[Path]:
        root = self._root_of(folder / "program")
        if root is None:
            if self._is_in_checkout(folder):
                return
            yield from self._acceptable(folder)
        else:
            yield root
            yield from self._base_of(root)
        for number, each in enumerate(sorted(folder.iterdir())):
            if number < _MOST_LINKS and each.is_symlink() and each.is_file():
                yield from self._of_target(each)

    def _of_program(self, program: Path, depth: int = 0) -> Iterator[Path]:
        if not self._is_there(program):
            yield program
            root = self._root_of(program)
            if root is not None:
                yield root
                yield from self._base_of(root)
        yield from self._of_target(program)
        interpreter = _interpreter(program)
        if interpreter is not None and interpreter.is_file() and depth < _DEEPEST_SCRIPT:
            yield from self._of_program(interpreter, depth + 1)

    def _of_target(self, link: Path) -> Iterator[Path]:
        """What a link leads to, where that is not seen yet."""
        real = Path(os.path.realpath(link))
        if real == link or self._is_there(real):
            return
        root = self._root_of(real)
        if root is None:
            yield real
        else:
            yield root
            yield from self._base_of(root)

    def _root_of(self, program: Path) -> Path | None:
        """The folder that a program needs, with everything in it; None when it stands alone."""
        for folder in program.parents:
            if (folder / _ENVIRONMENT).is_file():
                return next(self._acceptable(folder), None)
            if folder.name == _DEPENDENCIES:
                return next(self._acceptable(folder), None)
        if program.parent.name in _BINARIES and not self._is_in_checkout(program):
            return next(self._acceptable(program.parent.parent), None)
        return None

    def _base_of(self, root: Path) -> Iterator[Path]:
        """The interpreter that a virtual environment was made with."""
        try:
            named = _BASE.search((root / _ENVIRONMENT).read_text(errors="replace"))
        except OSError:
            return
        if named is not None:
            base = Path(os.path.realpath(named[1])).parent
            if not self._is_there(base):
                yield from self._acceptable(base)

    def _acceptable(self, folder: Path) -> Iterator[Path]:
        home = Path(self.environment.get("HOME") or "/nonexistent")
        too_much = {home / name for name in _SHARED_PREFIXES if name != "bin"} | {home}
        above = {up for each in (home, *self.hidden) for up in (each, *each.parents)}
        real = Path(os.path.realpath(folder))
        if folder.is_dir() and not {folder, real} & (too_much | above):
            yield folder

    def _is_in_checkout(self, path: Path) -> bool:
        return path.is_relative_to(self.checkout)

    def _is_there(self, path: Path) -> bool:
        is_shown = is_of_system(path) and not self._is_in_checkout(path)
        return is_shown or any(path.is_relative_to(each) for each in self.visible)


def outermost(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The paths without those that are in another one of them: nothing can be made in there."""
    found: list[Path] = []
    for path in sorted(dict.fromkeys(paths), key=lambda each: len(each.parts)):
        if not any(path.is_relative_to(each) for each in found):
            found.append(path)
    return tuple(found)


def _interpreter(program: Path) -> Path | None:
    """What the first line of a script names."""
    try:
        with program.open("rb") as file:
            first = file.readline(_LONGEST_FIRST_LINE)
    except OSError:
        return None
    words = first[2:].split() if first.startswith(b"#!") else []
    return Path(os.fsdecode(words[0])) if words else None
