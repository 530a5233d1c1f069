"""Searches the files of a folder, as a program of its own: `python -I -S scan.py < ORDER`.

It stands in for ripgrep where that is not installed, and prints the same: for each line that
matches its path, a NUL, its number, a colon and the line; at the end how many lines matched. A
program, because a pattern can keep Python's search busy for ever, and a program can be ended.

The order is a JSON object: `pattern`, `literal`, `ignore_case`, `path` (below the current
folder), `glob` (a regular expression over paths, or ""), `skip` (lower-case names of files and
folders). Exit status 0: searched; 1: something could not be read; 2: the pattern cannot be read.

Invariant: links are not followed, only plain files are read, one line at a time.
"""

import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator

LONGEST_LINE = 1024 * 1024
SHOWN_CHARACTERS = 2000
Matches = Callable[[str], "re.Match[str] | None"]


def main() -> int:
    """Carry out the order; return the exit status."""
    order = json.load(sys.stdin)
    pattern = re.escape(order["pattern"]) if order["literal"] else order["pattern"]
    try:
        matches = re.compile(pattern, re.IGNORECASE if order["ignore_case"] else 0).search
    except (re.error, RecursionError, OverflowError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    wanted = re.compile(order["glob"] or ".*", re.DOTALL | re.IGNORECASE).fullmatch
    found, unread = 0, 0
    for path in files_below(order["path"], frozenset(order["skip"])):
        try:
            found += search(path, matches) if path and wanted(path) else 0
        except OSError:
            unread += 1
        unread += not path
    sys.stdout.buffer.write(b"\n%d matched lines\n" % found)
    if unread:
        sys.stderr.write(f"{unread} files or folders could not be read\n")
    return 1 if unread else 0


def files_below(start: str, skip: frozenset[str]) -> Iterator[str]:
    """Plain files in the order of their paths' parts; "" for what cannot be looked at."""
    left = [start]
    while left:
        path = left.pop()
        try:
            mode = os.lstat(path).st_mode
            if stat.S_ISREG(mode):
                yield path.removeprefix("./")
            elif stat.S_ISDIR(mode):
                names = sorted(os.listdir(path), reverse=True)
                left += [f"{path}/{name}" for name in names if name.lower() not in skip]
        except OSError:
            yield ""


def search(path: str, matches: Matches) -> int:
    """Print the lines of a file that match; return how many they are."""
    found = 0
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        number = 1
        while line := file.readline(LONGEST_LINE):
            text = line.decode(errors="replace").rstrip("\r\n")
            if matches(text):
                found += 1
                shown = text[:SHOWN_CHARACTERS].encode()
                sys.stdout.buffer.write(os.fsencode(path) + b"\0%d:%s\n" % (number, shown))
            number += line.endswith(b"\n")
    return found


if __name__ == "__main__":
    sys.exit(main())
