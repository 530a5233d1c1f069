"""What the machine has of the tools that the repositories need, and where.

Programs are found on the PATH that the tests were started with. TypeScript is a package, which
``make toolchains`` puts into ``build/toolchains``; nothing is downloaded by a test.
"""

import os
import pwd
import shutil
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TYPESCRIPT = ROOT / "build" / "toolchains" / "node_modules" / "typescript"


def missing(tools: Iterable[str]) -> str:
    """The reason to skip, or an empty text."""
    lacking = [tool for tool in tools if not _is_there(tool)]
    reasons = {"typescript": "no typescript package (make toolchains fetches it)"}
    return ", ".join(reasons.get(tool, f"no {tool} on this machine") for tool in lacking)


def search_path(tools: Iterable[str]) -> list[str]:
    """The folders of these programs."""
    found = [shutil.which(tool) for tool in tools]
    return list(dict.fromkeys(str(Path(path).parent) for path in found if path))


def toolchain_variables() -> dict[str, str]:
    """What leads to the user's toolchains when HOME does not; tests have no home."""
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    rustup = os.environ.get("RUSTUP_HOME", str(home / ".rustup"))
    return {"RUSTUP_HOME": rustup} if Path(rustup).is_dir() else {}


def _is_there(tool: str) -> bool:
    if tool == "typescript":
        return (TYPESCRIPT / "bin" / "tsc").exists()
    return shutil.which(tool) is not None
