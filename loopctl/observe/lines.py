"""One plain line for each event: what a person sees while a loop runs, and in its log."""

import time

from loopctl.domain.concern import OnConcern
from loopctl.domain.events import (
    ConcernFlagged,
    EvaluatorFinished,
    LoopStarted,
    SnapshotTaken,
    SpendRequested,
    SpendSettled,
)
from loopctl.domain.hardening import Hardening
from loopctl.domain.loop import LoopState
from loopctl.domain.records import (
    BaselineNotice,
    CapApproached,
    CheckoutLacks,
    ConcernRecorded,
    HardeningTried,
)
from loopctl.domain.stop import CapScope
from loopctl.observe.alert_lines import loud_lines
from loopctl.observe.fact import fact_of
from loopctl.observe.line_writer import LineWriter
from loopctl.observe.plain import count, one_line
from loopctl.observe.protection_notice import protection_notice
from loopctl.observe.sentence import sentence
from loopctl.ports import Activity, LogEntry

CLOCK = "%H:%M:%S"
DATE_AND_CLOCK = "%Y-%m-%d %H:%M:%S"


NOT_SHOWN = frozenset(
    kind.model_fields["kind"].default for kind in (SpendRequested, SpendSettled, ConcernFlagged)
)
"""Two lines for each request would bury the others; a concern is shown where it is recorded."""
_OF_THE_BASELINE = (CheckoutLacks, HardeningTried, BaselineNotice)


def line(entry: LogEntry, clock: str = CLOCK) -> str:
    """The line for ``entry``, with the local time in the format ``clock``."""
    fact = fact_of(entry)
    text = one_line(f"{entry.kind} {dict(entry.payload)}") if fact is None else sentence(fact)
    if isinstance(fact, _OF_THE_BASELINE) or (
        not entry.round and isinstance(fact, EvaluatorFinished)
    ):
        text = f"baseline: {text}"
    elif entry.round:
        text = f"round {entry.round}: {text}"
    return f"{time.strftime(clock, time.localtime(entry.at))} {text}"


_LOOKED_INTO = {kind.model_fields["kind"].default for kind in (ConcernRecorded, CapApproached)}


_ALERTING = {SnapshotTaken.model_fields["kind"].default}


class Lines:
    """An observer that writes a line for each event, and for what agent sessions do meanwhile.

    Args:
        out: where to.
        notices: what else a person should know as the loop starts.
    """

    def __init__(self, out: LineWriter, notices: tuple[str, ...] = ()) -> None:
        self._out = out
        self._notices = notices

    def observe(self, entry: LogEntry, state: LoopState) -> None:
        """Write the line; as a loop starts, also what a person should know of it."""
        if entry.kind not in NOT_SHOWN and not _is_trial(entry) and not _is_ignored(entry):
            self._out.write(line(entry))
            self._alert(entry)
        if entry.kind == LoopStarted.model_fields["kind"].default:
            spec = state.spec
            told = (*protection_notice(spec.protection), *spec.redirections, *self._notices)
            for notice in told:
                clock = time.strftime(CLOCK, time.localtime(entry.at))
                self._out.write(f"{clock} {one_line(notice)}")

    def _alert(self, entry: LogEntry) -> None:
        """A loud line for each thing that would act outside of the loop, with the way back."""
        fact = fact_of(entry) if entry.kind in _ALERTING else None
        if isinstance(fact, SnapshotTaken):
            clock = time.strftime(CLOCK, time.localtime(entry.at))
            for text in loud_lines(fact.snapshot.alerts):
                self._out.write(f"{clock} round {entry.round}: {text}")

    def show(self, activity: Activity) -> None:
        """Write what a session does just now; it is nowhere else, neither stored nor in JSON."""
        clock = time.strftime(CLOCK)
        where = f"round {activity.round}: " if activity.round else ""
        used = f" ({count(activity.tokens, 'token')})" if activity.tokens else ""
        self._out.write(f"{clock} {where}{activity.role}: {one_line(activity.text)}{used}")


def _is_ignored(entry: LogEntry) -> bool:
    """Whether it is a doubt that nobody wants to hear of, or a count that is on the screen."""
    fact = fact_of(entry) if entry.kind in _LOOKED_INTO else None
    match fact:
        case ConcernRecorded(policy=policy):
            return policy is OnConcern.IGNORE
        case CapApproached(scope=scope):  # every line of a round says which one it is
            return scope is CapScope.ROUNDS
        case _:
            return False


def _is_trial(entry: LogEntry) -> bool:
    """Whether it is a run of the baseline that judges nothing; what it shows has its own line."""
    fact = None if entry.round else fact_of(entry)
    return isinstance(fact, EvaluatorFinished) and fact.report.hardening is not Hardening.NONE
