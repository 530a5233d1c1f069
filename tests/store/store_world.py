"""A store with a loop in it, and a scripted run of that loop through the machine."""

import asyncio
from dataclasses import dataclass, field
from itertools import count

from loopctl.domain.agent_session import TurnOutcome, TurnResult
from loopctl.domain.budget import Reservation
from loopctl.domain.criteria import CriterionReport, EvaluatorReport, Verdict
from loopctl.domain.decision import Decision
from loopctl.domain.evaluator_spec import EvaluatorSpec, ShellExecutor, SingleMetric
from loopctl.domain.events import (
    AnyEvent,
    EvaluatorFinished,
    LoopStarted,
    PromptBuilt,
    RoundAdmitted,
    SessionOpened,
    SessionsIdle,
    Settled,
    SnapshotTaken,
    TurnEnded,
    VerdictsRecalled,
    WorkPublished,
    WorkspaceReady,
)
from loopctl.domain.loop import LoopSpec, LoopState
from loopctl.domain.machine import decide
from loopctl.domain.records import AnyRecord
from loopctl.domain.snapshot import PathChange, Published, Snapshot
from loopctl.domain.usage import Usage
from loopctl.ports import LogEntry
from loopctl.process.identity import ProcessIdentity
from loopctl.process.masking import Masker
from loopctl.store import lease
from loopctl.store.database import Database
from loopctl.store.home import StateHome, state_home
from loopctl.store.journal import LoopJournal
from loopctl.store.loop_documents import create_loop, load_state

CHECK = EvaluatorSpec(
    name="make test",
    criteria=SingleMetric(name="make test"),
    executor=ShellExecutor(command="make test"),
)
BASE_TREE = "b" * 40
STARTED_AT = 1_700_000_000.25


def make_spec(name: str, **changes: object) -> LoopSpec:
    spec = LoopSpec(
        name=name,
        goal="make the failing tests pass",
        project="p1",
        repository="/repository",
        base_commit="a" * 40,
        base_tree=BASE_TREE,
        branch=f"loopctl/{name}",
        agent="cmd:./agent.sh",
        evaluators=(CHECK,),
    )
    return spec.evolve(**changes)


def new_home(tmp_path) -> StateHome:
    return state_home({"LOOPCTL_HOME": str(tmp_path / "home")})


def new_loop(database: Database, home: StateHome, name: str = "fix") -> str:
    return create_loop(database, home, name, make_spec, lambda name: False)


def report(tree: str, verdict: Verdict, *evidence: str, digest: str = "") -> EvaluatorReport:
    lines = evidence or ("exit 1", "FAILED test_one")
    return EvaluatorReport(
        evaluator=CHECK.name,
        digest=digest or CHECK.digest,
        tree=tree,
        isolation="separate-worktree",
        criteria=(CriterionReport(name=CHECK.name, verdict=verdict, evidence=lines),),
        exit="exit 1",
        duration_s=0.25,
        log="1.log",
        warnings=("a link was left out",),
    )


@dataclass
class Run:
    """Drives one loop with events made by hand, through the real machine and journal."""

    database: Database
    home: StateHome
    loop_id: str
    masker: Masker = field(default_factory=lambda: Masker({}))
    entries: list[LogEntry] = field(default_factory=list)

    def __post_init__(self) -> None:
        identity = ProcessIdentity.of_current()
        self.lease = lease.acquire(self.database, self.loop_id, identity, self.home.locks)
        self.journal = LoopJournal(self.database, self.loop_id, self.lease.epoch, self.masker)
        self.state: LoopState = load_state(self.database, self.loop_id)
        self._ticks = count()

    @property
    def order(self) -> int:
        return self.state.order

    def decide(self, event: AnyEvent) -> tuple[AnyEvent, Decision]:
        tick = next(self._ticks)
        event = event.evolve(at=STARTED_AT + tick, mono=100.5 + tick)
        return event, decide(self.state, event)

    def step(self, event: AnyEvent) -> None:
        event, decision = self.decide(event)
        self.entries += asyncio.run(self.journal.commit(event, decision))
        self.state = decision.state

    def write(self, record: AnyRecord) -> None:
        """Write a row that no event has led to."""
        event = SessionsIdle(at=STARTED_AT, order=self.order)
        asyncio.run(self.journal.commit(event, Decision(self.state, (record,))))

    def start(self) -> None:
        self.step(LoopStarted())
        self.step(
            WorkspaceReady(
                order=self.order, path="/worktree", branch_tip="a" * 40, origin="created"
            )
        )
        baseline = report(BASE_TREE, Verdict.FAIL, "exit 2", "make: no rule")
        self.step(EvaluatorFinished(order=self.order, report=baseline))

    def prompt(self, number: int, text: str = "") -> None:
        self.step(RoundAdmitted(order=self.order, reservation=Reservation(micro_usd=5)))
        self.step(SessionOpened(order=self.order, session_id=f"session-{number}"))
        self.step(PromptBuilt(order=self.order, prompt=text or f"prompt {number}", digest="d" * 64))

    def work(self, number: int, *, said: str = "done", usage: Usage | None = None) -> None:
        known = usage or Usage(model="m", input_tokens=10, output_tokens=2, micro_usd=7)
        result = TurnResult(
            outcome=TurnOutcome.FINISHED, exit="exit 0", said=said, duration_s=1.5, usage=(known,)
        )
        self.step(TurnEnded(order=self.order, result=result))
        self.step(Settled(order=self.order))
        self.step(SnapshotTaken(order=self.order, snapshot=snapshot(number)))

    def judge(self, number: int, verdict: Verdict, *evidence: str) -> None:
        self.step(VerdictsRecalled(order=self.order))
        self.step(
            EvaluatorFinished(order=self.order, report=report(tree(number), verdict, *evidence))
        )

    def round(self, number: int, verdict: Verdict) -> None:
        self.prompt(number)
        self.work(number)
        self.judge(number, verdict)

    def publish(self) -> None:
        self.step(WorkPublished(order=self.order, published=Published(commit="e" * 40)))

    def close(self) -> None:
        self.journal.close()
        self.lease.release()


def tree(number: int) -> str:
    return f"{number:040x}"


def snapshot(number: int) -> Snapshot:
    return Snapshot(
        commit="c" * 40,
        tree=tree(number),
        judged_tree=tree(number),
        round=number,
        changed=1,
        changes=(PathChange(path="pantry/units.py", kind="M", added=1, deleted=1),),
    )
