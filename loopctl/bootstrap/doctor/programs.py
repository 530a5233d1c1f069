"""The programs that a command would use, found as a checkout would find them.

Invariant: nothing is started; a program is looked for in the base tree, among what a checkout is
supplied with, and on PATH.
"""

import posixpath
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from loopctl.domain.protection import Protection
from loopctl.domain.shell_text import COMPOUND, simple_commands
from loopctl.workspace.command_programs import programs_of

_BUILTINS = frozenset(
    {".", ":", "[", "alias", "bg", "break", "cd", "command", "continue", "echo", "eval", "exec"}
    | {"exit", "export", "false", "fg", "getopts", "hash", "jobs", "kill", "local", "printf"}
    | {"pwd", "read", "readonly", "return", "set", "shift", "source", "test", "times", "trap"}
    | {"true", "type", "ulimit", "umask", "unalias", "unset", "wait"}
)


class Origin(StrEnum):
    """Where a program comes from."""

    PROTECTED = "protected"
    """The base tree has it, and it is put back before every evaluation."""
    OPEN = "open"
    """The base tree has it, and the agent may change it."""
    SHARED = "shared"
    """It is in a folder that checkouts get a copy of."""
    SETUP = "setup"
    """A checkout has it only if the setup command makes it."""
    IGNORED = "ignored"
    """It is in your checkout alone: no checkout has it."""
    PATH = "path"
    """It is on PATH."""
    CHECKOUT_PATH = "checkout-path"
    """It is on PATH, and lies in your checkout."""
    MISSING = "missing"
    """It was not found."""


@dataclass(frozen=True)
class Program:
    """One program of a command.

    Attributes:
        name: as the command names it; a path of the repository from its root.
        origin: where it comes from.
        path: the file that it is; ``""`` when there is none yet.
    """

    name: str
    origin: Origin
    path: str = ""


@dataclass(frozen=True)
class Surroundings:
    """Where programs are looked for.

    Attributes:
        top: root of the user's checkout.
        known: the paths of the base tree.
        protection: what of them is protected.
        share: folders of the user's checkout that are copied to where evaluators run.
        setup: the command that is run there; ``""`` for none.
        path: the folders of PATH.
        cwd: folder in which commands run, relative to the root.
    """

    top: Path
    known: frozenset[str]
    protection: Protection
    share: tuple[str, ...]
    setup: str
    path: str
    cwd: str = ""


def programs_in(command: str, where: Surroundings) -> tuple[Program, ...]:
    """The programs and the scripts of the repository that a command would run."""
    named = (posixpath.normpath(posixpath.join(where.cwd, each)) for each in programs_of(command))
    scripts = [name for name in named if name in where.known]
    found = [_of_repository(name, where) for name in scripts]
    found += [_program(folder, word, where) for folder, word in _words(command)]
    return tuple(dict.fromkeys(found))


def first_program(command: str, where: Surroundings) -> Program | None:
    """The program of the first simple command; None when the shell does it by itself."""
    return next((_program(folder, word, where) for folder, word in _words(command)), None)


def untracked_part(name: str, where: Surroundings) -> str:
    """The folder highest up on the way to a path that holds no file of the base tree."""
    parts = name.split("/")
    for length in range(1, len(parts)):
        folder = "/".join(parts[:length])
        if not any(path.startswith(f"{folder}/") for path in where.known):
            return folder
    return name


def _words(command: str) -> Iterator[tuple[str, str]]:
    """The first word of each simple command, with the folder in which it runs."""
    folder = ""
    for part in simple_commands(command) or ():
        words = part.program
        while words and words[0] in COMPOUND:
            words = words[1:]
        if words[:1] == ("cd",):
            folder = posixpath.join(folder, *words[1:2])
        elif words and words[0] not in _BUILTINS and not words[0].startswith(("$", "`", "-", "(")):
            yield folder, words[0]


def _program(folder: str, word: str, where: Surroundings) -> Program:
    if word.startswith("/"):
        return _absolute(word, where)
    if "/" in word:
        return _of_repository(posixpath.normpath(posixpath.join(where.cwd, folder, word)), where)
    return _on_path(word, where)


def _of_repository(name: str, where: Surroundings) -> Program:
    file = where.top / name
    path = str(file) if file.exists() else ""
    if name in where.known:
        is_protected = where.protection.covers(name)
        return Program(name, Origin.PROTECTED if is_protected else Origin.OPEN, path)
    if any(_is_below(name, shared) for shared in where.share):
        return Program(name, Origin.SHARED if path else Origin.MISSING, path)
    if where.setup:
        return Program(name, Origin.SETUP)
    return Program(name, Origin.IGNORED if path else Origin.MISSING, path)


def _absolute(name: str, where: Surroundings) -> Program:
    if not Path(name).is_file():
        return Program(name, Origin.MISSING)
    return Program(name, Origin.CHECKOUT_PATH if _is_inside(name, where) else Origin.PATH, name)


def _on_path(name: str, where: Surroundings) -> Program:
    path = shutil.which(name, path=where.path)
    if path is None:
        return Program(name, Origin.MISSING)
    if not _is_inside(path, where):
        return Program(name, Origin.PATH, path)
    inside = str(Path(path).relative_to(where.top))
    shared = any(_is_below(inside, each) for each in where.share)
    return Program(name, Origin.SHARED if shared else Origin.CHECKOUT_PATH, path)


def _is_inside(path: str, where: Surroundings) -> bool:
    return Path(path).is_relative_to(where.top)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
