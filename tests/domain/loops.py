"""Small loops for the tests of the pure core, and a driver that carries nothing out.

``Loop`` feeds events into the machine and keeps what comes of them; a test plays the world.
"""

from loopctl.domain import machine
from loopctl.domain.agent_session import Role, TurnOutcome, TurnResult
from loopctl.domain.budget import Budget, Reservation
from loopctl.domain.concern import Severity
from loopctl.domain.criteria import CriterionReport, EvaluatorReport, Judgement, Verdict
from loopctl.domain.effects import (
    Abandon,
    AbortTurn,
    Evaluate,
    RecallVerdicts,
    SendPrompt,
    StartTimer,
)
from loopctl.domain.evaluator_spec import (
    EvaluatorSpec,
    JudgeExecutor,
    ShellExecutor,
    SingleMetric,
)
from loopctl.domain.events import (
    CancelRequested,
    CapChanges,
    ConcernFlagged,
    EffectFailed,
    EvaluatorFinished,
    HandoffCalled,
    LoopRestarted,
    LoopStarted,
    PromptBuilt,
    RoundAdmitted,
    SessionOpened,
    Settled,
    SnapshotTaken,
    SpendRequested,
    SpendSettled,
    TurnEnded,
    VerdictsRecalled,
    WorkPublished,
    WorkspaceReady,
)
from loopctl.domain.handoff import Change, CoderHandoff, Verification
from loopctl.domain.loop import LoopSpec, LoopState, begin
from loopctl.domain.snapshot import Published, Snapshot
from loopctl.domain.suite import SuiteResult
from loopctl.domain.usage import Usage, UsageSource

PASS, FAIL, ERROR = Verdict.PASS, Verdict.FAIL, Verdict.ERROR
SHELL = EvaluatorSpec(
    name="tests", criteria=SingleMetric(name="tests"), executor=ShellExecutor(command="make test")
)
JUDGE = EvaluatorSpec(
    name="judge",
    criteria=SingleMetric(name="judge"),
    executor=JudgeExecutor(rubric="r.md", model="x:big", fallbacks=("x:small",)),
)


def make_spec(**changes):
    fields = {
        "name": "fix",
        "goal": "make it green",
        "project": "p",
        "repository": "/repository",
        "base_commit": "c0",
        "base_tree": "t0",
        "branch": "loopctl/fix",
        "agent": "cmd:./agent.sh",
        "evaluators": (SHELL,),
        "budget": Budget(max_rounds=5),
    }
    return LoopSpec(**(fields | changes))


def make_report(spec=SHELL, tree="t0", verdict=FAIL, evidence=("exit 1",), duration_s=1.0):
    names = spec.criteria.declared or (spec.name,)
    return EvaluatorReport(
        evaluator=spec.name,
        digest=spec.digest,
        tree=tree,
        isolation=spec.isolation,
        duration_s=duration_s,
        criteria=tuple(
            CriterionReport(name=name, verdict=verdict, evidence=evidence) for name in names
        ),
    )


def make_snapshot(round_number, tree, judged_tree="", changed=1, **more):
    return Snapshot(
        commit=f"c-{round_number}-{tree}",
        tree=tree,
        judged_tree=judged_tree or tree,
        round=round_number,
        changed=changed,
        **more,
    )


def make_suite(passed=1, failed=1):
    return SuiteResult(passed=passed, failed=failed, skipped=0, digest="d", record="r")


def handoff(notes=""):
    run = Verification(command="make", cwd=".", outcome="pass", changed_after=False)
    return CoderHandoff(
        changes=(Change(summary="fixed it", reason="it was broken"),),
        verification=(run,),
        notes=notes,
    )


def cost(micro_usd=100, tokens=10):
    return Usage(
        micro_usd=micro_usd,
        input_tokens=tokens,
        output_tokens=0,
        source=UsageSource.AGENT_REPORTED,
    )


def turn_result(outcome=TurnOutcome.FINISHED, said="done", **more):
    return TurnResult(outcome=outcome, said=said, usage=more.pop("usage", (cost(),)), **more)


class Loop:
    """One loop and everything that was decided for it."""

    def __init__(self, spec=None, state: LoopState | None = None):
        self.state = state or begin(spec or make_spec())
        self.log, self.records, self.effects, self.replies = [], [], [], []
        self.now = 0.0

    def feed(self, event, passed_s=0.0):
        """Decide ``event``; an answer without an order answers the newest one."""
        self.now += passed_s
        event = event.evolve(at=1000.0 + self.now, mono=self.now)
        decision = machine.decide(self.state, event)
        self.state = decision.state
        self.log.append(event)
        self.records += decision.records
        self.effects += decision.effects
        self.replies += decision.replies
        return decision

    def answer(self, kind, passed_s=0.0, **fields):
        return self.feed(kind(order=self.state.order, **fields), passed_s)

    def fail(self, detail="broken"):
        return self.answer(EffectFailed, effect="it", detail=detail)

    def all(self, kind):
        return [row for row in (*self.records, *self.effects) if isinstance(row, kind)]

    @property
    def prompts(self):
        """The round of each prompt that was sent."""
        return [sent.round for sent in self.all(SendPrompt)]

    @property
    def asked(self):
        """The newest effect that waits for an answer."""
        beside = StartTimer | AbortTurn | Abandon
        return [one for one in self.effects if not isinstance(one, beside)][-1]

    def start(self, baseline=FAIL):
        """To the admission of round 1."""
        self.feed(LoopStarted())
        self.workspace()
        if self.state.spec.run_baseline and baseline is not None:
            self.judge(baseline)
        return self

    def workspace(self):
        return self.answer(WorkspaceReady, path="/w", branch_tip="c0", origin="created")

    def admit(self, **reservation):
        return self.answer(RoundAdmitted, reservation=Reservation(**reservation))

    def prompt(self, session_id="s", abilities=(), **reservation):
        """From admission to a prompt in flight."""
        self.admit(**reservation)
        able = dict.fromkeys(abilities, True)
        self.answer(SessionOpened, session_id=session_id, **able)
        return self.answer(PromptBuilt, prompt="go", digest="d")

    def remind(self):
        return self.answer(PromptBuilt, prompt="hand over", digest="n", nudge=True)

    def hand_over(self, payload=None, session_id="s", tool="loop_handoff", busy=()):
        payload = handoff() if payload is None else payload
        called = {"session_id": session_id, "tool": tool, "payload": payload, "busy": busy}
        return self.feed(HandoffCalled(call="c", **called))

    def flag(self, concern="the goal is wrong", passed_s=0.0, session_id="s"):
        flagged = {"session_id": session_id, "concern": concern, "severity": Severity.HIGH}
        return self.feed(ConcernFlagged(call="c", **flagged), passed_s)

    def request(self, request="r", micro_usd=0, tokens=0, role=Role.CODER, session_id="s"):
        """Ask for one request; return why it is refused."""
        estimate = Reservation(micro_usd=micro_usd, tokens=tokens)
        who = {"session_id": session_id, "role": role, "model": "x:big"}
        asked = self.feed(SpendRequested(request=request, estimate=estimate, **who))
        return asked.replies[0].refused

    def settle_request(self, *usage, request="r", unseen=False):
        return self.feed(SpendSettled(request=request, usage=usage, unseen=unseen))

    def end_turn(self, outcome=TurnOutcome.FINISHED, **more):
        return self.answer(TurnEnded, result=turn_result(outcome, **more))

    def snapshot(self, tree, judged_tree="", changed=1):
        self.answer(Settled)
        taken = make_snapshot(self.state.round_number, tree, judged_tree, changed)
        return self.answer(SnapshotTaken, snapshot=taken)

    def judge(self, verdict=FAIL, evidence=("exit 1",), recall=()):
        if isinstance(self.asked, RecallVerdicts):
            recalled = self.answer(VerdictsRecalled, reports=recall)
            if not isinstance(self.asked, Evaluate):
                return recalled
        tree = self.state.judged_tree
        report = make_report(self.asked.evaluator, tree, verdict, evidence)
        return self.answer(EvaluatorFinished, report=report)

    def round(self, tree, verdict=FAIL, changed=1, **turn):
        """One whole round."""
        self.prompt()
        self.end_turn(**turn)
        self.snapshot(tree, changed=changed)
        return self.judge(verdict)

    def judgement(self, verdict=ERROR, **judged):
        """The report of a judge, with what stands behind it."""
        behind = Judgement(session_id="j", model=judged.pop("model", self.asked.model), **judged)
        report = make_report(self.asked.evaluator, self.state.judged_tree, verdict)
        return self.answer(EvaluatorFinished, report=report.evolve(judged=behind))

    def publish(self):
        return self.answer(WorkPublished, published=Published(commit="c9"))

    def cancel(self, by="user", command_id=""):
        return self.feed(CancelRequested(by=by, command_id=command_id))

    def restart(self, intent="continue", unaccounted_s=0.0, by="ann", **caps):
        changes = CapChanges(**caps)
        return self.feed(
            LoopRestarted(intent=intent, unaccounted_s=unaccounted_s, by=by, changes=changes)
        )
