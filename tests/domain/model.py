"""What must be true of any loop, counted by the test itself.

The model sees events, orders and rows go by and keeps its own books. It never reads a counter,
a streak or a ledger of the state to form an expectation; the state is only what it checks.
"""

from dataclasses import dataclass, field

from loopctl.domain.agent_session import TurnOutcome, TurnResult
from loopctl.domain.budget import Reservation
from loopctl.domain.criteria import Verdict
from loopctl.domain.effects import AdmitRound, Evaluate, PublishWork, SendPrompt
from loopctl.domain.events import (
    CancelRequested,
    EffectFailed,
    EvaluatorFinished,
    LoopRestarted,
    LoopStarted,
    PromptBuilt,
    RoundAdmitted,
    RoundRefused,
    SessionFailed,
    SnapshotTaken,
    TurnEnded,
    VerdictsRecalled,
    WorkspaceLost,
)
from loopctl.domain.hardening import Hardening
from loopctl.domain.records import LimitWait, LoopEnded, RoundClosed, TurnRecorded
from loopctl.domain.stop import (
    ApprovalRequired,
    BudgetCap,
    Cancelled,
    CapScope,
    Errored,
    ErrorReason,
    GoalMet,
    Stuck,
)

CUT_SHORT = {TurnOutcome.ABORTED, TurnOutcome.INTERRUPTED, TurnOutcome.LIMITED}
FAILED = {TurnOutcome.FAILED, TurnOutcome.NOT_STARTED, TurnOutcome.TIMED_OUT}


def judged(spec, report):
    """The verdicts that a report proves, by the rules of the ledger; ``None`` for an ERROR."""
    declared = spec.criteria.declared
    verdicts = {}
    for entry in report.criteria:
        if declared is not None and entry.name not in declared:
            continue
        proved = entry.verdict is Verdict.PASS and "".join(entry.evidence).strip()
        mine = Verdict.PASS if proved else entry.verdict
        if entry.verdict is Verdict.PASS and not proved:
            mine = Verdict.FAIL
        verdicts.setdefault(entry.name, []).append(mine)
    for name in declared or ():
        verdicts.setdefault(name, [Verdict.FAIL])
    flat = [verdict for found in verdicts.values() for verdict in found]
    return None if not flat or Verdict.ERROR in flat else all(v is Verdict.PASS for v in flat)


@dataclass
class Model:
    """The test's own books on one loop."""

    spec: object
    caps: dict = field(default_factory=dict)
    micro_usd: int = 0
    tokens: int = 0
    unknown: int = 0
    worked_s: float = 0.0
    mono: float = 0.0
    waiting: bool = False
    prompts: list = field(default_factory=list)
    since_restart: set = field(default_factory=set)
    counted_turns: int = 0
    highest: int = 0
    held: int = 0
    reservation: Reservation = field(default_factory=Reservation)
    in_flight: bool = False
    unsaved: bool = False
    result: object = None
    tree: str = ""
    snapshot: object = None
    proofs: dict = field(default_factory=dict)
    evaluating: object = None
    closed: set = field(default_factory=set)
    agent_errors: int = 0
    unchanged: int = 0
    restored_only: int = 0
    evaluator_errors: int = 0
    cancelled: bool = False
    broken: bool = False
    refused: bool = False
    limited: bool = False
    over: bool = False
    met: bool = False

    def __post_init__(self):
        self.tree = self.spec.base_tree
        budget = self.spec.budget
        self.caps = {
            CapScope.USD: budget.max_micro_usd,
            CapScope.TOKENS: budget.max_tokens,
            CapScope.TIME: budget.max_time_s,
            CapScope.ROUNDS: budget.max_rounds,
        }

    # what happened

    def happened(self, event):
        """Book one event that the machine has taken."""
        self._time(event)
        match event:
            case RoundAdmitted(reservation=reservation):
                self.reservation = reservation
            case RoundRefused():
                self.refused = True
            case SessionFailed():
                self.agent_errors += 1
            case TurnEnded(result=result):
                self._turn_over(result.usage, result)
            case EffectFailed() if self.in_flight:
                self._turn_over((), None)
            case EffectFailed() | WorkspaceLost():
                self.broken = True
            case _:
                self._judged_or_asked(event)

    def _judged_or_asked(self, event):
        match event:
            case SnapshotTaken(snapshot=snapshot):
                self._saved(snapshot)
            case VerdictsRecalled(reports=reports):
                for report in reports:
                    self._report(report, recalled=True)
            case EvaluatorFinished(report=report):
                self._report(report)
            case LoopRestarted():
                self._restart(event)
            case CancelRequested():
                self.cancelled = True
            case _:
                pass

    def _time(self, event):
        if not isinstance(event, LoopStarted | LoopRestarted) and not self.waiting:
            self.worked_s += event.mono - self.mono
        self.mono = event.mono
        self.waiting = False

    def _turn_over(self, usages, result):
        """Every prompt in flight comes to exactly one end."""
        assert self.in_flight
        self.in_flight = False
        self.counted_turns += 1
        self.result = result
        if result is None:
            self.micro_usd += self.reservation.micro_usd
            self.tokens += self.reservation.tokens
            self.unknown += 1
            return
        for usage in usages:
            self.micro_usd += usage.micro_usd or 0
            if usage.input_tokens is not None and usage.output_tokens is not None:
                self.tokens += usage.input_tokens + usage.output_tokens
        self.unknown += not usages or any(usage.micro_usd is None for usage in usages)

    def _saved(self, snapshot):
        assert self.unsaved
        self.unsaved = False
        before, self.tree, self.snapshot = self.tree, snapshot.judged_tree, snapshot
        self.evaluator_errors = 0
        outcome = TurnOutcome.FAILED if self.result is None else self.result.outcome
        self.limited = outcome is TurnOutcome.LIMITED
        if outcome in CUT_SHORT:
            return
        said = "" if self.result is None else self.result.said.strip()
        changed = snapshot.changed or (self.restored_only and snapshot.restored)
        if not changed and (outcome in FAILED or not said):
            self.agent_errors += 1
            return
        self.agent_errors = 0
        moved = self.tree != before
        self.unchanged = 0 if moved else self.unchanged + 1
        self.restored_only = self.restored_only + 1 if changed and not moved else 0

    def _report(self, report, *, recalled=False):
        order = self.evaluating
        if not recalled and order.round == 0 and order.hardening is not Hardening.NONE:
            return  # a trial judges nothing
        spec = next(spec for spec in self.spec.evaluators if spec.name == report.evaluator)
        clean = judged(spec, report)
        if clean is None:
            self.evaluator_errors += not recalled
            return
        self.evaluator_errors = 0
        firm = recalled or self.evaluating.fresh or not report.provisional
        self.proofs[report.evaluator] = (report.tree, clean, firm)

    def _restart(self, event):
        if self.in_flight:
            self._turn_over((), None)
            self.result = TurnResult(outcome=TurnOutcome.INTERRUPTED)
        self.worked_s += event.unaccounted_s
        self.since_restart = set()
        self.agent_errors = self.unchanged = self.restored_only = self.evaluator_errors = 0
        self.cancelled = event.intent == "cancel"
        self.broken = self.refused = self.limited = self.over = False
        self._change(event)

    def _change(self, event):
        for scope, value in (
            (CapScope.USD, event.changes.max_micro_usd),
            (CapScope.TOKENS, event.changes.max_tokens),
            (CapScope.TIME, event.changes.max_time_s),
            (CapScope.ROUNDS, event.changes.max_rounds),
        ):
            if value is not None:
                self.caps[scope] = value or None

    def refuses(self, event):
        """Whether a user's wish comes to nothing here."""
        if isinstance(event, CancelRequested):
            return self.over
        if self.met:
            return True
        if event.intent == "cancel":
            return self.over
        caps = dict(self.caps)
        self._change(event)
        lifted = not any(self.caps.values())
        used_up = self.over and self.reached(but=CapScope.ROUNDS) is not None
        self.caps = caps
        return lifted or used_up

    # what was ordered and written

    def ordered(self, effect, event):
        """Check one order against the books."""
        match effect:
            case AdmitRound():
                assert self.reached(skip=self.held) is None, "a round begins beyond a cap"
            case SendPrompt(round=number, prompt=prompt):
                self._prompted(number, prompt, event)
            case Evaluate():
                assert not self.unsaved
                assert effect.tree == self.tree
                assert not self.cancelled, "it evaluates after a cancellation"
                self.evaluating = effect
            case PublishWork(snapshot=snapshot):
                assert snapshot == self.snapshot, "another tree than the last is published"
                assert not self.unsaved or self.broken, "an end before the tree is safe"
            case _:
                pass

    def _prompted(self, number, prompt, event):
        assert isinstance(event, PromptBuilt)
        assert not self.unsaved, "a prompt before the tree of the last one is safe"
        assert not self.cancelled, "a prompt after a cancellation"
        assert prompt not in self.prompts, "the same prompt twice"
        assert number == (self.held or self.highest + 1), "a number skipped or used again"
        assert self.reached(skip=self.held, but=CapScope.TIME) is None, "a prompt beyond a cap"
        assert self.agent_errors < 3, "the agent gets a fourth chance"
        self.prompts.append(prompt)
        if number != self.held:
            self.since_restart.add(number)
        self.highest = number
        self.held = 0
        self.in_flight = self.unsaved = True
        self.proofs = {}

    def wrote(self, record, state):
        """Check one row against the books."""
        match record:
            case RoundClosed():
                self._closed(record, state)
            case LimitWait(round=number):
                assert self.limited
                self.held, self.waiting = number, True
            case LoopEnded(stop=stop):
                assert not self.over, "it ends twice"
                self.over = True
                self._ended(stop)
            case TurnRecorded():
                self.counted_turns -= 1
            case _:
                pass

    def _closed(self, record, state):
        assert record.round == self.highest
        self.held = 0
        if record.verdict is Verdict.ERROR:
            assert self.agent_errors == 3, "a round is closed as ERROR"
            return
        assert record.round not in self.closed, "two verdicts on one round"
        self.closed.add(record.round)
        verdicts = [self.proofs.get(spec.name) for spec in self.spec.evaluators]
        assert all(verdicts), "a verdict before every evaluator has judged"
        assert {tree for tree, _, _ in verdicts} == {self.tree}, "a verdict on another tree"
        clean = all(clean for _, clean, _ in verdicts)
        assert not clean or all(firm for *_, firm in verdicts), "a PASS of a used checkout"
        assert (record.verdict is Verdict.PASS) == clean, "the verdict is not what was proved"
        if clean:
            assert isinstance(state.stop, GoalMet), "success comes before every cap"
        elif self.restored_only >= 2:
            assert isinstance(state.stop, ApprovalRequired)
        elif self.unchanged >= 4:
            assert isinstance(state.stop, Stuck)

    def _ended(self, stop):
        assert not self.in_flight, "a turn is in flight at the end"
        assert not self.unsaved or self.broken, "an end before the tree is safe"
        verdicts = [self.proofs.get(spec.name) for spec in self.spec.evaluators]
        proved = verdicts == [(self.tree, True, True)] * len(verdicts)
        if isinstance(stop, BudgetCap | Stuck | ApprovalRequired):
            assert not proved, "success comes before every cap"
        match stop:
            case GoalMet(tree=tree):
                self.met = True
                assert tree == self.tree
                assert proved, "the goal is not proved"
            case BudgetCap(scope=scope):
                assert self.refused or scope == self.reached(skip=self.held)
            case Stuck():
                assert self.unchanged >= 4
            case ApprovalRequired():
                assert self.restored_only >= 2
            case Cancelled():
                assert self.cancelled
            case Errored(reason=reason):
                self._errored(reason)
            case _:
                raise AssertionError(f"no rule of this loop makes {stop}")

    def _errored(self, reason):
        match reason:
            case ErrorReason.ERROR_MAX_RETRIES:
                assert self.agent_errors == 3
            case ErrorReason.EVALUATOR_ERROR:
                assert self.evaluator_errors == (3 if self.prompts else 1)
            case ErrorReason.PROVIDER_LIMIT:
                assert self.limited
            case ErrorReason.WORKSPACE_LOST | ErrorReason.DRIVER_ERROR:
                assert self.broken
            case _:
                raise AssertionError(f"no rule of this loop makes {reason}")

    def reached(self, skip=0, but=None):
        """The first cap that is used up; a round in ``skip`` is already paid for."""
        used = {
            CapScope.USD: self.micro_usd,
            CapScope.TOKENS: self.tokens,
            CapScope.TIME: self.worked_s,
            CapScope.ROUNDS: len(self.since_restart - {skip}),
        }
        for scope, value in used.items():
            if scope != but and self.caps[scope] is not None and value >= self.caps[scope]:
                return scope
        return None

    def check(self, state):
        """Compare the books with the state."""
        assert state.spent.micro_usd == self.micro_usd
        assert state.spent.tokens == self.tokens
        assert state.spent.unknown_turns == self.unknown
        assert state.spent.rounds == len(self.since_restart)
        assert abs(state.spent.worked_s - self.worked_s) < 1e-6
        assert self.counted_turns == 0, "a turn is not recorded exactly once"
        assert self.agent_errors <= 3
        assert self.evaluator_errors <= 3
        assert state.is_over == self.over
        assert state.is_over == (state.published is not None)
        assert state.stop is not None or not state.is_over
        if self.agent_errors == 3 or (self.evaluator_errors == 3 and self.prompts):
            assert state.stop is not None, "it goes on after three errors"
