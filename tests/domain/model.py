"""What must be true of any loop, counted by the test itself.

The model sees events, orders and rows go by and keeps its own books. It never reads a counter,
a streak or a ledger of the state to form an expectation; the state is only what it checks. Money,
handoffs, doubts and verdicts have books of their own.
"""

from dataclasses import dataclass, field

from books_doubts import Doubts
from books_endings import Endings
from books_handover import Handovers
from books_purse import Purse
from books_verdicts import Verdicts, first_sound

from loopctl.domain import effects as orders
from loopctl.domain import events, records
from loopctl.domain.agent_session import Role, TurnOutcome, TurnResult
from loopctl.domain.budget import Reservation
from loopctl.domain.stop import CapScope

CUT_SHORT = {
    TurnOutcome.ABORTED,
    TurnOutcome.INTERRUPTED,
    TurnOutcome.LIMITED,
    TurnOutcome.CAPPED,
}
FAILED = {TurnOutcome.FAILED, TurnOutcome.NOT_STARTED, TurnOutcome.TIMED_OUT}
ENDS = (orders.PublishWork, orders.ReleaseWorkspace)
BESIDE = (orders.AbortTurn, orders.Abandon, orders.StartTimer)


@dataclass
class Model(Endings):
    """The test's own books on one loop."""

    spec: object
    mono: float = 0.0
    waiting: bool = False
    prompts: list = field(default_factory=list)
    since_restart: set = field(default_factory=set)
    counted_turns: int = 0
    highest: int = 0
    held: int = 0
    reservation: Reservation = field(default_factory=Reservation)
    asked: object = None
    in_flight: bool = False
    unsaved: bool = False
    deferring: bool = False
    late: bool = False
    result: object = None
    tree: str = ""
    snapshot: object = None
    base_progress: bool = False
    closed: set = field(default_factory=set)
    agent_errors: int = 0
    unchanged: int = 0
    restored_only: int = 0
    cancelled: bool = False
    broken: bool = False
    refused: bool = False
    limited: bool = False
    over: bool = False
    met: bool = False

    def __post_init__(self):
        self.tree = self.spec.base_tree
        self.purse = Purse.of(self.spec.budget)
        self.handovers = Handovers(self.spec.require_handoff)
        self.doubts = Doubts(self.spec.on_concern)
        self.verdicts = Verdicts(self.spec)

    # what happened

    def passed(self, event):
        """Time passes, whatever comes of the event."""
        if self.over or isinstance(event, events.LoopRestarted):
            return
        if not isinstance(event, events.LoopStarted):
            self._pass(event.mono - self.mono)
        self.mono = event.mono

    def _pass(self, seconds):
        if self.waiting:
            self.purse.waited_s += seconds
        else:
            self.purse.worked_s += seconds

    def happened(self, event):
        """Book one event that the machine has taken."""
        match event:
            case events.RoundAdmitted(reservation=reservation):
                self.reservation = reservation
            case events.RoundRefused():
                self.refused = True
            case events.SessionOpened():
                self.handovers.opened(event)
            case events.SessionFailed():
                self.agent_errors += 1
            case events.TurnEnded(result=result):
                self._turn_over(result.usage, result)
            case events.EffectFailed() if self.in_flight:
                self._turn_over((), None)
            case events.EffectFailed() if isinstance(self.asked, orders.AwaitIdle):
                pass
            case events.EffectFailed() | events.WorkspaceLost():
                self.broken = self.handovers.ending = True
                self.handovers.dropped()
            case _:
                self._judged_or_asked(event)

    def _judged_or_asked(self, event):
        match event:
            case events.SnapshotTaken(snapshot=snapshot):
                self._saved(snapshot)
            case events.VerdictsRecalled(reports=reports):
                for report in reports:
                    self.verdicts.recalled(report, self.doubts)
            case events.EvaluatorFinished(report=report):
                self.verdicts.reported(report, self.doubts, self.purse.capped)
                if self.verdicts.order.round == 0:
                    self.base_progress = self.verdicts.any_progress()
            case events.LoopRestarted():
                self._restart(event)
            case events.CancelRequested():
                self.cancelled = self.handovers.ending = True
                self.handovers.dropped()
            case events.HandoffCalled(payload=payload):
                self.handovers.called(payload)
            case events.SpendSettled():
                self.purse.settled(event)
                self.late = True
            case _:
                pass

    def _turn_over(self, usages, result):
        """Every prompt in flight comes to exactly one end."""
        assert self.in_flight
        self.in_flight = False
        self.counted_turns += 1
        self.result = result
        metered = self.handovers.session.is_metered
        if result is None and not metered:
            self.purse.pay_estimate(self.reservation)
        elif usages or not metered:
            self.purse.pay(usages)
        outcome = TurnOutcome.FAILED if result is None else result.outcome
        self.handovers.turn_over(outcome, replied=result is None or result.replied)
        busy = result is not None and result.busy and outcome is not TurnOutcome.LIMITED
        self.deferring = bool(busy) and not self.handovers.ending
        if result is not None and result.failed_model:
            self.verdicts.failed.add(result.failed_model)

    def _saved(self, snapshot):
        assert self.unsaved
        self.unsaved = False
        before, self.tree, self.snapshot = self.tree, snapshot.judged_tree, snapshot
        self.verdicts.forget()
        self.verdicts.new_tree = snapshot.new_tests_tree if self.spec.allow_new_tests else ""
        outcome = TurnOutcome.FAILED if self.result is None else self.result.outcome
        self.limited = outcome is TurnOutcome.LIMITED
        if outcome in CUT_SHORT:
            return
        if outcome is TurnOutcome.UNAVAILABLE:
            self.agent_errors += 1
            self.held = self.highest
            return
        said = self.handovers.written or (self.result and self.result.said.strip())
        changed = snapshot.changed or (self.restored_only and snapshot.restored)
        if not changed and (outcome in FAILED or not said):
            self.agent_errors += 1
            return
        self.agent_errors = 0
        moved = self.tree != before
        self.unchanged = 0 if moved else self.unchanged + 1
        self.restored_only = self.restored_only + 1 if changed and not moved else 0

    def _restart(self, event):
        if self.in_flight:
            self._turn_over((), None)
            self.result = TurnResult(outcome=TurnOutcome.INTERRUPTED)
            self.handovers.turn_over(TurnOutcome.INTERRUPTED, replied=True)
        self._pass(event.unaccounted_s)
        self.mono = event.mono
        self.waiting = self.deferring = self.base_progress = False
        self.purse.close()
        self.purse.change_caps(event.changes)
        self.purse.capped = None
        self.since_restart = set()
        self.purse.rounds = 0
        self.agent_errors = self.unchanged = self.restored_only = 0
        self.cancelled = event.intent == "cancel"
        self.handovers.restarted(cancelled=self.cancelled)
        self.doubts.restarted()
        self.verdicts.forget()
        self.verdicts.failed, self.verdicts.refused = set(), None
        self.broken = self.refused = self.limited = self.over = False

    # what has to be refused

    def refuses(self, event):
        """Whether something from outside comes to nothing here."""
        match event:
            case events.CancelRequested():
                return self.over
            case events.LoopRestarted():
                return self._refuses_restart(event)
            case events.RetryRequested():
                return not self.waiting
            case _:
                return self._refuses_session(event)

    def _refuses_session(self, event):
        match event:
            case events.HandoffCalled():
                return not self.in_flight or self.handovers.refuses(event)
            case events.ConcernFlagged():
                return not self._is_at_work(event.session_id)
            case events.SpendRequested():
                return self._refuses_request(event)
            case events.SpendSettled(request=request):
                return request not in self.purse.open
            case _:
                return False

    def _is_at_work(self, session_id):
        return self.in_flight and self.handovers.session.session_id == session_id

    def _refuses_request(self, event):
        if self.handovers.ending or event.request in self.purse.open:
            return True
        if event.role is Role.JUDGE:
            judging = isinstance(self.asked, orders.Evaluate) and self.asked.round > 0
            return not judging and not isinstance(self.asked, orders.RecallVerdicts)
        return not self._is_at_work(event.session_id)

    def _refuses_restart(self, event):
        if self.met:
            return True
        if event.intent == "cancel":
            return self.over
        caps = dict(self.purse.caps)
        self.purse.change_caps(event.changes)
        lifted = not any(self.purse.caps.values())
        used_up = self.over and self.purse.reached(but=(CapScope.ROUNDS,)) is not None
        self.purse.caps = caps
        return lifted or used_up

    # what was answered, ordered and written

    def answered(self, event, decision, *, refused):
        """Check the replies: each call has exactly one."""
        match event:
            case events.SpendRequested(request=name, estimate=estimate):
                capped = None if refused else self.purse.refusing()
                if capped is not None:
                    self.purse.capped, refused = capped, True
                elif not refused:
                    self.purse.open[name] = estimate
            case events.HandoffCalled(call=name):
                pass
            case events.ConcernFlagged(call=name):
                if not refused:
                    self.doubts.flagged(event, decision)
                    self.handovers.ending |= self.doubts.stops
            case _:
                return
        replies = [(reply.command_id, bool(reply.refused)) for reply in decision.replies]
        assert replies == [(name, refused)], "a call is not answered rightly, exactly once"

    def ordered(self, effect, event):
        """Check one order against the books."""
        if isinstance(effect, BESIDE):
            return
        self.asked, self.waiting = effect, False
        assert self.deferring == isinstance(effect, orders.AwaitIdle), "others are at work"
        self.deferring = False
        self._leave_baseline(effect)
        self.handovers.ending |= isinstance(effect, ENDS)
        match effect:
            case orders.AdmitRound():
                self._admitting()
            case orders.OpenSession(model=model):
                assert model == first_sound(self.spec.models, self.verdicts.failed)
            case orders.BuildPrompt():
                self.handovers.building(effect)
            case orders.SendPrompt(round=number, prompt=prompt):
                self._prompted(number, prompt, event)
            case orders.Settle():
                self.handovers.settling(used_up=self._is_used_up())
            case orders.Evaluate():
                self._evaluating(effect)
            case orders.PublishWork(snapshot=snapshot):
                assert snapshot == self.snapshot, "another tree than the last is published"
                assert not self.unsaved or self.broken, "an end before the tree is safe"
            case _:
                pass

    def _leave_baseline(self, effect):
        """What has passed on the base commit counts when all of it was run."""
        goes_on = isinstance(effect, orders.Evaluate) and not effect.round
        if isinstance(effect, ENDS) and self.verdicts.errors:
            self.base_progress = False  # not all of it could be run
        if self.base_progress and not goes_on:
            self.doubts.ever_passed, self.base_progress = True, False

    def _evaluating(self, order):
        assert not self.unsaved
        assert order.tree in {self.tree, self.verdicts.new_tree}
        assert not self.handovers.ending, "it evaluates after a cancellation"
        self.verdicts.ordered(order)

    def _is_used_up(self):
        return self.purse.reached(but=(CapScope.ROUNDS,), with_open=True) is not None

    def _admitting(self):
        held = self.held in self.since_restart
        reached = self.purse.reached(with_open=True, less_rounds=held)
        assert reached is None, "a round begins beyond a cap"
        assert not self.doubts.stops, "a round begins before a person has looked"
        assert not self.unsaved
        self.purse.capped, self.late = None, False

    def _prompted(self, number, prompt, event):
        assert isinstance(event, events.PromptBuilt)
        assert not self.handovers.ending, "a prompt after a cancellation"
        assert prompt not in self.prompts, "the same prompt twice"
        assert self.agent_errors < 3, "the agent gets a fourth chance"
        self.prompts.append(prompt)
        if self.handovers.nudging:
            assert number == self.highest, "a reminder in another round"
        else:
            self._new_prompt(number)
        self.handovers.sent()
        self.in_flight = self.unsaved = True
        self.verdicts.proofs = {}

    def _new_prompt(self, number):
        assert not self.unsaved, "a prompt before the tree of the last one is safe"
        assert number == (self.held or self.highest + 1), "a number skipped or used again"
        skip = number in self.since_restart
        reached = self.purse.reached(but=(CapScope.TIME,), less_rounds=skip)
        assert reached is None or self.late, "a prompt beyond a cap"
        self.since_restart.add(number)
        self.purse.rounds = len(self.since_restart)
        self.highest = number
        self.held = 0

    def wrote(self, record, state, event):
        """Check one row against the books."""
        match record:
            case records.RoundClosed():
                self._closed(record, state)
            case records.LimitWait():
                self._waits(record, event)
            case records.LoopEnded(stop=stop):
                assert not self.over, "it ends twice"
                self.over = True
                self.purse.close()
                self._ended(stop)
            case records.TurnRecorded():
                self.counted_turns -= 1
            case records.UsageRecorded():
                self.purse.recorded(record)
            case records.SpendUnseen():
                self.purse.unseen -= 1
            case records.HandoffRecorded():
                self.handovers.recorded(record, event)
            case records.HandoffResolved():
                self.handovers.resolved(record, deferred=self.deferring)
            case records.HandoffNudged():
                self.handovers.nudged(record, used_up=self._is_used_up())
            case _:
                pass
