"""A process that was still alive when its job had ended.

Invariant: it is named as it was before it was ended, so that a report can say what it did.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Survivor:
    """One leftover process.

    Attributes:
        pid: its process id, which may be in use by another process by now.
        command: its command line, one line, cut at 200 characters.
        ended: False when even SIGKILL did not end it (another user's, or stuck in the kernel).
    """

    pid: int
    command: str
    ended: bool = True
