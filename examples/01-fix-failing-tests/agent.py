"""A scripted agent: it repairs the first bug that it finds in the working folder, and ends.

It knows nothing of rounds: what it does is decided by the files alone, so it can be asked again at
any time. A real agent is started the same way: the prompt comes on stdin.
"""

import sys
from pathlib import Path
from typing import NamedTuple


class Repair(NamedTuple):
    """One bug: the file, the text that is wrong, the text that is right, and why."""

    file: str
    wrong: str
    right: str
    reason: str


REPAIRS = (
    Repair(
        "pantry/units.py",
        "return amount / GRAMS[unit]",
        "return amount * GRAMS[unit]",
        "to_grams divided by the size of the unit instead of multiplying",
    ),
    Repair(
        "pantry/shopping.py",
        "needed = have - want",
        "needed = want - have",
        "missing subtracted what is wanted from what is there",
    ),
)


def main() -> None:
    """Read the whole prompt, repair one bug, and say what was done."""
    print(f"Read a task of {len(sys.stdin.read().splitlines())} lines.")
    for repair in REPAIRS:
        path = Path(repair.file)
        text = path.read_text(encoding="utf-8")
        if repair.wrong in text:
            path.write_text(text.replace(repair.wrong, repair.right), encoding="utf-8")
            print(f"Edited {repair.file}: {repair.reason}.")
            return
    print("Found nothing left to repair.")


if __name__ == "__main__":
    main()
