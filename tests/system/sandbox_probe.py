"""An agent that looks around in its sandbox, writes down what it found, and does its work.

It runs as a script of its own: of loopctl it knows nothing.
"""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path


def attempt(work) -> str:
    """What came of it: ``done``, or the name of the error."""
    try:
        work()
    except OSError as error:
        return type(error).__name__
    return "done"


def git(*argv: str) -> str:
    done = subprocess.run(["git", *argv], capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr.strip()


def commands() -> list[str]:
    folders = [each for each in Path("/proc").iterdir() if each.name.isdigit()]
    lines = [(each / "cmdline").read_text(errors="replace") for each in folders]
    return [each.replace("\0", " ") for each in lines]


def connect(port: int) -> None:
    socket.create_connection(("127.0.0.1", port), timeout=5).close()


def look(wanted: dict) -> dict:
    found = {
        "read": {path: attempt(lambda p=path: Path(p).stat()) for path in wanted["read"]},
        "write": {
            path: attempt(lambda p=path: Path(p).write_text("x")) for path in wanted["write"]
        },
        "list": {
            path: sorted(each.name for each in Path(path).iterdir()) for path in wanted["list"]
        },
        "git file": attempt(lambda: Path(".git").unlink()),
        "git file moved": attempt(lambda: Path(".git").rename("git-file")),
        "commands": commands(),
        "signalled": attempt(lambda: os.kill(wanted["driver"], 0)),
        "network": attempt(lambda: connect(wanted["port"])),
        "names": sorted(os.environ),
        "home": os.environ["HOME"],
        "uid": os.getuid(),
        "capabilities": [
            line for line in Path("/proc/self/status").read_text().splitlines() if "CapEff" in line
        ],
        "status": git("status", "--porcelain"),
        "branch": git("symbolic-ref", "HEAD"),
    }
    Path(os.environ["HOME"], ".mine").write_text("kept in HOME")
    Path("/tmp/mine").write_text("kept in /tmp")
    return found


def main() -> None:
    wanted = json.loads(Path(sys.argv[1]).read_text())
    wanted["driver"] = int(wanted.get("driver") or 1 << 21)
    report = look(wanted)
    Path("answer.txt").write_text("42\n")
    report["commit"] = git("commit", "-qam", "by the agent")
    Path("report.json").write_text(json.dumps(report))


if __name__ == "__main__":
    main()
