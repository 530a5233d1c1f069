"""The programs that search: ripgrep, or the one that stands in for it, with the same meaning.

Invariant: both look at every plain file below the path, hidden, ignored and binary ones too, but
for ``.git`` and the names to skip; neither follows a link or reads a configuration.
"""

import json
import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from loopctl.domain.globs import as_regex
from loopctl.process.spec import ProcessSpec
from loopctl.tools.files.folder import Folder
from loopctl.tools.files.listing import anchored

SCAN = Path(__file__).with_name("scan.py")
COLUMNS = 400
_RIPGREP = (
    *("--no-config", "--null", "--line-number", "--no-heading", "--with-filename"),
    *("--color=never", f"--max-columns={COLUMNS}", "--max-columns-preview"),
    *("--sort=path", "--stats", "--hidden", "--no-ignore", "--text", "--encoding=none", "--crlf"),
)


@dataclass(frozen=True)
class Query:
    """What to look for, and where.

    Attributes:
        pattern: a regular expression for one line, in what ripgrep and Python have in common.
        path: a file or folder.
        glob: which files, over paths below ``path``; without a slash, over names at any depth.
        literal: the pattern is plain text.
        ignore_case: letters are compared without regard to case.
    """

    pattern: str
    path: str = "."
    glob: str = ""
    literal: bool = False
    ignore_case: bool = False


def ripgrep() -> str | None:
    """The program ``rg``, where it is installed."""
    found = shutil.which("rg")
    return found if found is not None and Path(found).is_absolute() else None


def search_spec(
    folder: Folder, query: Query, skip: frozenset[str], program: str | None, log: Path
) -> ProcessSpec:
    """The program to run; its output goes to ``log``.

    Raises:
        FileToolError: the path leads out of the folder.
    """
    parts = folder.resolve(query.path)
    skip = (skip - set(parts)) | {".git"}
    globs = [_glob(query, parts)] if query.glob else []
    path = "/".join((".", *parts))
    argv: tuple[str, ...] = (sys.executable, "-I", "-S", str(SCAN))
    stdin = None
    if program is None:
        order = {
            "pattern": query.pattern,
            "literal": query.literal,
            "ignore_case": query.ignore_case,
            "path": path,
            "glob": as_regex(globs[0]) if globs else "",
            "skip": sorted(skip),
        }
        stdin = json.dumps(order).encode()
    else:
        literal = ("--fixed-strings",) if query.literal else ()
        case = ("--ignore-case",) if query.ignore_case else ()
        names = [f"--iglob=/{_escaped(glob)}" for glob in globs]
        names += [f"--iglob=!**/{name}" for name in sorted(skip)]
        argv = (
            program,
            *_RIPGREP,
            *literal,
            *case,
            *names,
            f"--regexp={query.pattern}",
            "--",
            path,
        )
    return ProcessSpec(
        argv=argv,
        cwd=folder.root,
        env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
        stdin=stdin,
        log=log,
        merge_stderr=False,
    )


def _glob(query: Query, parts: tuple[str, ...]) -> str:
    return "/".join((*parts, anchored(query.glob)))


def _escaped(glob: str) -> str:
    """Signs that mean something to ripgrep alone, as themselves."""
    return re.sub(r"([\[\]{}\\])", r"\\\1", f"{glob}**" if glob.endswith("/") else glob)
