"""The programs that a sandbox is made with, found once, before any agent is at work.

Invariant: a place of the system goes before the user's PATH, in which an agent may be able to put
something.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property

_SYSTEM = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/run/current-system/sw/bin"
_BUBBLEWRAP = "bwrap"
_ASKED_S = 10
_VERSION = re.compile(r"(\d+)\.(\d+)")
INSTALL = "sudo apt-get install bubblewrap (its package is called bubblewrap elsewhere too)"


@dataclass(frozen=True)
class Programs:
    """Where they are; what is not found is still named by the place where it would be.

    Attributes:
        bubblewrap: makes the namespaces and the mounts.
        setpriv: gives up root.
        prlimit: sets limits inside.
    """

    bubblewrap: str
    setpriv: str
    prlimit: str

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of those that are not there."""
        paths = (self.bubblewrap, self.setpriv, self.prlimit)
        return tuple(os.path.basename(path) for path in paths if not _runs(path))  # noqa: PTH119

    @cached_property
    def version(self) -> tuple[int, int]:
        """That of bubblewrap; (0, 0) when it does not say."""
        try:
            asked = (self.bubblewrap, "--version")
            answer = subprocess.run(
                asked, capture_output=True, text=True, timeout=_ASKED_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return (0, 0)
        found = _VERSION.search(answer.stdout)
        return (int(found[1]), int(found[2])) if found else (0, 0)


def find_programs(path: str = "") -> Programs:
    """Look for them in the system's folders, then in ``path``, a list as in PATH."""
    return Programs(*(_found(name, path) for name in (_BUBBLEWRAP, "setpriv", "prlimit")))


def is_sandbox(command: str) -> bool:
    """Whether this is the command line of what makes sandboxes."""
    return command.partition(" ")[0].rpartition("/")[2] == _BUBBLEWRAP


def _found(name: str, path: str) -> str:
    found = shutil.which(name, path=_SYSTEM) or shutil.which(name, path=path or os.defpath)
    return os.path.realpath(found) if found else f"/usr/bin/{name}"


def _runs(path: str) -> bool:
    return os.access(path, os.X_OK)
