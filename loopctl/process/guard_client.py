"""The driver's side of the guard: orders go out, replies resolve what is awaited.

Invariant: one job at a time. Whoever waits is always answered: by the guard, or by `GuardDied`
when the guard was killed (an agent has the same user id) or does not answer within `ANSWER_S`.
All methods belong to the event loop that `start` ran in.
"""

import asyncio
import contextlib
import errno
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeVar

from loopctl.errors import GuardError
from loopctl.process.exit_status import ExitStatus
from loopctl.process.job import GuardDied, Job
from loopctl.process.orphans import become_subreaper, rescue_orphans
from loopctl.process.spec import ProcessSpec, file_of
from loopctl.process.survivor import Survivor

Answer = TypeVar("Answer")
SCRIPT = Path(__file__).with_name("guard.py")
ANSWER_S = 20.0
"""Longer than the guard's own patience with processes that cannot be killed."""


@dataclass(frozen=True, slots=True)
class Spawned:
    """A program that was ordered; `pid` is None when it could not be started."""

    pid: int | None
    exit: "asyncio.Future[ExitStatus]"

    async def wait(self) -> ExitStatus:
        """Waits for the program itself; its descendants may live on.

        Raises:
            GuardDied: the guard was killed meanwhile.
        """
        return await asyncio.shield(self.exit)


class Guard:
    """A guard process; made by `start`, ended by `close`."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._job: Job | None = None
        self._enter: Callable[[int], object] | None = None
        self._launch()

    @classmethod
    async def start(cls) -> Self:
        """Starts a guard and makes this process a subreaper, the second level.

        Raises:
            GuardDied: the guard could not be started.
        """
        become_subreaper()
        guard = cls()
        await guard._answer(guard._ready)
        return guard

    @property
    def pid(self) -> int:
        """The guard's process id."""
        return self._process.pid

    def join(self, enter: Callable[[int], object]) -> None:
        """Put this guard, and every one that replaces it, where ``enter`` puts a pid."""
        self._enter = enter
        enter(self.pid)

    def leave(self) -> None:
        """Put a guard that replaces this one nowhere."""
        self._enter = None

    async def spawn(
        self, spec: ProcessSpec, *, stdout: int, stderr: int, status: int | None = None
    ) -> Spawned:
        """Starts one program on the given descriptors, which stay the caller's to close.

        ``status`` is the program's descriptor 3.

        A program that cannot be started is an answer, not an error: `wait` says `NotStarted`.

        Raises:
            GuardDied: the guard is gone.
            GuardError: the last job was not ended, a programming error.
        """
        if self._job is not None:
            raise GuardError("the last job of the process guard was not ended")
        job = self._job = Job(spec)
        with contextlib.ExitStack() as descriptors:
            try:
                order = file_of(spec.order())
                descriptors.callback(os.close, order)
                stdin = spec.open_stdin()
                descriptors.callback(os.close, stdin)
            except (OSError, ValueError) as error:
                job.not_started(getattr(error, "errno", None) or errno.EINVAL, str(error))
            else:
                more = () if status is None else (status,)
                self._send("spawn", (stdin, stdout, stderr, order, *more))
        return Spawned(await self._answer(job.started), job.exit)

    async def interrupt(self) -> None:
        """Sends SIGINT to the program's process group, if the program lives.

        In a sandbox it is the program inside that gets it.

        Raises:
            GuardDied: the guard is gone.
        """
        within = self._job is not None and self._job.is_sandbox
        self._send("interrupt-within" if within else "interrupt")

    async def end(self) -> tuple[Survivor, ...]:
        """Ends and reaps everything that the job left; harmless when there is no job.

        Returns:
            The processes, other than the program itself, that were still alive.

        Raises:
            GuardDied: the guard is gone; `rescue` finishes its work.
        """
        if self._job is None:
            return ()
        self._send("end")
        survivors = await self._answer(self._job.ended)
        self._job = None
        return survivors

    async def rescue(self, keep: Collection[int] = ()) -> tuple[Survivor, ...]:
        """After `GuardDied`: ends what the dead guard left, and starts a new guard in its place.

        Args:
            keep: pids of the driver's other children in sessions of their own.

        Raises:
            GuardDied: a new guard could not be started.
        """
        leader = self._job.leader if self._job else None
        self._die()
        left = await asyncio.to_thread(rescue_orphans, keep, leader)
        self._launch()
        await self._answer(self._ready)
        return left

    def close(self) -> None:
        """Ends the guard and all that it started; blocks for some milliseconds."""
        if self.alive:
            self._disconnect()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(ANSWER_S)
        self._die()

    def _launch(self) -> None:
        self._job = None
        self._received = b""
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._link, theirs = socket.socketpair()
        with theirs:
            self._process = _start_script(theirs)
        if self._enter is not None:  # before it is given anything to start
            self._enter(self.pid)
        self._link.settimeout(0)
        self._loop.add_reader(self._link, self._receive)
        self.alive = True

    def _send(self, order: str, descriptors: Collection[int] = ()) -> None:
        try:
            socket.send_fds(self._link, [f"{order}\n".encode()], list(descriptors))
        except OSError as error:
            self._die()
            raise GuardDied from error

    async def _answer(self, future: "asyncio.Future[Answer]") -> Answer:
        try:
            async with asyncio.timeout(ANSWER_S):
                return await asyncio.shield(future)
        except TimeoutError:  # a guard that was stopped by a signal is as good as dead
            self._die()
            raise GuardDied from None

    def _receive(self) -> None:
        """Called by the event loop when the guard has said something, or is gone."""
        try:
            data = self._link.recv(65536)
        except OSError:
            data = b""
        if not data:
            self._die()
        *replies, self._received = (self._received + data).split(b"\n")
        for reply in replies:
            if reply == b"ready":
                self._ready.set_result(None)
            elif self._job is not None:
                self._job.read(reply.decode())

    def _die(self) -> None:
        """Makes sure that the guard is dead, and says so to everybody who waits.

        It is waited for: only when it is a zombie has the kernel given its children to us.
        """
        self._disconnect()
        self._process.kill()
        self._process.wait()
        if not self._ready.done():
            self._ready.set_exception(GuardDied())
            self._ready.exception()
        if self._job is not None:
            self._job.fail(GuardDied())

    def _disconnect(self) -> None:
        if self.alive:
            self.alive = False
            self._loop.remove_reader(self._link)
            self._link.close()


def _start_script(link: socket.socket) -> subprocess.Popen[bytes]:
    """Starts the guard's script in a session of its own; it inherits `link` and nothing else."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(SCRIPT), str(link.fileno())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.defpath},
        pass_fds=(link.fileno(),),
        start_new_session=True,
    )
