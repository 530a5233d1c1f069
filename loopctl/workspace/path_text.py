"""A path as text: git's names are bytes, what is stored and shown is Unicode."""

import os


def path_text(path: str) -> str:
    """The path with every byte that is not UTF-8 as an escape."""
    return os.fsencode(path).decode(errors="backslashreplace")
