"""Judging a tree once more, by the machine's own rules, without a loop around it.

The same decisions are made as in a loop: the base commit first, for the floor; then every
evaluator in scope, as often as was asked for, the new tests and the hold-out. Invariant: nothing
is recalled and nothing is written; the loop's own state is not touched.
"""

import time
from collections.abc import Callable

from loopctl.domain.criteria import EvaluatorReport
from loopctl.domain.decision import Decision, Reply
from loopctl.domain.effects import Evaluate, RecallVerdicts
from loopctl.domain.events import AnyEvent, VerdictsRecalled
from loopctl.domain.loop import LoopSpec, OpenRound, begin
from loopctl.domain.machine import decide
from loopctl.domain.phases.auditing import enter_evaluate
from loopctl.domain.phases.baseline import resume
from loopctl.domain.records import EvaluationRecorded
from loopctl.domain.snapshot import Snapshot
from loopctl.driver.judging import Bench, Judging
from loopctl.driver.meter import Meters
from loopctl.ports import Asked, PricingProvider


class Rejudging:
    """One judging of a loop's base commit and of its last snapshot.

    Args:
        spec: the loop's; every evaluator in it is asked.
        workspace: the loop's worktree, which need not be there.
        bench: what evaluators are run with.
        pricing: what judges cost; the loop's caps hold once more, for this alone.
        tell: is told what is run next.
    """

    def __init__(
        self,
        spec: LoopSpec,
        workspace: str,
        bench: Bench,
        pricing: PricingProvider,
        tell: Callable[[str], None],
    ) -> None:
        self._spec = spec
        self.state = begin(spec).evolve(workspace=workspace)
        self.reports: list[EvaluatorReport] = []
        self._judging = Judging(bench, Meters(pricing, self._ask, self._post))
        self._tell = tell

    async def judge_base(self, *, alone: bool) -> None:
        """Judge the base commit; what its tests come to is the floor.

        Args:
            alone: no snapshot follows: it has to be shown as a result is.
        """
        if not alone:
            self.state = self.state.evolve(spec=self._spec.evolve(confirm=1, holdout=None))
        await self._settle(resume(self.state))

    async def judge(self, snapshot: Snapshot) -> None:
        """Judge the tree of a snapshot; the base commit was judged before."""
        runs = self.state.baseline or ()
        self.reports.clear()
        again = begin(self._spec).evolve(
            workspace=self.state.workspace,
            baseline=runs,
            clock=self.state.clock,
            snapshot=snapshot,
            last_round=snapshot.round,
            round=OpenRound(number=snapshot.round),
        )
        await self._settle(enter_evaluate(again))

    async def _settle(self, decision: Decision) -> None:
        """Carry out every order to evaluate, until the machine wants something else."""
        self._keep(decision)
        while True:
            event = await self._carry_out(decision)
            if event is None:
                return
            decision = self._decide(event)

    async def _carry_out(self, decision: Decision) -> AnyEvent | None:
        for effect in decision.effects:
            match effect:
                case RecallVerdicts():
                    return VerdictsRecalled(order=effect.order)
                case Evaluate():
                    place = "the snapshot" if effect.round else "the base commit"
                    again = f" ({effect.stage})" if effect.showing > 1 else ""
                    self._tell(f"{effect.evaluator.name} judges {place}{again}")
                    return await self._judging.judge(effect, self.state)
                case _:
                    continue
        return None

    def _decide(self, event: AnyEvent) -> Decision:
        decision = decide(self.state, event.evolve(at=time.time(), mono=time.monotonic()))
        self._keep(decision)
        return decision

    def _keep(self, decision: Decision) -> None:
        self.state = decision.state
        self.reports += [
            record.report for record in decision.records if isinstance(record, EvaluationRecorded)
        ]

    async def _ask(self, event: Asked) -> Reply:
        return self._decide(event).replies[0]

    def _post(self, event: AnyEvent) -> None:
        self._decide(event)
