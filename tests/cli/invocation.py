"""How the real program is started in tests, and what differs from run to run in its output."""

import re
import sys

PROGRAM = [sys.executable, "-m", "loopctl"]
GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
_FILTERS = (
    (re.compile(r"\b(?:[0-9a-f]{40}|[0-9a-f]{32}|[0-9a-f]{16}|[0-9a-f]{12})\b"), "<id>"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(\+00:00)?"), "<time>"),
    (re.compile(r"(?m)^\d\d:\d\d:\d\d "), "<clock> "),
    (re.compile(r"\d+(\.\d+)? s\b"), "<n> s"),
)


def filtered(text: str, folder: str) -> str:
    """The text without ids, times and the path of ``folder``."""
    text = text.replace(folder, "<tmp>")
    for pattern, name in _FILTERS:
        text = pattern.sub(name, text)
    return text
