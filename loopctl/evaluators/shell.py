"""A shell command as an evaluator: its exit state is the verdict, its output the evidence.

Invariant: PASS is a normal exit with status 0 that was seen, and nothing that the command
started is alive when its report is made.
"""

from loopctl.domain.criteria import (
    CANNOT_EXECUTE,
    NOT_FOUND,
    CriterionReport,
    EvaluatorReport,
    ExitState,
    Verdict,
    command_verdict,
)
from loopctl.domain.evaluator_spec import ShellExecutor
from loopctl.evaluators.evidence import last_line, one_line, output_tail
from loopctl.ports import EvaluationRequest
from loopctl.process.run import ProcessResult
from loopctl.process.spec import ProcessSpec
from loopctl.process.toolbox import Toolbox, exit_state, shortcomings

INTERRUPT_GRACE_S = 1.0
NAMED_SURVIVORS = 10


class ShellEvaluator:
    """Implements ``ports.Evaluator`` for ``ShellExecutor``.

    Args:
        tools: what starts the command.
    """

    def __init__(self, tools: Toolbox) -> None:
        self._tools = tools

    async def evaluate(self, request: EvaluationRequest) -> EvaluatorReport:
        """Run the command in the checkout.

        Raises:
            GuardDied: the process guard was killed and could not be started again.
            TypeError: the specification has another executor.
        """
        executor = request.spec.executor
        if not isinstance(executor, ShellExecutor):
            raise TypeError(f"a shell cannot run an evaluator of kind {executor.kind}")
        result = await self._tools.run(
            ProcessSpec(
                argv=("/bin/sh", "-c", executor.command),
                cwd=request.checkout.folder,
                env=request.checkout.environment,
                log=request.log,
            ),
            deadline_s=request.timeout_s,
            interrupt_grace_s=INTERRUPT_GRACE_S,
            stop=request.stop,
        )
        return _report(request, self._tools.masker.mask(executor.command), result)


def _report(request: EvaluationRequest, command: str, result: ProcessResult) -> EvaluatorReport:
    spec, checkout = request.spec, request.checkout
    state = None if result.cancelled else exit_state(result)
    verdict = Verdict.ERROR
    if state is not None:
        verdict = command_verdict(state, baseline_completed=request.baseline_completed)
    evidence = (
        _headline(state, command, result),
        f"{checkout.isolation}, tree {checkout.tree[:12]}, log {request.log.name}",
        *output_tail(result.output.tail, truncated=result.output.truncated),
    )
    return EvaluatorReport(
        evaluator=spec.name,
        digest=spec.digest,
        tree=checkout.tree,
        isolation=checkout.isolation,
        criteria=tuple(
            CriterionReport(name=name, verdict=verdict, evidence=evidence)
            for name in spec.criteria.declared or (spec.name,)
        ),
        exit="" if state is None else str(state),
        duration_s=result.duration_s,
        log=request.log.name,
        warnings=(*shortcomings(result), *_survivors(result)),
    )


def _headline(state: ExitState | None, command: str, result: ProcessResult) -> str:
    """How it ended, after how long, and what it was."""
    how = "given up" if result.cancelled else str(state or "its end was not seen")
    headline = f"{how} after {result.duration_s:.2f} s: {one_line(command)}"
    if state is not None and state.code in {CANNOT_EXECUTE, NOT_FOUND}:
        headline += f" ({last_line(result.output.tail)})"
    return headline


def _survivors(result: ProcessResult) -> list[str]:
    """The processes that the command left running, which were ended."""
    named = [f"left running and ended: {left.command}" for left in result.survivors if left.ended]
    more = len(named) - NAMED_SURVIVORS
    return [*named[:NAMED_SURVIVORS], *([f"and {more} more processes"] if more > 0 else [])]
