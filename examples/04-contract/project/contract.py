"""What was agreed on: greets somebody, leaves a name alone, says how it is used.

Each criterion is judged from outside of the program, by its output alone.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

# Taken out of the environment, so that the program that is judged does not inherit them.
REPORT = os.environ.pop("LOOPCTL_REPORT")
NONCE = os.environ.pop("LOOPCTL_REPORT_NONCE")


def greet(*arguments: str) -> str:
    """What the program does with these arguments, in one line."""
    command = [sys.executable, "greet.py", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    last = (done.stdout + done.stderr).strip().rpartition("\n")[2]
    return f"exit {done.returncode}: {last}"


def criterion(name: str, seen: str, wanted: str) -> dict[str, object]:
    """One entry of the report, with what was seen as its evidence."""
    verdict = "PASS" if seen == wanted else "FAIL"
    return {"name": name, "verdict": verdict, "evidence": [f"saw {seen!r}, wanted {wanted!r}"]}


def main() -> None:
    """Judge all criteria, always all of them, and write the report."""
    criteria = [
        criterion("greeting", greet("Ada"), "exit 0: Hello, Ada!"),
        criterion("names", greet("bell hooks"), "exit 0: Hello, bell hooks!"),
        criterion("usage", greet(), "exit 2: usage: greet.py NAME"),
    ]
    report = {"version": 1, "nonce": NONCE, "criteria": criteria}
    Path(REPORT).write_text(json.dumps(report), encoding="utf-8")
    for entry in criteria:
        print(entry["verdict"], entry["name"])


if __name__ == "__main__":
    main()
