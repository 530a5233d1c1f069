"""One run of one evaluator: a place to run it in, what it works with, and what came of it.

A plug-in that breaks its contract by raising is reported as ERROR. What was judged, and where,
is said here and not by the evaluator.
"""

from pathlib import Path
from uuid import uuid4

from loopctl.domain.agent_session import Role
from loopctl.domain.criteria import CriterionReport, EvaluatorReport, Verdict
from loopctl.domain.effects import Evaluate
from loopctl.domain.evaluator_spec import JudgeExecutor
from loopctl.domain.events import AnyEvent, EvaluatorFinished
from loopctl.domain.loop import LoopState
from loopctl.driver.meter import Meters
from loopctl.driver.work_facts import work_facts
from loopctl.driver.world import World
from loopctl.errors import SupplyError, WorkGoneError
from loopctl.ports import Checkout, EvaluationRequest, JudgeSession


class Judging:
    """Runs evaluators.

    Args:
        world: the ports.
        meters: count what judges spend.
    """

    def __init__(self, world: World, meters: Meters) -> None:
        self._world = world
        self._meters = meters

    async def judge(self, effect: Evaluate, state: LoopState) -> AnyEvent:
        """Run the evaluator of ``effect``."""
        try:
            report = await self._evaluate(effect, state)
        except SupplyError as error:  # without its place the evaluator cannot judge
            report = _not_judged(effect, f"{error}: {error.why}", *error.evidence)
        except WorkGoneError as error:
            report = _not_judged(effect, f"{error}: {error.why}", verdict=Verdict.FAIL)
        return EvaluatorFinished(order=effect.order, report=report)

    async def _evaluate(self, effect: Evaluate, state: LoopState) -> EvaluatorReport:
        spec = effect.evaluator
        evaluator = self._world.evaluators[spec.name]
        warnings = effect.warnings
        if effect.flagged:
            warnings = (*warnings, "an earlier evaluation of this tree was interrupted")
        async with self._world.checkouts.open(
            effect.tree, spec.isolation, Path(state.workspace), fresh=effect.fresh
        ) as checkout:
            request = await self._request(effect, state, checkout)
            try:
                report = await evaluator.evaluate(request)
            except Exception as error:  # noqa: BLE001 - a plug-in may raise anything
                report = _not_judged(effect, f"{type(error).__name__}: {error}")
            late = await checkout.finish()
            return report.evolve(
                evaluator=spec.name,
                digest=spec.digest,
                tree=effect.tree,
                isolation=checkout.isolation,
                warnings=(*warnings, *checkout.warnings, *report.warnings, *late),
                reused_from=None,
                provisional=checkout.reused,
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
    again = ".fresh" if effect.round and effect.fresh else ""
    return f"{place}.{effect.evaluator.file_name}.{effect.attempt}{trial}{again}"
