"""One example of every fact, and a loop that has ended, for the tests of what people see."""

from loopctl.domain import events, records
from loopctl.domain.agent_session import Role, Survivor, TurnOutcome, TurnResult
from loopctl.domain.budget import Budget, Reservation, Spent
from loopctl.domain.concern import OnConcern, Severity
from loopctl.domain.criteria import CriterionReport, EvaluatorReport, Judgement, Verdict
from loopctl.domain.evaluator_spec import EvaluatorSpec, ShellExecutor, SingleMetric
from loopctl.domain.handoff import Change, CoderHandoff, Deviation, Verification
from loopctl.domain.hardening import Hardening
from loopctl.domain.ledger import Ledger, LedgerEntry
from loopctl.domain.loop import LoopSpec, LoopState, begin
from loopctl.domain.snapshot import LeftOut, PathChange, Published, Snapshot
from loopctl.domain.stage import Stage
from loopctl.domain.stop import (
    CapScope,
    GoalMet,
    MetCriterion,
    Status,
    StopCondition,
    exit_code_of,
    status_of,
)
from loopctl.domain.usage import Usage, UsageSource
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


MODEL = "anthropic:a"
USED = Usage(
    model=MODEL,
    input_tokens=1000,
    output_tokens=200,
    cache_read_tokens=34,
    micro_usd=21_500,
    source=UsageSource.PRICED,
)
HANDOFF = CoderHandoff(
    changes=(Change(summary="double doubles", reason="it did not"),),
    deviations=(Deviation(plan_item="docs", actual="none", reason="there are none"),),
    verification=(Verification(command="pytest -q", cwd=".", outcome="pass", changed_after=False),),
    notes="that is all",
)
JUDGED = EvaluatorReport(
    evaluator="judge",
    digest="j",
    tree=TREE,
    isolation="separate-worktree",
    criteria=(
        CriterionReport(name="Small", verdict=Verdict.PASS, evidence=("calc.py:2: return 2 * x",)),
        CriterionReport(name="Plain", verdict=Verdict.FAIL, evidence=("calc.py:1: def f(q)",)),
    ),
    duration_s=3.5,
    judged=Judgement(session_id="s9", model=MODEL, prompt_digest="d1ce", answer="{}"),
)
FACTS = (
    events.LoopStarted(),
    events.LoopRestarted(),
    events.CancelRequested(by="SIGINT"),
    events.RetryRequested(),
    events.HandoffCalled(call="c1", session_id="s1", tool="loop_handoff", payload=HANDOFF),
    events.ConcernFlagged(
        call="c2", session_id="s1", concern="the goal\x1b[2J is odd", severity=Severity.HIGH
    ),
    events.SpendRequested(
        request="r1",
        session_id="s1",
        role=Role.CODER,
        model=MODEL,
        estimate=Reservation(micro_usd=20_000, tokens=1200),
    ),
    events.SpendRequested(
        request="r2", session_id="s1", role=Role.JUDGE, model="x:y", estimate=Reservation()
    ),
    events.SpendSettled(request="r1", usage=(USED,)),
    events.SpendSettled(request="r2"),
    events.SpendSettled(request="r3", unseen=True),
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
    events.PromptBuilt(order=1, prompt="", digest="d1ce", nudge=True),
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
    events.TurnEnded(
        order=1,
        result=TurnResult(
            outcome=TurnOutcome.UNAVAILABLE, failed_model=MODEL, problem="no such model"
        ),
    ),
    events.TurnEnded(order=1, result=TurnResult(outcome=TurnOutcome.CAPPED)),
    events.TurnEnded(
        order=1,
        result=TurnResult(
            outcome=TurnOutcome.FINISHED, survivors=(Survivor(pid=7, command="sleep 99"),)
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
    events.EvaluatorFinished(order=1, report=JUDGED),
    *(
        events.EvaluatorFinished(order=1, report=report().evolve(stage=stage))
        for stage in (Stage.AGAIN, Stage.NEW_TESTS, Stage.HOLDOUT)
    ),
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
    records.CapApproached(scope=CapScope.USD, percent=75, observed=1.6, maximum=2),
    records.CapApproached(scope=CapScope.TOKENS, percent=90, observed=912, maximum=1000),
    records.HandoffResolved(round=2, session_id="s1", role=Role.CODER, status="applied"),
    records.HandoffResolved(
        round=2, session_id="s1", role=Role.CODER, status="discarded", why="its turn was aborted"
    ),
    records.HandoffNudged(round=2, session_id="s1", number=1, maximum=3),
    records.ConcernRecorded(
        round=2,
        session_id="s1",
        source="agent",
        concern="the goal is odd",
        severity=Severity.HIGH,
        policy=OnConcern.STOP,
    ),
    records.ConcernRecorded(
        round=2,
        session_id="",
        source="heuristic",
        concern="half of the cap is used",
        severity=Severity.MEDIUM,
        policy=OnConcern.NOTIFY_CONTINUE,
    ),
    records.ModelFailed(
        round=2, role=Role.CODER, model=MODEL, following="openai:b", problem=f"{MODEL}: not there"
    ),
    records.ModelFailed(round=2, role=Role.JUDGE, model="openai:b", following="", problem=""),
    records.SpendUnseen(round=2, session_id="s1", role=Role.CODER, usage=(USED,)),
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
