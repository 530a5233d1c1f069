"""One job of the guard, as the driver knows it: three answers that arrive in order.

Invariant: every answer is given exactly once, by a reply or by the guard's death.
"""

import asyncio
import os
from dataclasses import replace

from loopctl.errors import GuardError
from loopctl.process.exit_status import ExitStatus, Lost, NotStarted, from_wait_status
from loopctl.process.spec import ProcessSpec
from loopctl.process.survivor import Survivor


class GuardDied(GuardError):
    """The guard was killed, or was frozen and had to be."""

    def __init__(self) -> None:
        super().__init__(
            "the process guard died",
            why="something killed it: an agent's processes have the same user id",
            next_step="loopctl status",
        )


class Job:
    """A program that was ordered.

    Attributes:
        started: the leader's pid, None when it could not be started.
        exit: how the leader ended.
        ended: every process left, named, once all of it was ended.
        leader: the leader's pid, as soon as it is known.
        is_sandbox: what was ordered runs in a sandbox that the leader makes.
    """

    def __init__(self, spec: ProcessSpec) -> None:
        loop = asyncio.get_running_loop()
        self.started: asyncio.Future[int | None] = loop.create_future()
        self.exit: asyncio.Future[ExitStatus] = loop.create_future()
        self.ended: asyncio.Future[tuple[Survivor, ...]] = loop.create_future()
        self.leader: int | None = None
        self.is_sandbox = spec.is_sandbox
        self._spec = spec
        self._survivors: dict[int, Survivor] = {}

    def read(self, reply: str) -> None:
        """Takes in one of the guard's replies."""
        word, _, rest = reply.partition(" ")
        match word:
            case "started":
                self.leader = int(rest)
                self.started.set_result(self.leader)
            case "failed":
                number, stage = rest.split()
                self.not_started(int(number), self._explain(int(number), stage))
            case "exited":
                self.exit.set_result(from_wait_status(int(rest)))
            case "survivor":
                pid, _, command = rest.partition(" ")
                self._survivors[int(pid)] = Survivor(int(pid), command)
            case "unkilled":
                known = self._survivors.get(int(rest), Survivor(int(rest), ""))
                self._survivors[int(rest)] = replace(known, ended=False)
            case "ended":
                if not self.exit.done():  # not even SIGKILL ended the leader
                    self.exit.set_result(Lost())
                self.ended.set_result(tuple(self._survivors.values()))
            case _:
                raise GuardError(
                    f"the process guard said {reply!r}", why="this is a bug in loopctl"
                )

    def not_started(self, number: int, message: str) -> None:
        """Records that there is no program; `number` is the system's error number."""
        self.started.set_result(None)
        self.exit.set_result(NotStarted(number, message))

    def fail(self, error: Exception) -> None:
        """Answers everybody who still waits."""
        for future in (self.started, self.exit, self.ended):
            if not future.done():
                future.set_exception(error)
                future.exception()  # perhaps nobody waits: that is not worth a warning

    def _explain(self, number: int, stage: str) -> str:
        what = {"cwd": f"folder {self._spec.cwd}", "exec": self._spec.argv[0]}.get(stage, stage)
        return f"{what}: {os.strerror(number)}"
