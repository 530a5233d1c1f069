"""One run of one evaluator: a place to run it in, what it works with, and what came of it.

A plug-in that breaks its contract by raising is reported as ERROR. What was judged, and where,
is said here and not by the evaluator.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from loopctl.domain.agent_session import Role
from loopctl.domain.criteria import REMEDY, CriterionReport, EvaluatorReport, Verdict
from loopctl.domain.effects import Evaluate
from loopctl.domain.evaluator_spec import JudgeExecutor
from loopctl.domain.events import AnyEvent, EvaluatorFinished
from loopctl.domain.loop import LoopState
from loopctl.domain.stage import Stage
from loopctl.driver.meter import Meters
from loopctl.driver.work_facts import work_facts
from loopctl.errors import SupplyError, WorkGoneError
from loopctl.ports import (
    Activity,
    Checkout,
    Checkouts,
    EvaluationRequest,
    Evaluator,
    JudgeSession,
    Workspace,
)


class Bench(Protocol):
    """What of the world evaluators are run with; see ``World``."""

    @property
    def checkouts(self) -> Checkouts:
        """The places where evaluators run."""

    @property
    def evaluators(self) -> Mapping[str, Evaluator]:
        """Who judges, by the name in the specification."""

    @property
    def workspace(self) -> Workspace:
        """Tells how a tree differs from the base commit."""

    @property
    def own_environment(self) -> Mapping[str, str]:
        """The variables of loopctl itself, with the keys of providers."""

    @property
    def logs(self) -> Path:
        """Folder of the log files."""

    def show(self, activity: Activity) -> None:
        """Let whoever watches see what a session does."""


class Judging:
    """Runs evaluators.

    Args:
        world: the ports.
        meters: count what judges spend.
    """

    def __init__(self, world: Bench, meters: Meters) -> None:
        self._world = world
        self._meters = meters

    async def judge(self, effect: Evaluate, state: LoopState) -> AnyEvent:
        """Run the evaluator of ``effect``."""
        try:
            report = await self._evaluate(effect, state)
        except SupplyError as error:  # without its place the evaluator cannot judge
            remedy = (f"{REMEDY}{error.next_step}",) if error.next_step else ()
            told = (f"{error}: {error.why}", *error.evidence, *remedy)
            report = self._noted(effect, _not_judged(effect, *told))
        except WorkGoneError as error:
            report = _not_judged(effect, f"{error}: {error.why}", verdict=Verdict.FAIL)
        return EvaluatorFinished(order=effect.order, report=effect.disclosed(report))

    def _noted(self, effect: Evaluate, report: EvaluatorReport) -> EvaluatorReport:
        """The report with its evidence in a log, where also that of a hold-out can be read."""
        log = self._world.logs / f"{_run_name(effect)}.log"
        lines = [line for entry in report.criteria[:1] for line in entry.evidence]
        try:
            log.touch(mode=0o600)
            log.write_text("".join(f"{line}\n" for line in lines), errors="replace")
        except OSError as error:
            return report.evolve(warnings=(f"the log could not be written: {error}",))
        return report.evolve(log=log.name)

    async def _evaluate(self, effect: Evaluate, state: LoopState) -> EvaluatorReport:
        spec = effect.evaluator
        evaluator = self._world.evaluators[spec.name]
        warnings = effect.warnings
        if effect.flagged:
            warnings = (*warnings, "an earlier evaluation of this tree was interrupted")
        async with self._world.checkouts.open(
            effect.tree,
            spec.isolation,
            Path(state.workspace),
            fresh=effect.fresh,
            holdout=effect.stage is Stage.HOLDOUT,
        ) as checkout:
            request = await self._request(effect, state, checkout)
            try:
                report = await evaluator.evaluate(request)
            except Exception as error:  # noqa: BLE001 - a plug-in may raise anything
                report = _not_judged(effect, f"{type(error).__name__}: {error}")
            moved = await checkout.moved()
            late = await checkout.finish()
            return report.evolve(
                evaluator=spec.name,
                digest=spec.digest,
                tree=effect.tree,
                isolation=checkout.isolation,
                warnings=(*warnings, *checkout.warnings, *report.warnings, *late),
                reused_from=None,
                provisional=checkout.reused,
                moved=moved,
            )

    async def _request(
        self, effect: Evaluate, state: LoopState, checkout: Checkout
    ) -> EvaluationRequest:
        return EvaluationRequest(
            spec=effect.evaluator,
            checkout=checkout,
            attempt=effect.attempt,
            timeout_s=effect.timeout_s,
            baseline_completed=effect.baseline_completed,
            log=self._world.logs / f"{_run_name(effect)}.log",
            record=self._world.logs / f"baseline.{effect.evaluator.file_name}.tests.json",
            record_digest=effect.record_digest,
            hardening=effect.hardening,
            is_baseline=effect.is_baseline,
            judge=await self._judge_session(effect, state),
        )

    async def _judge_session(self, effect: Evaluate, state: LoopState) -> JudgeSession | None:
        """What a judge works with: nothing of it is left from an earlier one."""
        executor = effect.evaluator.executor
        if not isinstance(executor, JudgeExecutor):
            return None
        session_id = uuid4().hex
        return JudgeSession(
            session_id=session_id,
            model=effect.model,
            round=effect.round,
            facts=await work_facts(state, effect.tree, self._world.workspace, executor.max_diff),
            meter=self._meters.of(session_id, Role.JUDGE),
            environment=self._world.own_environment,
            activity=self._world.show,
        )


def _not_judged(
    effect: Evaluate, *evidence: str, verdict: Verdict = Verdict.ERROR
) -> EvaluatorReport:
    spec = effect.evaluator
    names = spec.criteria.declared or (spec.name,)
    return EvaluatorReport(
        evaluator=spec.name,
        digest=spec.digest,
        tree=effect.tree,
        isolation=spec.isolation,
        criteria=tuple(
            CriterionReport(name=name, verdict=verdict, evidence=evidence) for name in names
        ),
    )


def _run_name(effect: Evaluate) -> str:
    """A part of a file name that tells which run of which evaluator wrote it."""
    place = f"round-{effect.round:04d}" if effect.round else "baseline"
    trial = ".trial" if effect.is_trial else ""
    shown = f".{effect.stage}" if effect.stage is not Stage.FIRST else ""
    again = f".{effect.showing}" if effect.showing > 1 else ""
    return f"{place}.{effect.evaluator.file_name}.{effect.attempt}{trial}{shown}{again}"
