"""Processes that carry a loop's mark in their environment, wherever they are in the tree.

A program that was started for a loop can have itself started again by somebody else, out of the
guard's sight; its variables mostly come along. Invariant: the whole value is compared, so that no
process of another loop is ended. The mark is the loop's id and no secret. A look at all processes
cannot be relied on to see one that forks for ever; the guard and the control group hold such.
Linux only: elsewhere nobody is found.
"""

import os
import sys
import time
from collections.abc import Collection

from loopctl.process.held import end_process, untouchable
from loopctl.process.survivor import Survivor

MARK = "LOOPCTL_MARK"
_PATIENCE_S = 5.0
_PAUSE_S = 0.002
_ENVIRONMENT_BYTES = 4_000_000


def end_marked(value: str, keep: Collection[int] = ()) -> tuple[Survivor, ...]:
    """End every process of this user with this mark; blocks until none is left.

    Args:
        value: what the variable holds.
        keep: pids that stay.

    Returns:
        Those that were found; `ended` is False for those that are alive after five seconds.
    """
    if sys.platform != "linux" or os.environ.get(MARK) == value:
        return ()  # the second: we were started by that very loop, and it is not ours to end
    wanted = b"\0" + os.fsencode(f"{MARK}={value}") + b"\0"
    spared = untouchable(keep)
    found: dict[int, Survivor] = {}
    deadline = time.monotonic() + _PATIENCE_S
    while pids := _with(wanted, spared):
        for pid in pids:
            command = end_process(pid, lambda held: _carries(held, wanted))
            if command is not None:
                found[pid] = Survivor(pid, command)
        if time.monotonic() > deadline:
            return (
                *(each for pid, each in found.items() if pid not in pids),
                *(Survivor(pid, found[pid].command, ended=False) for pid in pids if pid in found),
            )
        time.sleep(_PAUSE_S)
    return tuple(found.values())


def _with(wanted: bytes, spared: Collection[int]) -> list[int]:
    pids = (int(name) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208 - as below
    return [pid for pid in pids if pid not in spared and _carries(pid, wanted)]


def _carries(pid: int, wanted: bytes) -> bool:
    """Whether the process was given the variable; a dead one, or one of others, has none."""
    try:
        descriptor = os.open(f"/proc/{pid}/environ", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        first = os.read(descriptor, _ENVIRONMENT_BYTES)
        while more := os.read(descriptor, _ENVIRONMENT_BYTES):
            first += more
            if len(first) > _ENVIRONMENT_BYTES:
                break
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return wanted in b"\0" + first + b"\0"
