"""What an evaluator starts, observed: with its tools, and behind their back.

Invariant: nothing is missed that Python itself starts while it is observed (its audit events tell);
what a program starts in turn is told by the processes that are left.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import psutil

from loopctl.process.run import ProcessResult
from loopctl.process.spec import ProcessSpec
from loopctl.process.toolbox import Toolbox

_STARTS = frozenset(
    {
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.posix_spawn",
        "os.spawn",
        "os.system",
        "subprocess.Popen",
    }
)
_observed: list[list[str]] = []
"""Where starts are noted, the innermost observation last. A hook cannot be taken out again."""
_installed: list[bool] = []


@dataclass(frozen=True, slots=True)
class ObservedTools(Toolbox):
    """A toolbox that notes what it is asked to run, and runs it without its confinement.

    Attributes:
        runs: everything that was asked for.
    """

    runs: list[ProcessSpec] = field(default_factory=list)

    async def run(self, spec: ProcessSpec, **how: object) -> ProcessResult:
        """Run one program to its end."""
        self.runs.append(spec)
        # A sandbox is not what is checked here, and not every machine has one. No zero-argument
        # form: a class with slots is made twice.
        return await Toolbox.run(self, replace(spec, confinement=None), **how)  # type: ignore[arg-type]


@contextmanager
def observed_starts() -> Iterator[list[str]]:
    """The programs that this process starts itself meanwhile."""
    if not _installed:
        _installed.append(True)
        sys.addaudithook(_note)
    started: list[str] = []
    _observed.append(started)
    try:
        yield started
    finally:
        _observed.remove(started)


def end_children(known: frozenset[int]) -> tuple[str, ...]:
    """End every living descendant of this process but the ``known``; return their commands."""
    left = []
    for process in psutil.Process(os.getpid()).children(recursive=True):
        try:
            if process.pid in known or process.status() == psutil.STATUS_ZOMBIE:
                continue
            left.append(" ".join(process.cmdline()) or process.name())
            process.kill()
        except psutil.NoSuchProcess:
            continue
    return tuple(left)


def living_children() -> frozenset[int]:
    """The descendants that this process has now."""
    return frozenset(one.pid for one in psutil.Process(os.getpid()).children(recursive=True))


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if _observed and event in _STARTS:
        _observed[-1].append(f"{event} {arguments[0] if arguments else ''}".strip())
