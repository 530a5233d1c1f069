"""Checks of evaluators: they judge what they find, with evidence, and leave no trace beside.

Invariant: each check is a promise of ``ports.Evaluator`` that a loop relies on; what breaks it is
named in the error.
"""

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from loopctl.domain.criteria import EvaluatorReport, Verdict
from loopctl.domain.evaluator_spec import EvaluatorSpec
from loopctl.ports import Evaluator
from loopctl.process.toolbox import Toolbox
from loopctl.testing.conformance.courtroom import Courtroom
from loopctl.testing.conformance.observed_tools import ObservedTools
from loopctl.testing.conformance.promise import TIMEOUT_S, promise, toolbox

PATIENCE_S = 10.0
_SOON_S = 0.2


@dataclass(frozen=True)
class _Trees:
    passing: Path
    failing: Path
    slow: Path | None
    empty: Path


def check_evaluator(
    factory: Callable[[Toolbox], Evaluator],
    spec: EvaluatorSpec,
    *,
    passing: Path,
    failing: Path,
    logs: Path,
    slow: Path | None = None,
    patience_s: float = PATIENCE_S,
) -> None:
    """An evaluator judges its checkout alone, the same every time, and fails rather than passes.

    The folders are copied; an evaluator that starts programs does so with the toolbox.

    Args:
        factory: makes the evaluator.
        spec: what it is to judge.
        passing: a folder that has to PASS.
        failing: a folder that has to FAIL.
        logs: a folder for its log files.
        slow: a folder that takes it longer than a second; without one it is not seen whether it
            ends when it is given up, or when its time is up.
        patience_s: seconds that one run may take.

    Raises:
        AssertionError: a promise is broken.
    """

    async def check() -> None:
        async with toolbox() as plain:
            tools = ObservedTools(plain.guard, plain.masker)
            court = Courtroom(factory(tools), tools, spec, logs, patience_s)
            await _check_verdicts(court, trees)
            await _check_doubts(court, trees)
            if trees.slow is not None:
                await _check_ends(court, trees.slow, trees.passing)

    with tempfile.TemporaryDirectory() as empty:
        trees = _Trees(passing, failing, slow, Path(empty))
        asyncio.run(asyncio.wait_for(check(), TIMEOUT_S + 8 * patience_s))


async def _check_verdicts(court: Courtroom, trees: _Trees) -> None:
    """It says what is so, wherever the tree lies, and says it again."""
    first = await court.judge(trees.passing, trees.failing)
    promise(first.verdict is Verdict.PASS, f"{trees.passing.name} is PASS: {first}")
    failed = await court.judge(trees.failing, trees.passing)
    promise(failed.verdict is Verdict.FAIL, f"{trees.failing.name} is FAIL: {failed}")
    again = await court.judge(trees.passing, trees.failing)
    promise(_verdicts(again) == _verdicts(first), f"one tree has one verdict: {first} and {again}")
    gone = _verdicts(failed).keys() - {court.spec.name} - _verdicts(first).keys()
    promise(not gone, f"what is named on one tree is named on every other: {sorted(gone)}")


async def _check_doubts(court: Courtroom, trees: _Trees) -> None:
    """What cannot be judged is no PASS, and what was not judged no FAIL."""
    await court.judge(trees.empty, trees.passing)
    report = await court.judge(trees.failing, trees.passing, programs=False)
    promise(report.verdict is not Verdict.PASS, f"without its programs it is no PASS: {report}")
    stop = asyncio.Event()
    stop.set()
    report = await court.judge(trees.failing, trees.passing, stop=stop)
    promise(report.verdict is not Verdict.PASS, f"given up, it is no PASS: {report}")
    report = await court.judge(trees.passing, trees.failing, stop=stop)
    promise(report.verdict is not Verdict.FAIL, f"given up, it is no FAIL: {report}")


async def _check_ends(court: Courtroom, slow: Path, elsewhere: Path) -> None:
    """It ends when it should."""
    stop = asyncio.Event()
    asyncio.get_running_loop().call_later(_SOON_S, stop.set)
    report = await court.judge(slow, elsewhere, stop=stop)
    promise(report.verdict is Verdict.ERROR, f"given up, it has judged nothing: {report}")
    report = await court.judge(slow, elsewhere, timeout_s=_SOON_S)
    promise(report.verdict is not Verdict.PASS, f"out of time, it is no PASS: {report}")


def _verdicts(report: EvaluatorReport) -> dict[str, Verdict]:
    return {entry.name: entry.verdict for entry in report.criteria}
