"""The model's book of doubts: concerns by agents, the heuristic's one, and what has ever passed."""

from dataclasses import dataclass, field

from loopctl.domain.agent_session import TurnOutcome
from loopctl.domain.concern import OnConcern
from loopctl.domain.criteria import Verdict
from loopctl.domain.effects import AbortTurn
from loopctl.domain.records import ConcernRecorded


@dataclass
class Doubts:
    """What was raised, and when."""

    policy: OnConcern
    raised: list = field(default_factory=list)
    base: dict = field(default_factory=dict)
    ever_passed: bool = False
    by_heuristic: bool = False
    stops: bool = False
    due: bool = False

    def flagged(self, event, decision):
        """A concern of the session at work; the same within half a minute is one."""
        text = " ".join(event.concern.split()).lower()
        again = any(text == other and event.at - at < 30 for other, at in self.raised)
        rows = [row for row in decision.records if isinstance(row, ConcernRecorded)]
        assert len(rows) == (not again), "a concern is not recorded exactly once"
        stops = self.policy is OnConcern.STOP
        aborts = [e.outcome for e in decision.effects if isinstance(e, AbortTurn)]
        assert aborts == ([TurnOutcome.ABORTED] if stops and not again else [])
        if again:
            return
        assert (rows[0].source, rows[0].severity) == ("agent", event.severity)
        self.raised.append((text, event.at))
        self.stops |= stops

    def judged(self, report, proofs, *, base):
        """Whether this is progress: anything passes, or more tests than at first."""
        passed = Verdict.PASS in proofs
        if base:
            self.base[report.evaluator] = report.suite
            return passed
        before = self.base.get(report.evaluator)
        return passed or bool(before and report.suite and report.suite.passed > before.passed)

    def after_round(self, *, half, used_up):
        """A round is closed and the loop goes on: the heuristic looks once."""
        self.due = half and not used_up and not self.ever_passed and not self.by_heuristic

    def check(self, records):
        rows = [row for row in records if isinstance(row, ConcernRecorded)]
        rows = [row for row in rows if row.source == "heuristic"]
        assert len(rows) == self.due, "the heuristic is silent, or speaks out of turn"
        if self.due:
            self.by_heuristic = True
            self.stops |= self.policy is OnConcern.STOP
        self.due = False

    def restarted(self):
        """A person has looked."""
        self.raised, self.stops = [], False
