"""Ending one process that is no child of ours, and no other one in its place.

Invariant: the process is held on to (a pidfd) before it is looked at for the last time, so that a
pid that is used again is never signalled. This process, and those that it descends from, never are.
"""

import os
import signal
from collections.abc import Callable, Collection

from loopctl.process.guard import command_of, read_proc


def end_process(pid: int, is_meant: Callable[[int], bool]) -> str | None:
    """End the process if it is the one that is meant.

    Args:
        pid: its process id.
        is_meant: is asked while the process is held.

    Returns:
        Its command line; ``None`` when it was gone, is not meant, or cannot be ended by us.
    """
    try:
        descriptor = os.pidfd_open(pid)
    except OSError:
        return None
    try:
        command = command_of(pid)
        if not is_meant(pid):
            return None
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return command


def untouchable(keep: Collection[int] = ()) -> set[int]:
    """This process, all that it descends from, and ``keep``."""
    found = {0, *keep}
    pid = os.getpid()
    while pid not in found:
        found.add(pid)
        fields = read_proc(f"{pid}/stat").rpartition(") ")[2].split()
        pid = int(fields[1]) if len(fields) > 1 else 0
    return found


def is_zombie(pid: int) -> bool:
    """Whether it is dead, or gone."""
    return read_proc(f"{pid}/stat").rpartition(") ")[2][:1] in ("", "Z", "X")
