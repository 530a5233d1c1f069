"""The end of everything that was started for agents and evaluators, as the driver asks for it."""

from loopctl.domain.agent_session import Survivor
from loopctl.process.guard_client import Guard
from loopctl.process.job import GuardDied


class Leftovers:
    """Implements ``ports.Processes`` over one guard."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    async def end_all(self) -> tuple[Survivor, ...]:
        """End whatever is still alive; a dead guard is replaced first.

        Raises:
            GuardDied: the guard was killed and no new one could be started.
        """
        try:
            found = await self._guard.end()
        except GuardDied:
            found = await self._guard.rescue()
        return tuple(Survivor(pid=left.pid, command=left.command) for left in found)
