"""Output of a command as lines of evidence: the end of it, bounded."""

import re

MAX_LINES = 60
MAX_CHARACTERS = 4000
MAX_LINE_CHARACTERS = 300

_SHELL_PREFIX = re.compile(r"/bin/sh: (?:(?:line )?\d+: )?")


def output_tail(tail: str, *, truncated: bool) -> tuple[str, ...]:
    """The last lines of an output, and a first line that says so when they are not all of it.

    Args:
        tail: the end of the output, plain text.
        truncated: whether there was more before it.
    """
    text = tail.rstrip()
    if not text:
        return ("no output",)
    shown = text[-MAX_CHARACTERS:].split("\n")[-MAX_LINES:]
    if truncated or len("\n".join(shown)) < len(text):
        return ("the end of the output (all of it is in the log):", *shown)
    return ("the output:", *shown)


def last_line(tail: str) -> str:
    """The last line that says something, without the shell's own name."""
    last = tail.rstrip().rpartition("\n")[2]
    return one_line(_SHELL_PREFIX.sub("", last)) or "no output"


def one_line(text: str) -> str:
    """The text on one line of bounded length."""
    line = " ".join(text.split())
    if len(line) <= MAX_LINE_CHARACTERS:
        return line
    return line[: MAX_LINE_CHARACTERS - 3] + "..."
