"""The model's book of handoffs: who owes one, what was written, and what became of it."""

from dataclasses import dataclass

from loopctl.domain.agent_session import TurnOutcome
from loopctl.domain.handoff import CoderHandoff
from loopctl.domain.records import HandoffNudged, HandoffRecorded, HandoffResolved

COUNTS = {TurnOutcome.FINISHED, TurnOutcome.TIMED_OUT, TurnOutcome.CAPPED}


@dataclass
class Handovers:
    """The session at work and the handoff of its turn."""

    required: bool | None
    session: object = None
    pending: object = None
    taken: object = None
    outcome: object = None
    replied: bool = True
    nudges: int = 0
    owed: bool = False
    nudging: bool = False
    missing: bool = False
    ending: bool = False
    died: bool = False

    def opened(self, session):
        assert self.pending is None, "a handoff crosses from one session to another"
        self.session, self.nudges, self.taken = session, 0, None

    @property
    def must(self):
        return self.session.has_tools if self.required is None else self.required

    def refuses(self, event):
        """Whether a call comes to nothing in a turn that is open."""
        return (
            event.session_id != self.session.session_id
            or self.ending
            or event.tool != "loop_handoff"
            or not isinstance(event.payload, CoderHandoff)
            or event.busy is None
            or event.busy != ()
        )

    def called(self, payload):
        self.pending = payload

    def turn_over(self, outcome, *, replied):
        self.outcome, self.replied = outcome, replied
        finished = outcome is TurnOutcome.FINISHED
        self.owed = self.must and finished and self.pending is None and not self.ending

    def dropped(self):
        """Nobody will be asked any more: the loop ends, or its driver has died."""
        self.owed = False

    def nudged(self, record: HandoffNudged, *, used_up):
        assert self.owed, "a session is asked for what it does not owe"
        assert not self.ending
        assert not used_up, "another turn beyond a cap"
        self.nudges += 1
        assert self.nudges <= 3, "a fourth reminder"
        assert (record.number, record.maximum) == (self.nudges, 3)
        assert record.session_id == self.session.session_id

    def building(self, order):
        """A text is ordered."""
        self.nudging = order.nudge > 0
        assert order.nudge == self.nudges
        whole = not self.session.remembers or not self.replied
        assert order.whole == (whole if self.nudging else True)

    def sent(self):
        assert self.pending is None, "a prompt beside a pending handoff"
        self.nudging = self.owed = False

    def settling(self, *, used_up):
        """The turn is given up or taken as it is."""
        assert self.pending is None, "a handoff outlives its turn"
        if self.owed and not used_up:
            assert self.nudges == 3, "nobody asked for the handoff"
            self.missing = self.ending = True

    def recorded(self, record: HandoffRecorded, event):
        if record.status == "pending":
            assert record.payload == event.payload
            return
        assert self.taken is None, "an observed handoff beside a written one"
        assert record.payload.outcome == self.outcome
        self.taken = record

    def resolved(self, record: HandoffResolved, *, deferred):
        assert self.pending is not None, "a handoff is resolved twice"
        assert record.session_id == self.session.session_id
        assert not deferred, "a handoff is applied while others are at work"
        if record.status == "applied":
            assert self.outcome in COUNTS, "a handoff of a turn that does not count"
            assert not self.ending, "a handoff is applied as the loop ends"
            self.taken = self.pending
        else:
            good = not self.ending and not self.died and self.outcome in COUNTS
            assert not good, "a good handoff is thrown away"
        self.pending = None

    @property
    def written(self):
        """Whether the turn that is over was handed over by its agent."""
        return self.taken is not None

    def saved(self):
        """The tree is safe: the turn has left exactly one handoff."""
        assert self.taken is not None, "a turn without a handoff of any kind"
        self.taken = None
        self.owed = False

    def restarted(self, *, cancelled):
        self.died = True
        self.owed = self.nudging = self.missing = False
        self.ending = cancelled

    def check(self, state):
        assert not self.died or self.pending is None, "a handoff survives a restart"
        self.died = False
        current = state.round
        if current is not None and current.turn is not None:
            assert current.handoff == self.pending, "not the last handoff of the turn"
