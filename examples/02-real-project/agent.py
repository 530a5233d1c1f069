"""A scripted agent: it repairs the first broken function that it finds in the working folder.

Usage: agent.py PROJECT. It decides by the text of the modules alone and knows nothing of rounds.
"""

import sys
from pathlib import Path

from project import load, replace_once


def main() -> None:
    """Read the whole prompt, repair one function, and say what was done."""
    print(f"Read a task of {len(sys.stdin.read().splitlines())} lines.")
    for item in load(sys.argv[1]).breaks:
        path = Path(item.file)
        if item.broken in path.read_text(encoding="utf-8"):
            replace_once(path, item.broken, item.whole)
            print(f"Repaired {item.function} in {item.file}.")
            return
    print("Found nothing left to repair.")


if __name__ == "__main__":
    main()
