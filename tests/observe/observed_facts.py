"""One example of every fact, and a loop that has ended, for the tests of what people see."""

from loopctl.domain import events, records
from loopctl.domain.agent_session import Survivor, TurnOutcome, TurnResult
from loopctl.domain.budget import Budget, Reservation, Spent
from loopctl.domain.criteria import CriterionReport, EvaluatorReport, Verdict
from loopctl.domain.evaluator_spec import EvaluatorSpec, ShellExecutor, SingleMetric
from loopctl.domain.hardening import Hardening
from loopctl.domain.loop import Ledger, LedgerEntry, LoopSpec, LoopState, begin
from loopctl.domain.snapshot import LeftOut, PathChange, Published, Snapshot
from loopctl.domain.stop import (
    CapScope,
    GoalMet,
    MetCriterion,
    Status,
    StopCondition,
    exit_code_of,
    status_of,
)
from loopctl.ports import LogEntry

TREE = "2385f5599ad0" + 28 * "0"
COMMIT = "c0ffee" + 34 * "0"
BASE = "ba5e" + 36 * "0"
NOON = 1_800_000_000.0
SUITE = "python -m pytest -q"
RESTORED = PathChange(path="tests/test_x.py", kind="M")
SNAPSHOT = Snapshot(
    commit=COMMIT,
    tree=TREE,
    judged_tree=TREE,
    round=2,
    changed=3,
    restored=(RESTORED,),
    left_out=(LeftOut(path=".env", reason="looks like a secret"),),
    notes=("a nested repository is stored as plain files",),
)
GOAL_MET = GoalMet(
    tree=TREE,
    criteria=(MetCriterion(evaluator="stop-1", criterion=SUITE, evidence="exit 0 after 0.4 s"),),
)


def report(verdict: Verdict = Verdict.FAIL, **changes: object) -> EvaluatorReport:
    criterion = CriterionReport(name=SUITE, verdict=verdict, evidence=("exit 1",))
    fields = {"exit": "exit 1", "duration_s": 0.4, "criteria": (criterion,), **changes}
    return EvaluatorReport(
        evaluator="stop-1", digest="d", tree=TREE, isolation="separate-worktree", **fields
    )


FACTS = (
    events.LoopStarted(),
    events.LoopRestarted(),
    events.CancelRequested(by="SIGINT"),
    events.WorkspaceReady(order=1, path="/w/fix", branch_tip=BASE, origin="created"),
    events.WorkspaceReady(
        order=1,
        path="/w/fix",
        branch_tip=BASE,
        origin="rebuilt-from-snapshot",
        notes=("a submodule is not checked out", "a\nb"),
    ),
    events.WorkspaceLost(order=1, detail="no folder, no branch"),
    events.RoundAdmitted(order=1, reservation=Reservation()),
    events.RoundAdmitted(order=1, reservation=Reservation(micro_usd=500_000, tokens=1)),
    events.RoundRefused(order=1, scope=CapScope.USD, observed=0.6, maximum=0.5),
    events.SessionOpened(order=1, session_id="s1"),
    events.SessionFailed(order=1, problem="no such file"),
    events.PromptBuilt(order=1, prompt="", digest="d1ce"),
    events.TurnEnded(
        order=1,
        result=TurnResult(outcome=TurnOutcome.FINISHED, exit="exit 0", duration_s=41.2),
    ),
    events.TurnEnded(
        order=1,
        result=TurnResult(
            outcome=TurnOutcome.LIMITED, problem="quota\x1b[2J", duration_s=125, busy=("s2",)
        ),
    ),
    events.SessionsIdle(order=1),
    events.Settled(order=1),
    events.Settled(order=1, survivors=(Survivor(pid=7, command="sleep 99"),)),
    events.SnapshotTaken(order=1, snapshot=SNAPSHOT),
    events.SnapshotTaken(
        order=1, snapshot=Snapshot(commit=COMMIT, tree=TREE, judged_tree=TREE, round=1)
    ),
    events.VerdictsRecalled(order=1),
    events.VerdictsRecalled(order=1, reports=(report(reused_from=1),)),
    events.EvaluatorFinished(order=1, report=report()),
    events.WorkPublished(order=1, published=Published(commit=COMMIT)),
    events.WorkPublished(
        order=1, published=Published(commit="", moved=True, note="the branch was moved")
    ),
    events.WorkPublished(order=1, published=Published(commit="")),
    events.TimerFired(order=1, timer="round"),
    events.EffectFailed(order=1, effect="Settle", detail="the guard is gone"),
    records.RoundClosed(round=2, verdict=Verdict.FAIL, passed=1, judged=2, changed=3),
    records.RoundClosed(
        round=3,
        verdict=Verdict.FAIL,
        passed=0,
        judged=1,
        changed=3,
        tests_passed=41,
        tests_total=45,
    ),
    records.CheckoutLacks(folders=(".venv",), supply='[evaluator] share = [".venv"]'),
    records.BaselineNotice(evaluator="stop-1", problem="no test could be run", advice="look at it"),
    records.HardeningTried(evaluator="stop-1", hardening=Hardening.FULL, kept=False),
    records.HardeningTried(evaluator="stop-1", hardening=Hardening.PLUGINS, kept=True),
    records.InvalidReport(round=2, evaluator="stop-1", refused=("PASS without evidence",)),
    records.EventRefused(event="settled", why="stale: answers order 3"),
    records.CapChanged(cap="max_rounds", old=5, new=None, by="user"),
    records.TurnInterrupted(round=2, session_id="s1"),
    records.LimitWait(round=2, until=NOON, problem="quota"),
    records.LoopEnded(status=Status.COMPLETED, stop=GOAL_MET, exit_code=0),
)


def entry_of(fact: events.AnyEvent | records.AnyRecord, seq: int = 1) -> LogEntry:
    payload = fact.model_dump(mode="json", exclude={"kind"})
    return LogEntry(seq, NOON, 2, fact.kind, payload)


def ended(stop: StopCondition = GOAL_MET, **changes: object) -> LoopState:
    """A loop that has ended after two rounds."""
    spec = LoopSpec(
        name="fix-it",
        goal="make the tests pass",
        project="p",
        repository="/repository",
        base_commit=BASE,
        base_tree=TREE,
        branch="loopctl/fix-it",
        agent="cmd:./agent.sh",
        evaluators=(
            EvaluatorSpec(
                name="stop-1",
                criteria=SingleMetric(name=SUITE),
                executor=ShellExecutor(command=SUITE),
            ),
        ),
        budget=Budget(max_rounds=5),
    )
    verdict = Verdict.PASS if stop.kind == "goal-met" else Verdict.FAIL
    entry = LedgerEntry(
        evaluator="stop-1", criterion=SUITE, verdict=verdict, headline="exit 0 after 0.4 s"
    )
    fields = {
        "status": status_of(stop),
        "stop": stop,
        "last_round": 2,
        "spent": Spent(rounds=2, worked_s=72.0, unknown_turns=2),
        "workspace": "/w/fix-it",
        "snapshot": SNAPSHOT,
        "ledger": Ledger(tree=TREE, entries=(entry,), judged=True),
        "published": Published(commit=COMMIT),
        **changes,
    }
    return begin(spec).evolve(**fields)


def end_entry(state: LoopState) -> LogEntry:
    assert state.stop is not None
    ended_record = records.LoopEnded(
        status=state.status, stop=state.stop, exit_code=int(exit_code_of(state.stop))
    )
    return entry_of(ended_record, seq=9)
