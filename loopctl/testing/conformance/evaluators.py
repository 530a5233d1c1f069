"""Checks of evaluators: they judge what they find, with evidence."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from loopctl.domain.criteria import EvaluatorReport, Verdict, admit_report
from loopctl.domain.evaluator_spec import EvaluatorSpec
from loopctl.ports import Checkout, EvaluationRequest, Evaluator
from loopctl.process.toolbox import Toolbox
from loopctl.testing.conformance.promise import TIMEOUT_S, promise, toolbox

_TREE = "0" * 40


def check_evaluator(
    factory: Callable[[Toolbox], Evaluator],
    spec: EvaluatorSpec,
    *,
    passing: Path,
    failing: Path,
    logs: Path,
) -> None:
    """An evaluator judges what it finds, with evidence, and reports also when it is given up.

    Args:
        factory: makes the evaluator.
        spec: what it is to judge.
        passing: a folder that has to PASS.
        failing: a folder that has to FAIL.
        logs: a folder for its log files.

    Raises:
        AssertionError: a promise is broken.
    """

    async def check() -> None:
        async with toolbox() as tools:
            evaluator = factory(tools)
            for folder, verdict in ((passing, Verdict.PASS), (failing, Verdict.FAIL)):
                report = await evaluator.evaluate(_evaluation(spec, folder, logs))
                _check_report(spec, report)
                promise(report.verdict is verdict, f"{folder.name} is {verdict}: {report}")
            given_up = _evaluation(spec, passing, logs)
            given_up.stop.set()
            _check_report(spec, await evaluator.evaluate(given_up))

    asyncio.run(asyncio.wait_for(check(), TIMEOUT_S))


def _evaluation(spec: EvaluatorSpec, folder: Path, logs: Path) -> EvaluationRequest:
    return EvaluationRequest(
        spec=spec,
        checkout=Checkout(
            folder=folder, tree=_TREE, isolation=spec.isolation, environment=dict(os.environ)
        ),
        attempt=1,
        timeout_s=TIMEOUT_S,
        baseline_completed=True,
        log=logs / f"{folder.name}.log",
    )


def _check_report(spec: EvaluatorSpec, report: EvaluatorReport) -> None:
    refused = admit_report(spec, report).refused
    promise(not refused, f"a report judges what is declared, a PASS has evidence: {refused}")
