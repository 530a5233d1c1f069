"""The tools of a loop's commands, found at start: programs on PATH, scripts outside the repository.

Too much may be found (a word of a command that is a program by chance), which costs nothing but a
look at a file. Invariant: nothing is run. What lies in the repository is not meant: the tree that
is judged has it, protected.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from loopctl.domain.tool import ResolvedTool
from loopctl.workspace.command_programs import programs_of, sourced_by, words_of

_WORD = re.compile(r"[A-Za-z0-9_][\w.+-]*|\[")
_SHEBANG = re.compile(rb"#! *(/\S+)(?: +(?:-S +)?(\S+))?")
_NAME = re.compile(r"[\w.+-]*(?:/[\w.+-]+)+|[\w.+-]+")
_VARIABLE = re.compile(r"\$\{?\w+\}?/")
_ENV = "env"
_MOST_TOOLS = 100
_LARGEST_SCRIPT = 200_000  # bytes


def named_words(texts: Iterable[str]) -> tuple[str, ...]:
    """Every word of these shell texts that could be the name of a program on PATH."""
    found: dict[str, None] = {}
    for text in texts:
        for word in words_of(text):
            if " " in word:  # what `sh -c` is given
                found.update(dict.fromkeys(_WORD.findall(word)))
            elif _WORD.fullmatch(word):
                found[word] = None
    return tuple(found)


def resolve_tools(
    commands: Iterable[str], scripts: Iterable[str], path: str
) -> tuple[ResolvedTool, ...]:
    """The tools as they are now.

    Args:
        commands: shell texts of evaluators, setup and teardown.
        scripts: the texts of files of the base commit that they run.
        path: the PATH of evaluators.
    """
    commands = tuple(commands)
    waiting = [name for each in commands for name in programs_of(each) if name.startswith("/")]
    waiting += named_words((*commands, *scripts))
    found: dict[str, ResolvedTool] = {}
    for name in waiting:  # grows while it is walked
        if name in found or len(found) >= _MOST_TOOLS:
            continue
        tool = _resolved(name, path)
        if tool is not None:
            found[name] = tool
            waiting += _leads_to(tool, path)
    return tuple(found.values())


def find_tool(name: str, path: str) -> str | None:
    """Where a tool is now; None when there is no such program."""
    if not name.startswith("/"):
        return shutil.which(name, path=path)
    return name if Path(name).is_file() else None


def digest_of(file: str) -> str:
    """SHA-256 of a regular file, hexadecimal.

    Raises:
        OSError: it cannot be read.
    """
    with Path(file).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _resolved(name: str, path: str) -> ResolvedTool | None:
    found = find_tool(name, path)
    if found is None:
        return None
    real = os.path.realpath(found)
    try:
        seen = Path(real).stat()
        digest = digest_of(real)
    except OSError:  # a program that may be run but not read
        return None
    return ResolvedTool(
        name=name,
        path=found,
        real=real,
        digest=digest,
        size=seen.st_size,
        written_ns=seen.st_mtime_ns,
    )


def _leads_to(tool: ResolvedTool, path: str) -> Iterator[str]:
    """The interpreter of a script, and what an outside script is made of."""
    if tool.size > _LARGEST_SCRIPT:
        return
    content = Path(tool.real).read_bytes()
    shebang = _SHEBANG.match(content)
    if shebang is None and not tool.name.startswith("/"):
        return
    if shebang is not None:
        interpreter, argument = os.fsdecode(shebang[1]), os.fsdecode(shebang[2] or b"")
        yield interpreter
        if interpreter.endswith(f"/{_ENV}") and argument:
            yield argument
    text = os.fsdecode(content)
    if "\0" not in text:
        folder = os.path.dirname(tool.real)  # noqa: PTH120 - text in, text out
        yield from (each for each in sourced_by(text, folder) if each.startswith("/"))
        if tool.name.startswith("/") and folder not in path.split(os.pathsep):
            yield from _neighbours(text, Path(folder))


def _neighbours(text: str, folder: Path) -> Iterator[str]:
    """The files that an outside script names: below its own folder, and programs elsewhere."""
    for name in dict.fromkeys(_NAME.findall(_VARIABLE.sub("/", text))):
        # `$HERE/lib.py` leaves `/lib.py`; `import lib` leaves `lib`.
        beside = (folder / name.lstrip("/"), folder / f"{name}.py", folder / name / "__init__.py")
        elsewhere = [Path(name)] if name.startswith("/") and os.access(name, os.X_OK) else []
        yield from (str(each) for each in (*beside, *elsewhere) if _is_file(each))


def _is_file(path: Path) -> bool:
    try:
        return ".." not in path.parts and path.is_file()
    except OSError:  # a name that is too long
        return False
