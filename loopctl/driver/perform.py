"""Carries an order out by calls of ports, and says in an event what came of it.

There is no policy here. What is done for agent sessions is in ``sessions``, for evaluators in
``judging``; the rest is a call of a port each.
"""

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

from loopctl.domain.agent_session import TurnOutcome
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
    PromptBuilt,
    RoundAdmitted,
    RoundRefused,
    SessionsIdle,
    Settled,
    SnapshotTaken,
    VerdictsRecalled,
    WorkPublished,
    WorkspaceLost,
    WorkspaceReady,
)
from loopctl.domain.loop import LoopState
from loopctl.domain.phases.handover import MAX_NUDGES
from loopctl.domain.snapshot import Published
from loopctl.driver.forecast import forecast
from loopctl.driver.judging import Judging
from loopctl.driver.meter import Meters
from loopctl.driver.round_context import gather
from loopctl.driver.sessions import Sessions
from loopctl.driver.world import World
from loopctl.ports import Admission, Ask
from loopctl.prompts.nudge import nudge

Carrier = Callable[[Any, LoopState], Awaitable[AnyEvent]]
LOST = "the worktree is gone, and so are its snapshots and its branch: nothing can be rebuilt"


class Performer:
    """Carries orders out, one at a time beside a turn's abort.

    Args:
        world: the ports.
        ask: hands an event to the loop and returns its reply.
        post: hands an event to the loop that has no reply.
    """

    def __init__(self, world: World, ask: Ask, post: Callable[[AnyEvent], None]) -> None:
        self._world = world
        meters = Meters(world.pricing, ask, post)
        self._sessions = Sessions(world, ask, meters)
        self._judging = Judging(world, meters)
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
        self._sessions.abort(order, outcome)

    async def perform(self, effect: Effect, state: LoopState) -> AnyEvent:
        """Carry ``effect`` out; ``state`` is the one that it was decided in.

        Raises:
            LoopctlError: it could not be carried out.
            OSError: the same, from the operating system.
        """
        return await self._carriers[type(effect)](effect, state)

    async def close_sessions(self) -> None:
        """End every open agent session."""
        await self._sessions.close_all()

    async def _open(self, effect: OpenSession, state: LoopState) -> AnyEvent:
        return await self._sessions.open(effect, state)

    async def _send(self, effect: SendPrompt, _: LoopState) -> AnyEvent:
        return await self._sessions.send(effect)

    async def _judge(self, effect: Evaluate, state: LoopState) -> AnyEvent:
        return await self._judging.judge(effect, state)

    async def _await_idle(self, effect: AwaitIdle, _: LoopState) -> AnyEvent:
        await self._sessions.wait_idle()
        return SessionsIdle(order=effect.order)

    async def _settle(self, effect: Settle, _: LoopState) -> AnyEvent:
        await self.close_sessions()
        survivors = await self._world.processes.end_all()
        return Settled(order=effect.order, survivors=survivors)

    async def _snapshot(self, effect: TakeSnapshot, _: LoopState) -> AnyEvent:
        sandbox = self._world.sandbox
        notes = () if sandbox is None else await sandbox.collect(effect.round)
        snapshot = await self._world.workspace.snapshot(
            effect.round, effect.previous, partial=effect.partial
        )
        if notes:
            snapshot = snapshot.evolve(notes=(*notes, *snapshot.notes))
        return SnapshotTaken(order=effect.order, snapshot=snapshot)

    async def _recall(self, effect: RecallVerdicts, _: LoopState) -> AnyEvent:
        reports = await self._world.journal.verdicts(effect.tree, effect.evaluators)
        return VerdictsRecalled(order=effect.order, reports=reports)

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
        answer = await self._world.policy.admit(forecast(state, effect.round, self._world.pricing))
        if isinstance(answer, Admission):
            return RoundAdmitted(order=effect.order, reservation=answer.reservation)
        return RoundRefused(
            order=effect.order,
            scope=answer.scope,
            observed=answer.observed,
            maximum=answer.maximum,
        )

    async def _build_prompt(self, effect: BuildPrompt, state: LoopState) -> AnyEvent:
        prompt = ""
        if effect.whole:
            context = await gather(state, effect.round, self._world.journal)
            prompt = (await self._world.strategy.build_next_round(context)).prompt
        if effect.nudge:
            prompt = "\n".join(part for part in (prompt, nudge(effect.nudge, MAX_NUDGES)) if part)
        digest = hashlib.sha256(prompt.encode("utf-8", "surrogateescape"))
        return PromptBuilt(
            order=effect.order,
            prompt=prompt,
            digest=digest.hexdigest(),
            nudge=not effect.whole,
        )
