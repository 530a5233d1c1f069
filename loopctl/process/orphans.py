"""The second level: what a dead guard left behind is adopted and ended by the driver itself.

The driver is a subreaper too. A program that the guard started lives in a session of its own,
which is how it is told from the driver's helpers: they share the driver's session.

Invariant: only the adopted processes are signalled and reaped, by pid; never `waitpid(-1)`,
which would steal the exit codes of asyncio's and subprocess's children.
"""

import os
import signal
import sys
import time
from collections.abc import Collection
from itertools import chain

from loopctl.process.guard import (
    become_subreaper,
    children_of,
    command_of,
    process_table,
    signal_group_of,
    trees_of,
)
from loopctl.process.survivor import Survivor

__all__ = ["become_subreaper", "rescue_orphans"]

_PATIENCE_S = 5.0
_PAUSE_S = 0.002


def rescue_orphans(keep: Collection[int] = (), session: int | None = None) -> tuple[Survivor, ...]:
    """Ends every process that a dead guard left behind; blocks until all are reaped.

    Args:
        keep: pids of the driver's children that stay, with all of their descendants.
        session: the session of the last program, the only trace of it without a subreaper.

    Returns:
        The processes that were found; `ended` is False for those alive after five seconds.
    """
    found: dict[int, str] = {}
    deadline = time.monotonic() + _PATIENCE_S
    while (orphans := _orphans(keep, session)) and time.monotonic() < deadline:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in orphans:
                found.setdefault(pid, command_of(pid))
                signal_group_of(pid, number)
        for pid in orphans:
            _reap(pid)
        time.sleep(_PAUSE_S)
    return tuple(Survivor(pid, command, pid not in orphans) for pid, command in found.items())


def _orphans(keep: Collection[int], session: int | None) -> list[int]:
    """The pids of adopted processes and their descendants, parents first."""
    ours = (os.getsid(0), None)
    adopted = [pid for pid in children_of(os.getpid()) if pid not in keep]
    pids = trees_of([pid for pid in adopted if _session_of(pid) not in ours])
    if sys.platform != "linux" and session is not None:
        everyone = chain.from_iterable(process_table().values())
        pids += [pid for pid in everyone if _session_of(pid) == session]
    return pids


def _session_of(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def _reap(pid: int) -> None:
    """Collects one dead child; a deeper descendant is not ours to collect."""
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return
