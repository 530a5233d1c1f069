"""What the adapters of agents and evaluators receive in order to start programs.

Invariant: an adapter has no other way to start one, so that everything it starts is guarded,
and what it learns of it is masked. A program with a confinement runs inside of it or not at all.
"""

import asyncio
from dataclasses import dataclass, field

from loopctl.domain.criteria import ExitState
from loopctl.process.exit_status import Exited, NotStarted, Signalled
from loopctl.process.guard_client import Guard
from loopctl.process.masking import Masker
from loopctl.process.run import ProcessResult, run
from loopctl.process.sandbox.sandbox import Sandbox
from loopctl.process.spec import ProcessSpec


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The guard that owns every program, the masker for what they print, what confines them."""

    guard: Guard
    masker: Masker
    sandbox: Sandbox = field(default_factory=Sandbox)

    async def run(
        self,
        spec: ProcessSpec,
        *,
        deadline_s: float | None,
        interrupt_grace_s: float,
        stop: asyncio.Event,
    ) -> ProcessResult:
        """Run one program to its end; see ``run.run``."""
        with self.sandbox.confined(spec) as started:
            return await run(
                self.guard,
                started,
                masker=self.masker,
                deadline_s=deadline_s,
                interrupt_grace_s=interrupt_grace_s,
                stop=stop,
            )


def exit_state(result: ProcessResult) -> ExitState | None:
    """How a program ended, in the domain's words; ``None`` when its end was not seen."""
    match result.exit:
        case Exited(code=code):
            return ExitState(code=code, timed_out=result.timed_out)
        case Signalled(signum=signum):
            return ExitState(signal=signum, timed_out=result.timed_out)
        case NotStarted(message=message):
            return ExitState(problem=message)
        case _:
            return None


def shortcomings(result: ProcessResult) -> tuple[str, ...]:
    """What did not go as it should beside the program's own end, for people to read."""
    found = [
        f"process {left.pid} could not be ended: {left.command}"
        for left in result.survivors
        if not left.ended
    ]
    if exit_state(result) is None and not found:
        found.append("the process guard was killed")
    if result.output.log_error is not None:
        found.append(f"the log is incomplete: {result.output.log_error}")
    return tuple(found)
