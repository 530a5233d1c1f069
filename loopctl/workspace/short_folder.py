"""TMPDIR of a checkout: a folder with a short path, where the user's own temporary files are.

A Unix socket has a path of at most 107 bytes, and programs make sockets in folders below TMPDIR:
multiprocessing, databases, agents of keys. Below the state folder such paths would be too long.
Invariant: a link in the checkout's folder names the short folder from before it exists, and
nothing is removed that has another kind of name or place than those made here.
"""

import secrets
import tempfile
from pathlib import Path

from loopctl.workspace.removal import remove_folder

_LINK = "tmp"
_PREFIX = "loopctl-"


def make_short_folder(owner: Path) -> Path:
    """A new folder for us alone, which ``remove_short_folder(owner)`` finds, also after a crash.

    Args:
        owner: the folder of a checkout; the link is made in it.
    """
    folder = Path(tempfile.gettempdir()) / f"{_PREFIX}{secrets.token_hex(4)}"
    (owner / _LINK).symlink_to(folder)
    folder.mkdir(mode=0o700)
    return folder


def remove_short_folder(owner: Path) -> None:
    """Remove what ``make_short_folder(owner)`` has made for a driver that died.

    The link may have been moved by then: see the invariant.
    """
    try:
        folder = (owner / _LINK).readlink()
    except OSError:
        return
    is_ours = folder.parent == Path(tempfile.gettempdir()) and folder.name.startswith(_PREFIX)
    if is_ours and folder.is_dir() and not folder.is_symlink():
        remove_folder(folder)
