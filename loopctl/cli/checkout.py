"""Which checkout and which project a folder belongs to, found without starting git.

Invariant: the id is the one that ``workspace.project`` gives to the same checkout. What cannot
be understood belongs to no project; the use cases, which ask git, say why.
"""

import hashlib
import os
from pathlib import Path

_DIGITS = 16


def checkout_top(folder: Path) -> Path | None:
    """The root of the checkout around ``folder``; ``None`` when there is none."""
    for candidate in (folder, *folder.parents):
        if (candidate / ".git").exists():
            return candidate
    return None


def project_of(folder: Path) -> str | None:
    """The id of the project that ``folder`` belongs to."""
    top = checkout_top(folder)
    common = None if top is None else _common_dir(top / ".git")
    if common is None:
        return None
    return hashlib.sha256(os.fsencode(os.path.realpath(common))).hexdigest()[:_DIGITS]


def _common_dir(git: Path) -> Path | None:
    """The git folder that all checkouts of the repository share."""
    try:
        if git.is_file():
            marker, _, place = git.read_text().strip().partition("gitdir: ")
            if marker or not place:
                return None
            git = git.parent / place
        common = git / "commondir"
        return git / common.read_text().strip() if common.exists() else git
    except (OSError, UnicodeDecodeError):
        return None
