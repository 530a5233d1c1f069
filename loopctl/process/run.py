"""The whole life of one program: spawn, capture, wait, interrupt, end everything.

Invariant: when `run` returns or raises, nothing that the program started is alive (what could
not be ended is named) and all descriptors and threads are gone.
"""

import asyncio
import time
from dataclasses import dataclass, field, replace
from typing import Any

from loopctl.process.capture import Capture, CapturedOutput
from loopctl.process.exit_status import ExitStatus, Lost
from loopctl.process.guard_client import Guard, Spawned
from loopctl.process.job import GuardDied
from loopctl.process.masking import Masker
from loopctl.process.sandbox.programs import is_sandbox
from loopctl.process.sandbox.status import StartReport
from loopctl.process.spec import ProcessSpec
from loopctl.process.survivor import Survivor


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """How a program ended and what it left.

    Attributes:
        exit: how the program itself ended.
        timed_out: its deadline had passed before it ended.
        cancelled: it was stopped before it ended.
        duration_s: from before the start until everything was ended, monotonic.
        survivors: the processes that it left behind, all ended by now unless they say otherwise.
        output: its standard output, with the errors when they are merged.
        errors: its standard error, when it is not merged.
    """

    exit: ExitStatus
    timed_out: bool
    cancelled: bool
    duration_s: float
    survivors: tuple[Survivor, ...]
    output: CapturedOutput
    errors: CapturedOutput | None


@dataclass(slots=True)
class _Course:
    """What ends the program early, and what has become of it so far."""

    deadline_s: float | None
    interrupt_grace_s: float
    stops: tuple[asyncio.Event, ...]
    force: asyncio.Event = field(default_factory=asyncio.Event)
    exit: ExitStatus = field(default_factory=Lost)
    timed_out: bool = False
    cancelled: bool = False


async def run(
    guard: Guard,
    spec: ProcessSpec,
    *,
    masker: Masker,
    deadline_s: float | None,
    interrupt_grace_s: float,
    stop: asyncio.Event | None = None,
) -> ProcessResult:
    """Runs one program to its end, and ends everything that it leaves behind.

    When the guard is killed meanwhile, the program is ended too, `exit` is `Lost`, and the guard
    is replaced by a new one.

    Args:
        guard: must have no other job.
        spec: what to run.
        masker: what is kept out of logs and results.
        deadline_s: seconds after which the program is interrupted; None is never.
        interrupt_grace_s: seconds from the interrupt (SIGINT) until everything is killed.
        stop: set by others to stop the program; the result says `cancelled`.

    Raises:
        asyncio.CancelledError: after everything was ended; a second cancellation meanwhile
            cuts the grace short.
        GuardDied: the guard was killed and no new one could be started.
    """
    cancelled = asyncio.Event()
    stops = (cancelled,) if stop is None else (cancelled, stop)
    course = _Course(deadline_s, interrupt_grace_s, stops)
    life = asyncio.create_task(_live(guard, spec, masker, course))
    try:
        await asyncio.wait({life})
    except asyncio.CancelledError:
        cancelled.set()
        await _outlast(life, course.force)
        raise
    return life.result()


async def _outlast(life: "asyncio.Task[ProcessResult]", force: asyncio.Event) -> None:
    """Waits for the end although the waiting task is cancelled again and again."""
    while not life.done():
        try:
            await asyncio.wait({life})
        except asyncio.CancelledError:
            force.set()


async def _live(guard: Guard, spec: ProcessSpec, masker: Masker, course: _Course) -> ProcessResult:
    began = time.monotonic()
    output = Capture(spec.log, masker)
    errors = None if spec.merge_stderr else Capture(spec.stderr_log, masker)
    captures = [capture for capture in (output, errors) if capture]
    report = StartReport() if spec.is_sandbox else None
    try:
        survivors = await _play(guard, spec, captures, course, report)
    finally:
        captured = [await _finished(capture) for capture in captures]
        if report is not None:
            course.exit = report.corrected(course.exit, captured[-1].tail)
    return ProcessResult(
        exit=course.exit,
        timed_out=course.timed_out,
        cancelled=course.cancelled,
        duration_s=time.monotonic() - began,
        survivors=tuple(
            replace(each, command=masker.mask(each.command))
            for each in survivors
            if each.pid not in _own(spec, survivors)
        ),
        output=captured[0],
        errors=captured[1] if errors else None,
    )


def _own(spec: ProcessSpec, survivors: tuple[Survivor, ...]) -> frozenset[int]:
    """Those that belong to the sandbox itself and were ended with it."""
    if not spec.is_sandbox:
        return frozenset()
    return frozenset(each.pid for each in survivors if each.ended and is_sandbox(each.command))


async def _finished(capture: Capture) -> CapturedOutput:
    """Masking much output takes its time; for little of it a thread would cost more."""
    return capture.finish() if capture.is_short else await asyncio.to_thread(capture.finish)


async def _play(
    guard: Guard,
    spec: ProcessSpec,
    captures: list[Capture],
    course: _Course,
    report: StartReport | None,
) -> tuple[Survivor, ...]:
    """From spawn to the end of everything; a dead guard is replaced before and after."""
    try:
        try:
            if not guard.alive:
                await guard.rescue()
            spawned = await guard.spawn(
                spec,
                stdout=captures[0].write_end,
                stderr=captures[-1].write_end,
                status=report.write_end if report else None,
            )
        finally:
            if report is not None:
                report.close_write_end()
            for capture in captures:
                capture.start()
        await _wait(guard, spawned, course)
        survivors = await guard.end()
        course.exit = await spawned.wait()
    except GuardDied:
        return await guard.rescue()
    return survivors


async def _wait(guard: Guard, spawned: Spawned, course: _Course) -> None:
    """Returns when the program has ended, or has used up its grace after the interrupt."""
    ended: asyncio.Future[Any] = spawned.exit
    stops = [asyncio.ensure_future(event.wait()) for event in course.stops]
    force = asyncio.ensure_future(course.force.wait())
    try:
        done = await _first((ended, *stops), course.deadline_s)
        if not ended.done():
            course.timed_out, course.cancelled = not done, bool(done)
            await guard.interrupt()
            await _first((ended, force), course.interrupt_grace_s)
        if ended.done():
            course.exit = ended.result()
    finally:
        for task in (*stops, force):
            task.cancel()


async def _first(
    futures: tuple["asyncio.Future[Any]", ...], timeout_s: float | None
) -> "set[asyncio.Future[Any]]":
    """Waits for the first of them; the empty set when the time is over."""
    done, _ = await asyncio.wait(futures, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
    return done
