"""Carries an order out by calls of ports, and says in an event what came of it.

There is no policy here. A plug-in that breaks its contract by raising is reported as what its
seam can express: an agent as a failed turn, an evaluator as ERROR.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from loopctl.domain.agent_session import TurnOutcome, TurnResult
from loopctl.domain.criteria import CriterionReport, EvaluatorReport, Verdict
from loopctl.domain.effects import (
    AdmitRound,
    AwaitIdle,
    BuildPrompt,
    Effect,
    Evaluate,
    OpenSession,
    PrepareWorkspace,
    PublishWork,
    RecallVerdicts,
    ReleaseWorkspace,
    SendPrompt,
    Settle,
    TakeSnapshot,
)
from loopctl.domain.events import (
    AnyEvent,
    EvaluatorFinished,
    PromptBuilt,
    RoundAdmitted,
    RoundRefused,
    SessionFailed,
    SessionOpened,
    SessionsIdle,
    Settled,
    SnapshotTaken,
    TurnEnded,
    VerdictsRecalled,
    WorkPublished,
    WorkspaceLost,
    WorkspaceReady,
)
from loopctl.domain.loop import LoopState
from loopctl.domain.snapshot import Published
from loopctl.driver.round_context import gather
from loopctl.driver.world import World
from loopctl.errors import LoopctlError, SupplyError, WorkGoneError
from loopctl.ports import (
    Admission,
    AgentSession,
    EvaluationRequest,
    RoundForecast,
    SessionRequest,
    StopSignal,
)

Carrier = Callable[[Any, LoopState], Awaitable[AnyEvent]]
LOST = "the worktree is gone, and so are its snapshots and its branch: nothing can be rebuilt"


class Performer:
    """Carries orders out, one at a time beside a turn's abort."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._sessions: dict[str, AgentSession] = {}
        self._stops: dict[int, StopSignal] = {}
        self._carriers: dict[type[Effect], Carrier] = {
            PrepareWorkspace: self._prepare,
            AdmitRound: self._admit,
            OpenSession: self._open,
            BuildPrompt: self._build_prompt,
            SendPrompt: self._send,
            AwaitIdle: self._await_idle,
            Settle: self._settle,
            TakeSnapshot: self._snapshot,
            RecallVerdicts: self._recall,
            Evaluate: self._judge,
            PublishWork: self._publish,
            ReleaseWorkspace: self._release,
        }

    def abort_turn(self, order: int, outcome: TurnOutcome) -> None:
        """Ask the turn of ``order`` to end; its result still arrives."""
        self._stop_of(order).set(outcome)

    async def perform(self, effect: Effect, state: LoopState) -> AnyEvent:
        """Carry ``effect`` out; ``state`` is the one that it was decided in.

        Raises:
            LoopctlError: it could not be carried out.
            OSError: the same, from the operating system.
        """
        return await self._carriers[type(effect)](effect, state)

    def _stop_of(self, order: int) -> StopSignal:
        return self._stops.setdefault(order, StopSignal())

    async def _await_idle(self, effect: AwaitIdle, _: LoopState) -> AnyEvent:
        await asyncio.gather(*(one.wait_idle() for one in self._sessions.values()))
        return SessionsIdle(order=effect.order)

    async def _settle(self, effect: Settle, _: LoopState) -> AnyEvent:
        await self.close_sessions()
        survivors = await self._world.processes.end_all()
        return Settled(order=effect.order, survivors=survivors)

    async def _snapshot(self, effect: TakeSnapshot, _: LoopState) -> AnyEvent:
        snapshot = await self._world.workspace.snapshot(
            effect.round, effect.previous, partial=effect.partial
        )
        return SnapshotTaken(order=effect.order, snapshot=snapshot)

    async def _recall(self, effect: RecallVerdicts, _: LoopState) -> AnyEvent:
        reports = await self._world.journal.verdicts(effect.tree, effect.evaluators)
        return VerdictsRecalled(order=effect.order, reports=reports)

    async def _judge(self, effect: Evaluate, state: LoopState) -> AnyEvent:
        try:
            report = await self._evaluate(effect, state)
        except SupplyError as error:  # without its place the evaluator cannot judge
            report = _not_judged(effect, f"{error}: {error.why}", *error.evidence)
        except WorkGoneError as error:
            report = _not_judged(effect, f"{error}: {error.why}", verdict=Verdict.FAIL)
        return EvaluatorFinished(order=effect.order, report=report)

    async def _publish(self, effect: PublishWork, _: LoopState) -> AnyEvent:
        published = await self._world.workspace.publish(effect.snapshot, effect.branch_tip)
        return WorkPublished(order=effect.order, published=published)

    async def _release(self, effect: ReleaseWorkspace, _: LoopState) -> AnyEvent:
        await self._world.workspace.release()
        return WorkPublished(order=effect.order, published=Published(commit=""))

    async def _prepare(self, effect: PrepareWorkspace, state: LoopState) -> AnyEvent:
        prepared = await self._world.workspace.prepare(
            effect.snapshot, first_time=effect.first_time, branch_tip=state.branch_tip
        )
        if prepared is None:
            return WorkspaceLost(order=effect.order, detail=LOST)
        return WorkspaceReady(
            order=effect.order,
            path=str(prepared.path),
            branch_tip=prepared.branch_tip,
            origin=prepared.origin,
            notes=prepared.notes,
        )

    async def _admit(self, effect: AdmitRound, state: LoopState) -> AnyEvent:
        forecast = RoundForecast(
            loop=state.spec.name,
            round=effect.round,
            budget=state.budget,
            spent=state.spent,
            assumed=state.spec.assumed,
        )
        answer = await self._world.policy.admit(forecast)
        if isinstance(answer, Admission):
            return RoundAdmitted(order=effect.order, reservation=answer.reservation)
        return RoundRefused(
            order=effect.order,
            scope=answer.scope,
            observed=answer.observed,
            maximum=answer.maximum,
        )

    async def _open(self, effect: OpenSession, state: LoopState) -> AnyEvent:
        request = SessionRequest(
            loop=state.spec.name,
            round=effect.round,
            role=effect.role,
            workspace=self._world.workspace.working_folder(),
            log=self._world.logs / f"round-{effect.round:04d}.agent.log",
            environment=self._world.environment(effect.round),
        )
        try:
            session = await self._world.agent.open_session(request)
        except (LoopctlError, OSError) as error:
            return SessionFailed(order=effect.order, problem=str(error))
        self._sessions[session.id] = session
        return SessionOpened(order=effect.order, session_id=session.id)

    async def _build_prompt(self, effect: BuildPrompt, state: LoopState) -> AnyEvent:
        context = await gather(state, effect.round, self._world.journal)
        following = await self._world.strategy.build_next_round(context)
        digest = hashlib.sha256(following.prompt.encode("utf-8", "surrogateescape"))
        return PromptBuilt(order=effect.order, prompt=following.prompt, digest=digest.hexdigest())

    async def _send(self, effect: SendPrompt, _: LoopState) -> AnyEvent:
        session = self._sessions[effect.session_id]
        stop = self._stop_of(effect.order)
        try:
            result = await session.run_turn(effect.prompt, stop)
        except Exception as error:  # noqa: BLE001 - a plug-in may raise anything
            result = TurnResult(
                outcome=TurnOutcome.FAILED, problem=f"{type(error).__name__}: {error}"
            )
        del self._stops[effect.order]
        return TurnEnded(order=effect.order, result=self._priced(result))

    def _priced(self, result: TurnResult) -> TurnResult:
        try:
            return result.evolve(usage=self._world.pricing.price(result.usage))
        except Exception as error:  # noqa: BLE001 - a plug-in may raise anything
            problem = f"the cost could not be told: {type(error).__name__}: {error}"
            return result.evolve(problem=result.problem or problem)

    async def close_sessions(self) -> None:
        """End every open agent session."""
        while self._sessions:
            _, session = self._sessions.popitem()
            await session.close()

    async def _evaluate(self, effect: Evaluate, state: LoopState) -> EvaluatorReport:
        spec = effect.evaluator
        evaluator = self._world.evaluators[spec.name]
        warnings = effect.warnings
        if effect.flagged:
            warnings = (*warnings, "an earlier evaluation of this tree was interrupted")
        async with self._world.checkouts.open(
            effect.tree, spec.isolation, Path(state.workspace), fresh=effect.fresh
        ) as checkout:
            request = EvaluationRequest(
                spec=spec,
                checkout=checkout,
                attempt=effect.attempt,
                timeout_s=effect.timeout_s,
                baseline_completed=effect.baseline_completed,
                log=self._world.logs / f"{_run_name(effect)}.log",
                record=self._world.logs / f"baseline.{effect.evaluator.file_name}.tests.json",
                record_digest=effect.record_digest,
                hardening=effect.hardening,
                is_baseline=effect.is_baseline,
            )
            try:
                report = await evaluator.evaluate(request)
            except Exception as error:  # noqa: BLE001 - a plug-in may raise anything
                report = _not_judged(effect, f"{type(error).__name__}: {error}")
            late = await checkout.finish()
            # What was judged, and where, is the driver's to say and not the evaluator's.
            return report.evolve(
                evaluator=spec.name,
                digest=spec.digest,
                tree=effect.tree,
                isolation=checkout.isolation,
                warnings=(*warnings, *checkout.warnings, *report.warnings, *late),
                reused_from=None,
                provisional=checkout.reused,
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
