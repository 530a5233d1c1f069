"""A loop of a built-in agent with a judge, driven by hand through the real machine and store."""

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from loopctl.domain.agent_session import Role, TurnOutcome, TurnResult
from loopctl.domain.budget import Budget, Reservation
from loopctl.domain.criteria import CriterionReport, EvaluatorReport, Judgement, Verdict
from loopctl.domain.evaluator_spec import (
    EvaluatorSpec,
    JudgeExecutor,
    Rubric,
    RubricItem,
    ShellExecutor,
    SingleMetric,
)
from loopctl.domain.events import (
    AnyEvent,
    EvaluatorFinished,
    HandoffCalled,
    LoopStarted,
    PromptBuilt,
    RetryRequested,
    RoundAdmitted,
    SessionOpened,
    Settled,
    SnapshotTaken,
    SpendRequested,
    SpendSettled,
    TurnEnded,
    VerdictsRecalled,
    WorkspaceReady,
)
from loopctl.domain.handoff import Change, CoderHandoff, Verification
from loopctl.domain.loop import LoopSpec
from loopctl.domain.machine import decide
from loopctl.domain.snapshot import Snapshot
from loopctl.domain.usage import Usage, UsageSource
from loopctl.process.identity import ProcessIdentity
from loopctl.process.masking import Masker
from loopctl.store import commands, lease
from loopctl.store.database import Database
from loopctl.store.home import state_home
from loopctl.store.journal import LoopJournal
from loopctl.store.loop_documents import create_loop, load_state

CODER, SECOND, JUDGE = "anthropic:a", "anthropic:b", "openai:j"
TREE, BASE = "1" * 40, "b" * 40
STOP = EvaluatorSpec(
    name="stop-1", criteria=SingleMetric(name="make test"), executor=ShellExecutor(command="x")
)
JUDGED = EvaluatorSpec(
    name="judge",
    criteria=Rubric(items=(RubricItem(name="Small", description="it is small"),)),
    executor=JudgeExecutor(rubric="R.md", model=JUDGE),
)
HANDOFF = CoderHandoff(
    changes=(Change(summary="double doubles", reason="it did not"),),
    verification=(Verification(command="pytest -q", cwd=".", outcome="pass", changed_after=False),),
)
ANSWER = Usage(
    input_tokens=1000,
    output_tokens=200,
    reasoning_tokens=30,
    cache_read_tokens=4,
    cache_write_tokens=5,
    micro_usd=21_500,
    source=UsageSource.PRICED,
)


def specify(name: str) -> LoopSpec:
    return LoopSpec(
        name=name,
        goal="make the tests pass",
        project="p1",
        repository="/repository",
        base_commit="a" * 40,
        base_tree=BASE,
        branch=f"loopctl/{name}",
        agent=CODER,
        models=(CODER, SECOND),
        evaluators=(STOP, JUDGED),
        budget=Budget(max_rounds=5, max_micro_usd=2_000_000),
    )


class SpendingLoop:
    """Stands where a driver would; ``close`` lets it die."""

    def __init__(self, name: str = "fix-it") -> None:
        home = state_home(os.environ)
        self.database = Database.open(home)
        self.loop_id = create_loop(self.database, home, name, specify, lambda _: False)
        self._lease = lease.acquire(
            self.database, self.loop_id, ProcessIdentity.of_current(), home.locks
        )
        self._journal = LoopJournal(self.database, self.loop_id, self._lease.epoch, Masker({}))
        self.state = load_state(self.database, self.loop_id)

    def step(self, event: AnyEvent) -> None:
        stamped = event.evolve(at=time.time(), mono=time.monotonic())
        decision = decide(self.state, stamped)
        asyncio.run(self._journal.commit(stamped, decision))
        self.state = decision.state

    def start(self) -> None:
        self.step(LoopStarted())
        self.step(
            WorkspaceReady(order=self.state.order, path="/w", branch_tip=BASE, origin="created")
        )
        self.step(
            EvaluatorFinished(order=self.state.order, report=_report(STOP, Verdict.FAIL, BASE))
        )

    def open_turn(self, session: str) -> None:
        self.step(RoundAdmitted(order=self.state.order, reservation=Reservation()))
        self.step(
            SessionOpened(
                order=self.state.order,
                session_id=session,
                has_tools=True,
                remembers=True,
                is_metered=True,
            )
        )
        self.step(PromptBuilt(order=self.state.order, prompt="work", digest="d" * 64))

    def ask(self, request: str, model: str, session: str = "s1", role: Role = Role.CODER) -> None:
        estimate = Reservation(tokens=2000, micro_usd=40_000)
        self.step(
            SpendRequested(
                request=request, session_id=session, role=role, model=model, estimate=estimate
            )
        )

    def spend(self, request: str, usage: Usage, **where: object) -> None:
        self.ask(request, usage.model, **where)
        self.step(SpendSettled(request=request, usage=(usage,)))

    def end_turn(self, outcome: TurnOutcome = TurnOutcome.FINISHED, **result: object) -> None:
        self.step(
            TurnEnded(
                order=self.state.order, result=TurnResult(outcome=outcome, duration_s=1.5, **result)
            )
        )

    def work(self, session: str) -> None:
        """A whole turn that hands over."""
        call = HandoffCalled(call="c", session_id=session, tool="loop_handoff", payload=HANDOFF)
        self.step(call)
        self.end_turn()
        self.settle()
        self.step(VerdictsRecalled(order=self.state.order))

    def settle(self) -> None:
        self.step(Settled(order=self.state.order))
        number = self.state.round_number
        snapshot = Snapshot(commit="c" * 40, tree=TREE, judged_tree=TREE, round=number)
        self.step(SnapshotTaken(order=self.state.order, snapshot=snapshot))

    def judge(self, session: str) -> None:
        """The command passes, the judge does not."""
        self.step(EvaluatorFinished(order=self.state.order, report=_report(STOP, Verdict.PASS)))
        usage = ANSWER.evolve(model=JUDGE, micro_usd=None, source=UsageSource.UNKNOWN)
        self.spend("j1", usage, session=session, role=Role.JUDGE)
        report = _report(JUDGED, Verdict.FAIL).evolve(
            judged=Judgement(session_id=session, model=JUDGE, prompt_digest="e" * 64, answer="{}")
        )
        self.step(EvaluatorFinished(order=self.state.order, report=report))

    def wait(self, seconds: float) -> None:
        self.end_turn(
            TurnOutcome.LIMITED, limit_resets_in_s=seconds, problem="the quota is used up"
        )
        self.settle()

    def obey(self, patience_s: float = 10.0) -> None:
        """Answer one command, as a driver does that was woken."""
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline:
            for command in commands.pending(self.database, self.loop_id):
                assert command.kind == "retry-now"
                self.step(RetryRequested(by=command.by, command_id=command.id))
                return
            time.sleep(0.01)

    def close(self) -> None:
        self._journal.close()
        self._lease.release()
        self.database.close()


@contextmanager
def spending_loop(name: str = "fix-it") -> Iterator[SpendingLoop]:
    """A loop whose first turn is open."""
    loop = SpendingLoop(name)
    try:
        loop.start()
        loop.open_turn("s1")
        yield loop
    finally:
        loop.close()


def _report(spec: EvaluatorSpec, verdict: Verdict, tree: str = TREE) -> EvaluatorReport:
    names = spec.criteria.declared or ()
    evidence = ("calc.py:2: return x",)
    return EvaluatorReport(
        evaluator=spec.name,
        digest=spec.digest,
        tree=tree,
        isolation=spec.isolation,
        criteria=tuple(
            CriterionReport(name=name, verdict=verdict, evidence=evidence) for name in names
        ),
        exit="" if spec is JUDGED else "exit 1",
        duration_s=0.25,
    )
