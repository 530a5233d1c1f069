"""The evidence behind a result: what ran, where, on which tree, and what was out of the ordinary.

Invariant: it is put together from what is stored of all rounds, those before a restart among
them, and judges nothing itself: whoever reads it shall be able to.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from loopctl.domain.agent_session import Survivor
from loopctl.domain.alert import Alert
from loopctl.domain.confinement import Backend
from loopctl.domain.criteria import EvaluatorReport, Verdict
from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.hardening import Hardening
from loopctl.domain.loop import LoopSpec, LoopState
from loopctl.domain.sign import Sign
from loopctl.domain.snapshot import LeftOut, PathChange, Snapshot
from loopctl.domain.stage import Stage, told_of
from loopctl.domain.suite import SuiteResult
from loopctl.domain.tool import ResolvedTool
from loopctl.domain.value import Value

_SHOWINGS = frozenset({Stage.FIRST, Stage.AGAIN})


class HeldOut(StrEnum):
    """What came of the checks that the agent never sees."""

    NONE = "none"
    NOT_RUN = "not run"
    PASSED = "passed"
    FAILED = "failed"
    NOT_JUDGED = "could not be run"


class Run(Value):
    """One run of one evaluator on the tree that counts.

    Attributes:
        evaluator: its name.
        criteria: what it judged.
        verdict: the outcome.
        stage: what it was run for.
        exit: the exit state in words.
        duration_s: seconds from start to end.
        isolation: where it ran.
        hardening: how far it was hardened.
        suite: its tests in figures.
        base_suite: those of the base commit.
        moved: paths of the tree that were written to meanwhile.
        log: name of its log file.
    """

    evaluator: str
    criteria: tuple[str, ...]
    verdict: Verdict
    stage: Stage
    exit: str
    duration_s: NonNegativeFloat
    isolation: str
    hardening: Hardening
    suite: SuiteResult | None
    base_suite: SuiteResult | None
    moved: tuple[str, ...]
    log: str


class LeftRunning(Value):
    """A process that was ended when a turn had ended; see ``Survivor``."""

    round: NonNegativeInt
    pid: int
    command: str
    found: str = ""


class LateWrite(Value):
    """A path that was written to after that."""

    round: NonNegativeInt
    path: str


class RaisedAlert(Value):
    """What a round changed where it would act later."""

    round: NonNegativeInt
    alert: Alert


class Evidence(Value):
    """What stands behind the result of a loop.

    Attributes:
        base_commit: what the work started from.
        round: the round of the newest snapshot; 0 is the base commit itself.
        commit: the newest snapshot; ``""`` is the base commit.
        judged_tree: the tree that evaluators saw.
        runs: every run on it, in order.
        isolations: where they were run.
        tools: the programs that their commands name, as they were at the start.
        sandbox: what kept the agent apart; ``None``: it ran as it was.
        confirm: how often everything had to pass.
        shown: how often everything has passed, each time in places that nothing had used.
        holdout: what came of the checks that the agent never sees.
        restored: protected paths that were put back.
        new_tests: test files that the agent has added.
        new_tests_run: they were run as well.
        left_out: paths that no snapshot holds.
        survivors: processes that turns left running.
        late: paths that were written to when these were ended.
        alerts: what turns changed outside of the tree.
        signs: what in the tree could deceive the tests.
        notes: what else is to be known of the newest snapshot.
        environment: variables of yours that evaluators received.
        warnings: what evaluators were warned of, each once.
    """

    base_commit: str
    round: NonNegativeInt = 0
    commit: str = ""
    judged_tree: str = ""
    runs: tuple[Run, ...] = ()
    isolations: tuple[Isolation, ...] = ()
    tools: tuple[ResolvedTool, ...] = ()
    sandbox: Backend | None = None
    confirm: PositiveInt = 1
    shown: NonNegativeInt = 0
    holdout: HeldOut = HeldOut.NONE
    restored: tuple[PathChange, ...] = ()
    new_tests: tuple[str, ...] = ()
    new_tests_run: bool = False
    left_out: tuple[LeftOut, ...] = ()
    survivors: tuple[LeftRunning, ...] = ()
    late: tuple[LateWrite, ...] = ()
    alerts: tuple[RaisedAlert, ...] = ()
    signs: tuple[Sign, ...] = ()
    notes: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def evidence_of(
    state: LoopState,
    snapshots: Iterable[Snapshot],
    survivors: Iterable[tuple[int, Survivor]],
    reports: Iterable[EvaluatorReport],
) -> Evidence:
    """Put together what is known of a loop.

    Args:
        state: where it stands.
        snapshots: of all rounds, oldest first.
        survivors: the processes that turns left, each with its round.
        reports: those of the round of the newest snapshot, or of the baseline, in order.
    """
    newest = state.snapshot
    counted = _of_newest(state, reports)
    return Evidence(
        base_commit=state.spec.base_commit,
        round=0 if newest is None else newest.round,
        commit="" if newest is None else newest.commit,
        judged_tree=state.judged_tree,
        runs=tuple(_run(state, report) for report in counted),
        isolations=tuple(dict.fromkeys(spec.isolation for spec in state.spec.all_evaluators)),
        tools=state.spec.workbench.tools,
        sandbox=state.spec.sandbox.backend,
        confirm=state.spec.confirm,
        shown=_shown(state.spec, counted),
        holdout=_held_out(state.spec, counted),
        **_of_snapshot(newest),
        new_tests_run=any(report.stage is Stage.NEW_TESTS for report in counted),
        survivors=tuple(
            LeftRunning(round=number, pid=left.pid, command=left.command, found=left.found)
            for number, left in survivors
        ),
        **_of_rounds(tuple(snapshots)),
        environment=state.spec.evaluator_env,
        warnings=_warnings(newest, counted),
    )


def _of_newest(state: LoopState, reports: Iterable[EvaluatorReport]) -> list[EvaluatorReport]:
    """The reports on the trees that count."""
    trees = {state.judged_tree}
    if state.snapshot is not None:
        trees |= {state.snapshot.tree, state.snapshot.new_tests_tree}
    return [report for report in reports if report.tree in trees - {""}]


def _of_rounds(taken: tuple[Snapshot, ...]) -> dict[str, Any]:
    """What happened in any of the rounds."""
    return {
        "late": tuple(LateWrite(round=one.round, path=path) for one in taken for path in one.late),
        "alerts": tuple(
            RaisedAlert(round=one.round, alert=each) for one in taken for each in one.alerts
        ),
    }


def _of_snapshot(newest: Snapshot | None) -> dict[str, Any]:
    names = ("restored", "new_tests", "left_out", "signs", "notes")
    return {} if newest is None else {name: getattr(newest, name) for name in names}


def _run(state: LoopState, report: EvaluatorReport) -> Run:
    base = state.baseline_run(report.evaluator)
    return Run(
        evaluator=report.evaluator,
        criteria=tuple(entry.name for entry in report.criteria),
        verdict=report.verdict,
        stage=report.stage,
        exit=report.exit,
        duration_s=report.duration_s,
        isolation=report.isolation,
        hardening=report.hardening,
        suite=report.suite,
        base_suite=None if base is None else base.suite,
        moved=report.moved,
        log=report.log,
    )


def _shown(spec: LoopSpec, reports: list[EvaluatorReport]) -> int:
    """How often each evaluator has passed in places that nothing had used before."""
    passed = [
        report.evaluator
        for report in reports
        if report.stage in _SHOWINGS and report.verdict is Verdict.PASS and not report.provisional
    ]
    return min(passed.count(each.name) for each in spec.evaluators)


def _held_out(spec: LoopSpec, reports: list[EvaluatorReport]) -> HeldOut:
    if not spec.holdouts:
        return HeldOut.NONE
    last = {one.evaluator: one.verdict for one in reports if one.stage is Stage.HOLDOUT}
    verdicts = set(last.values())
    if Verdict.FAIL in verdicts:
        return HeldOut.FAILED
    if Verdict.ERROR in verdicts:
        return HeldOut.NOT_JUDGED
    return HeldOut.PASSED if len(last) == len(spec.holdouts) else HeldOut.NOT_RUN


def _warnings(newest: Snapshot | None, reports: list[EvaluatorReport]) -> tuple[str, ...]:
    """Each once, without those on restored paths and stages, which are said elsewhere."""
    restored = () if newest is None else newest.restored
    known = {f"{change.path} was changed ({change.kind})" for change in restored}
    known |= {line for stage in Stage for line in told_of(stage)}
    found = dict.fromkeys(line for report in reports for line in report.warnings)
    return tuple(line for line in found if line not in known)
