"""A language model as an evaluator: a fresh hearing for every report.

Invariant: a work that cannot be shown whole is not judged at all, so that nothing is paid for a
verdict that could not count.
"""

import time

from loopctl.domain.criteria import EvaluatorReport
from loopctl.domain.evaluator_spec import JudgeExecutor, Rubric
from loopctl.evaluators.llm_judge.hearing import Hearing
from loopctl.evaluators.shell_report import unjudged_report
from loopctl.llm.patient_model import Patience
from loopctl.ports import EvaluationRequest
from loopctl.process.toolbox import Toolbox


class LlmJudge:
    """Implements ``ports.Evaluator`` for ``JudgeExecutor``.

    Args:
        executor: which rubric and models; the model of a run is in its request.
        tools: what starts the program that searches, and what masks.
        patience: how a request is tried again; ``None`` is the usual way.
    """

    def __init__(
        self, executor: JudgeExecutor, tools: Toolbox, patience: Patience | None = None
    ) -> None:
        self._executor = executor
        self._patience = patience
        self._tools = tools

    async def evaluate(self, request: EvaluationRequest) -> EvaluatorReport:
        """Judge the checkout.

        Raises:
            TypeError: the request is for another kind of evaluator.
        """
        rubric, judge = request.spec.criteria, request.judge
        if not isinstance(rubric, Rubric) or judge is None:
            raise TypeError(f"a judge cannot run the evaluator {request.spec.name}")
        if judge.facts.diff_cut:
            return _too_long(request, self._executor.max_diff)
        started = time.monotonic()
        report = await Hearing(request, judge, rubric, self._tools, self._patience).report()
        in_place = judge.model != self._executor.model
        other = (f"judged by {judge.model} in place of {self._executor.model}",) * in_place
        return report.evolve(
            duration_s=time.monotonic() - started,
            log=request.log.name,
            warnings=(*other, *report.warnings),
        )


def _too_long(request: EvaluationRequest, most: int) -> EvaluatorReport:
    return unjudged_report(
        request,
        f"not judged: the patch has more than the {most} bytes that a judge is shown, and one that "
        "sees only a part of the work cannot say PASS",
        "begin a new loop with a larger --judge-max-diff, divide the goal among several loops, or "
        "judge this one by commands: --stop COMMAND",
    )
