"""An ordinary user for tests that root runs, and whether this machine can make a sandbox at all.

Python and the repository may lie below a folder that only root can pass: in a mount namespace of
their own such folders are replaced by passable ones that hold nothing else. Nothing outside of it
changes, and no account is made.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from loopctl.errors import LoopctlError
from loopctl.process.sandbox.sandbox import Sandbox

UID = 12345
LONGEST_S = 100
ROOT = Path(__file__).resolve().parents[1]
IS_ROOT = os.geteuid() == 0


def _hindrance() -> str:
    try:
        Sandbox().check()
    except LoopctlError as error:
        return f"{error}: {error.why}"
    return ""


HINDRANCE = _hindrance()
needs_sandbox = pytest.mark.skipif(bool(HINDRANCE), reason=HINDRANCE or "a sandbox can be made")


def as_ordinary_user(*command: object) -> list[str]:
    """The command that runs ``command`` as somebody who is not root."""
    words = [str(word) for word in command]
    if not IS_ROOT:
        return words
    give_up = f"exec setpriv --reuid {UID} --regid {UID} --clear-groups --inh-caps=-all"
    script = "\n".join(["set -e", *_passable(), f'{give_up} -- "$@"'])
    return ["unshare", "--mount", "sh", "-c", script, "sh", *words]


def _passable() -> list[str]:
    """Shell lines that make Python and the repository reachable for everybody."""
    needed = {Path(sys.base_prefix), Path(sys.prefix), ROOT}
    closed: dict[Path, list[Path]] = {}
    for path in sorted(needed):
        above = [each for each in reversed(path.parents) if not each.stat().st_mode & 0o001]
        if above:
            closed.setdefault(above[0], []).append(path)
    lines = []
    for top, paths in closed.items():
        lines.append("hold=$(mktemp -d)")
        for number, path in enumerate(paths):
            lines.append(f"mkdir $hold/{number} && mount --bind '{path}' $hold/{number}")
        lines.append(f"mount -t tmpfs -o mode=755 tmpfs '{top}'")
        for number, path in enumerate(paths):
            lines.append(f"mkdir -p '{path}' && mount --move $hold/{number} '{path}'")
        lines.append("rmdir $hold/* $hold")
    return lines


def run_tests_as_ordinary_user(file: Path, folder: Path, chosen: str = "") -> None:
    """Run the tests of a file as an ordinary user: all, or those that pytest's ``-k`` chooses."""
    own = Path("/tmp") / f"loopctl-{os.getpid()}-{folder.name[:20]}"
    own.mkdir()
    try:
        os.chown(own, UID, UID)
        done = subprocess.run(
            as_ordinary_user(
                *(sys.executable, "-B", "-m", "pytest", file, "-rs", "-n0"),
                *("--rootdir", ROOT, "--basetemp", own / "tests", "-k", chosen),
            ),
            cwd=ROOT,
            env={**os.environ, "HOME": str(own), "TMPDIR": str(own)},
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
            check=False,
        )
    finally:
        subprocess.run(["rm", "-rf", str(own)], check=True)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
