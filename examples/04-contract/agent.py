"""A scripted agent: it makes the first of its repairs that is still needed, and ends."""

import sys
from pathlib import Path

SILENT = '-> int:\n    """Print the greeting."""\n'
HELPFUL = f"""{SILENT}    if len(sys.argv) < 2:
        print("usage: greet.py NAME", file=sys.stderr)
        return 2
"""
REPAIRS = (
    ("{sys.argv[1].title()}", "{sys.argv[1]}"),
    (f"{SILENT}    print", f"{HELPFUL}    print"),
)


def main() -> None:
    """Read the prompt and do one thing."""
    sys.stdin.read()
    path = Path("greet.py")
    text = path.read_text(encoding="utf-8")
    for wrong, right in REPAIRS:
        if wrong in text:
            path.write_text(text.replace(wrong, right), encoding="utf-8")
            print(f"Replaced {wrong!r}")
            return
    print("Found nothing left to do.")


if __name__ == "__main__":
    main()
