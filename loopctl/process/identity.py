"""Who a process is: a pid alone is used again, a pid with its start time is not.

Invariant: a process is alive only if host, boot, pid and start time agree; no other process is
ever signalled in its place.
"""

import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """One process of one boot of one host.

    Attributes:
        host: the host's name.
        boot_id: changes with every boot.
        pid: the process id.
        start_time: when it started; only good for comparing (clock ticks since boot on Linux,
            where wall-clock times move with the clock; microseconds elsewhere).
    """

    host: str
    boot_id: str
    pid: int
    start_time: int

    @classmethod
    def of_current(cls) -> Self:
        """The identity of this process."""
        pid = os.getpid()
        return cls(socket.gethostname(), _boot_id(), pid, _start_time(pid) or 0)

    @property
    def is_local(self) -> bool:
        """Whether it was started on this host since its last boot."""
        return (self.host, self.boot_id) == (socket.gethostname(), _boot_id())


def is_alive(identity: ProcessIdentity) -> bool:
    """Whether this very process runs here; a zombie does not."""
    return identity.is_local and _start_time(identity.pid) == identity.start_time


def signal_process(identity: ProcessIdentity, signum: int) -> bool:
    """Signals this very process, or nobody.

    Returns:
        Whether it was there and could be signalled.
    """
    try:
        if sys.platform != "linux":
            if is_alive(identity):
                os.kill(identity.pid, signum)
                return True
            return False
        descriptor = os.pidfd_open(identity.pid)  # holds on to the process: no race with reuse
        try:
            if not is_alive(identity):
                return False
            signal.pidfd_send_signal(descriptor, signum)
        finally:
            os.close(descriptor)
    except OSError:
        return False
    return True


@cache
def _boot_id() -> str:
    if sys.platform == "linux":
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    command = ["/usr/sbin/sysctl", "-n", "kern.bootsessionuuid"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _start_time(pid: int) -> int | None:
    """When a process started; None when there is none, or only a zombie."""
    if sys.platform == "linux":
        try:
            state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        except OSError:
            return None
        return None if state in "ZX" else int(fields[18])
    import psutil  # noqa: PLC0415 - 8 ms of every `status`, for other systems alone

    try:
        process = psutil.Process(pid)
        dead = process.status() == psutil.STATUS_ZOMBIE
        return None if dead else int(process.create_time() * 1_000_000)
    except psutil.NoSuchProcess:
        return None
