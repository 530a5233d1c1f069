"""The end of everything that was started for agents and evaluators, as the driver asks for it.

Three nets, one behind the other: the guard ends and proves the end of all of its descendants; what
carries the loop's mark is found anywhere on this machine; what is in its control group cannot hide.
Invariant: a process is named by the first net that finds it.
"""

import asyncio
import contextlib
from pathlib import Path

from loopctl.domain.agent_session import Survivor
from loopctl.process.control_group import ControlGroup
from loopctl.process.guard_client import Guard
from loopctl.process.job import GuardDied
from loopctl.process.marked import end_marked
from loopctl.process.survivor import Survivor as Left

BY_MARK = "by its variables"
IN_GROUP = "in the control group"
BEFORE = "left by a driver that died"


class Leftovers:
    """Implements ``ports.Processes`` over one guard.

    Args:
        guard: what starts every program of the loop.
        mark: the value that its programs carry; ``""`` looks for none.
        note: where the control group is noted for the next driver; None makes no group.
    """

    def __init__(self, guard: Guard, mark: str = "", note: Path | None = None) -> None:
        self._guard = guard
        self._mark = mark
        self._note = note
        self._group: ControlGroup | None = None
        self._before: tuple[Survivor, ...] = ()

    async def begin(self) -> None:
        """End what a dead driver of the loop has left, and put the guard into a control group."""
        self._before = await asyncio.to_thread(self._end_earlier)
        if self._group is not None:
            self._guard.join(self._group.enter)

    async def end_all(self) -> tuple[Survivor, ...]:
        """End whatever is still alive; a dead guard is replaced first.

        What was found at the beginning is named the first time.

        Raises:
            GuardDied: the guard was killed and no new one could be started.
        """
        before, self._before = self._before, ()
        try:
            found = await self._guard.end()
        except GuardDied:
            found = await self._guard.rescue()
        escaped = await asyncio.to_thread(self._end_escaped)
        return (*before, *(_named(left, "") for left in found), *escaped)

    async def close(self) -> None:
        """End what is still alive, and remove the control group; the guard lives on."""
        await asyncio.to_thread(self._end_escaped)
        if self._group is not None:
            self._guard.leave()
            await asyncio.to_thread(self._group.remove, [self._guard.pid])
        if self._note is not None:
            self._note.unlink(missing_ok=True)

    def _end_earlier(self) -> tuple[Survivor, ...]:
        found: list[Survivor] = []
        if self._note is not None:
            with contextlib.suppress(OSError, ValueError):
                left = ControlGroup.left(self._note.read_text().strip(), self._mark)
                if left is not None:
                    found += [_named(each, f"{BEFORE}, {IN_GROUP}") for each in left.end()]
                    left.remove()
        found += [_named(each, f"{BEFORE}, {BY_MARK}") for each in self._end_marked()]
        if self._note is not None:
            self._group = ControlGroup.make(self._mark)
            if self._group is not None:
                self._note.touch(mode=0o600)
                self._note.write_text(f"{self._group.folder}\n")
        return tuple(found)

    def _end_escaped(self) -> tuple[Survivor, ...]:
        found = [_named(left, BY_MARK) for left in self._end_marked()]
        if self._group is not None:
            found += [_named(left, IN_GROUP) for left in self._group.end([self._guard.pid])]
        return tuple(found)

    def _end_marked(self) -> tuple[Left, ...]:
        return end_marked(self._mark, [self._guard.pid]) if self._mark else ()


def _named(left: Left, found: str) -> Survivor:
    how = [found, *([] if left.ended else ["could not be ended"])]
    return Survivor(pid=left.pid, command=left.command, found=", ".join(filter(None, how)))
