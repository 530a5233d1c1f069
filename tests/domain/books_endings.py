"""The part of the model that says when a round may be closed and a loop may end."""

from loopctl.domain import events, records
from loopctl.domain.criteria import Verdict
from loopctl.domain.stop import (
    ApprovalRequired,
    BudgetCap,
    Cancelled,
    Errored,
    ErrorReason,
    GoalMet,
    Stuck,
)


class Endings:
    """What follows from a verdict; ``self`` is the model."""

    def _waits(self, record, event):
        """A provider is waited for: not for ever, and not without a reason."""
        assert self.limited or self.verdicts.limited, "a wait for nothing"
        self.limited = self.verdicts.limited = False
        allowed = self.spec.max_wait_s + 1.0  # the shortest wait is rounded up to a second
        assert self.purse.waited_s + record.until - event.at <= allowed + 1e-6
        if isinstance(event, events.SnapshotTaken):
            self.held = record.round
        assert record.round == self.highest
        self.waiting, self.asked = True, None

    def _closed(self, record, state):
        assert record.round == self.highest
        self.held = 0
        if record.verdict is Verdict.ERROR:
            assert self.agent_errors == 3, "a round is closed as ERROR"
            return
        assert record.round not in self.closed, "two verdicts on one round"
        self.closed.add(record.round)
        clean = self.verdicts.closed(self.tree)
        assert (record.verdict is Verdict.PASS) == clean, "the verdict is not what was proved"
        self.doubts.ever_passed |= self.verdicts.any_progress()
        if clean:
            assert isinstance(state.stop, GoalMet), "success comes before every cap"
        elif self.restored_only >= 2:
            assert isinstance(state.stop, ApprovalRequired)
        elif self.unchanged >= 4:
            assert isinstance(state.stop, Stuck)
        else:
            half = self.verdicts.is_finer() and self.purse.half_used()
            used_up = self.purse.reached(with_open=True) is not None
            self.doubts.after_round(half=half, used_up=used_up)

    def _ended(self, stop):
        assert not self.in_flight, "a turn is in flight at the end"
        assert not self.unsaved or self.broken, "an end before the tree is safe"
        if isinstance(stop, BudgetCap | Stuck | ApprovalRequired):
            assert not self.verdicts.proved(self.tree), "success comes before every cap"
        match stop:
            case GoalMet(tree=tree):
                self.met = True
                assert tree == self.tree
                assert self.verdicts.proved(self.tree), "the goal is not proved"
            case BudgetCap(scope=scope):
                held = self.held in self.since_restart
                reached = self.purse.reached(less_rounds=held)
                assert self.refused or scope in {self.verdicts.refused, reached}
            case Stuck():
                assert self.unchanged >= 4
            case ApprovalRequired():
                assert self.restored_only >= 2 or self.doubts.stops
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
                assert self.verdicts.errors == (3 if self.prompts else 1)
            case ErrorReason.PROVIDER_LIMIT:
                assert self.limited or self.verdicts.limited
            case ErrorReason.HANDOFF_MISSING:
                assert self.handovers.missing
            case ErrorReason.WORKSPACE_LOST | ErrorReason.DRIVER_ERROR:
                assert self.broken
            case _:
                raise AssertionError(f"no rule of this loop makes {reason}")

    def check(self, state, decision):
        """Compare the books with the state, after every event."""
        self.purse.check(state)
        self.purse.check_marks(decision.records)
        self.handovers.check(state)
        self.doubts.check(decision.records)
        assert self.counted_turns == 0, "a turn is not recorded exactly once"
        assert self.agent_errors <= 3
        assert self.verdicts.errors <= 3
        assert state.is_over == self.over
        assert state.is_over == (state.published is not None)
        assert state.stop is not None or not state.is_over
        assert (state.waiting is not None) == self.waiting
        assert any(isinstance(row, records.LoopEnded) for row in decision.records) <= self.over
        if self.agent_errors == 3 or (self.verdicts.errors == 3 and self.prompts):
            assert state.stop is not None, "it goes on after three errors"
        if self.doubts.stops or self.handovers.missing:
            assert state.stop is not None, "it goes on before a person has looked"
