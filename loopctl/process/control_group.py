"""A control group for one loop: what was put in stays in, with everything that it starts.

It holds also what clears its environment, and when driver and guard were killed together: the
next driver finds the group by its name, which has the loop's id in it. Invariant: where a group
cannot be made nothing is lost but this net; only processes in the group are ever ended by it.
"""

import contextlib
import os
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from loopctl.process.held import end_process, is_zombie, untouchable
from loopctl.process.survivor import Survivor

_PREFIX = "loopctl-"
_PROCESSES = "cgroup.procs"
_PATIENCE_S = 5.0
_PAUSE_S = 0.002


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """The group of one loop.

    Attributes:
        folder: where the kernel shows it.
    """

    folder: Path

    @classmethod
    def make(cls, loop_id: str) -> Self | None:
        """Make the group below the one that this process is in; ``None`` where that cannot be.

        Empty groups that other loops have left behind there go.
        """
        for parent in _own_groups():
            with contextlib.suppress(OSError):
                for left in parent.glob(f"{_PREFIX}*"):
                    with contextlib.suppress(OSError):  # it is in use
                        left.rmdir()
                group = cls(parent / f"{_PREFIX}{loop_id}")
                group.folder.mkdir(mode=0o755, exist_ok=True)
                if os.access(group.folder / _PROCESSES, os.W_OK):
                    return group
        return None

    @classmethod
    def left(cls, folder: str, loop_id: str) -> Self | None:
        """The group that a dead driver of this loop has noted; a note with another name is none."""
        path = Path(folder)
        is_its_own = path.name == f"{_PREFIX}{loop_id}" and path.is_absolute()
        return cls(path) if is_its_own and (path / _PROCESSES).is_file() else None

    def enter(self, pid: int) -> bool:
        """Put a process in; return whether that worked."""
        return _move(pid, self.folder)

    def end(self, keep: Collection[int] = ()) -> tuple[Survivor, ...]:
        """End every process in the group; blocks until none is left.

        Args:
            keep: pids that stay.

        Returns:
            Those that were found; `ended` is False for those that are alive after five seconds.
        """
        with self._held():
            return self._end(untouchable(keep))

    def _end(self, spared: Collection[int]) -> tuple[Survivor, ...]:
        found: dict[int, Survivor] = {}
        deadline = time.monotonic() + _PATIENCE_S
        while pids := [pid for pid in self._members() if pid not in spared]:
            for pid in pids:
                command = end_process(pid, lambda held: held in self._members())
                if command is not None:
                    found.setdefault(pid, Survivor(pid, command))
            if time.monotonic() > deadline:
                return (
                    *(each for pid, each in found.items() if pid not in pids),
                    *(
                        Survivor(pid, found[pid].command, ended=False)
                        for pid in pids
                        if pid in found
                    ),
                )
            time.sleep(_PAUSE_S)
        return tuple(found.values())

    def remove(self, out: Collection[int] = ()) -> None:
        """Remove the group; the processes ``out`` go back to the group above it."""
        for pid in out:
            _move(pid, self.folder.parent)
        for folder in reversed(list(self._folders())):
            with contextlib.suppress(OSError):
                folder.rmdir()

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Let nothing in the group start anything meanwhile: one that forks for ever would win."""
        for name, held, free in (("cgroup.freeze", "1", "0"), ("pids.max", "0", "max")):
            file = self.folder / name
            if file.exists():
                with contextlib.suppress(OSError):
                    file.write_text(held)
                try:
                    yield
                finally:
                    with contextlib.suppress(OSError):
                        file.write_text(free)
                return
        yield

    def _members(self) -> list[int]:
        """The pids in the group and in those below it."""
        found: list[int] = []
        for folder in self._folders():
            with contextlib.suppress(OSError, ValueError):
                found += map(int, (folder / _PROCESSES).read_text().split())
        return [pid for pid in found if not is_zombie(pid)]

    def _folders(self) -> Iterator[Path]:
        for parent, _, _ in os.walk(self.folder):
            yield Path(parent)


def _move(pid: int, folder: Path) -> bool:
    try:
        (folder / _PROCESSES).write_text(str(pid))
    except OSError:
        return False
    return True


def _own_groups() -> Iterator[Path]:
    """Where this process is: in version 2, and with the controller ``pids`` in version 1."""
    if sys.platform != "linux":
        return
    try:
        rows = Path("/proc/self/cgroup").read_text().splitlines()
        mounts = [row.split() for row in Path("/proc/self/mountinfo").read_text().splitlines()]
    except OSError:
        return
    inside = {row.split(":", 2)[1]: row.split(":", 2)[2] for row in rows}
    for controller, kind in (("", "cgroup2"), ("pids", "cgroup")):
        for fields in mounts:
            dash = fields.index("-")
            options = fields[dash + 3].split(",") if len(fields) > dash + 3 else []
            if fields[dash + 1] == kind and (not controller or controller in options):
                path = inside.get(controller)
                if path is not None and ".." not in path:
                    yield Path(fields[4]) / path.removeprefix(fields[3]).lstrip("/")
