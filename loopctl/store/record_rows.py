"""Where each record of a decision goes: one function for each kind of row.

Everything runs inside the transaction of the decision.
"""

from dataclasses import dataclass
from typing import assert_never

from sqlalchemy import bindparam, insert, update

from loopctl.domain.records import (
    AnyRecord,
    BaselineNotice,
    CapApproached,
    CapChanged,
    CheckoutLacks,
    ConcernRecorded,
    EvaluationRecorded,
    EventRefused,
    HandoffNudged,
    HandoffRecorded,
    HandoffResolved,
    HardeningTried,
    InvalidReport,
    LimitWait,
    LoopEnded,
    ModelFailed,
    RoundClosed,
    RoundPrompted,
    SnapshotRecorded,
    SpendUnseen,
    TransitionRecorded,
    TurnInterrupted,
    TurnRecorded,
    UsageRecorded,
)
from loopctl.store.payload import PayloadWriter
from loopctl.store.said_rows import SaidRows
from loopctl.store.tables import (
    agent_sessions,
    criteria,
    evaluations,
    rounds,
    transitions,
)
from loopctl.store.usage_rows import add_usage
from loopctl.store.writer import Writer

_ADD_ROUND = insert(rounds)
_SET_ROUND = update(rounds).where(
    rounds.c.loop_id == bindparam("of_loop"), rounds.c.number == bindparam("of_round")
)
_ADD_SESSION = insert(agent_sessions)
_SET_SESSION = update(agent_sessions).where(
    agent_sessions.c.loop_id == bindparam("of_loop"),
    agent_sessions.c.id == bindparam("of_session"),
)
_ADD_EVALUATION = insert(evaluations)
_ADD_CRITERIA = insert(criteria)
_ADD_TRANSITION = insert(transitions)


@dataclass(frozen=True)
class RecordRows:
    """Writes the records of one decision.

    Attributes:
        writer: in the transaction of the decision.
        payloads: makes text of values.
        loop_id: the loop they belong to.
        at: when the event happened, Unix seconds.
    """

    writer: Writer
    payloads: PayloadWriter
    loop_id: str
    at: float

    def write(self, record: AnyRecord) -> None:
        """Write one record."""
        match record:
            case RoundPrompted():
                self._prompted(record)
            case TurnRecorded():
                self._turn(record)
            case UsageRecorded():
                add_usage(self.writer, self.payloads, self.loop_id, self.at, record)
            case HandoffRecorded() | HandoffResolved() | ConcernRecorded():
                SaidRows(self.writer, self.payloads, self.loop_id, self.at).write(record)
            case SnapshotRecorded():
                self._snapshot(record)
            case EvaluationRecorded():
                self._evaluation(record)
            case RoundClosed():
                self._closed(record)
            case TransitionRecorded():
                self._transition(record)
            case (
                CheckoutLacks()
                | BaselineNotice()
                | HardeningTried()
                | InvalidReport()
                | EventRefused()
                | CapChanged()
                | TurnInterrupted()
                | LimitWait()
                | HandoffNudged()
                | ModelFailed()
                | CapApproached()
                | SpendUnseen()
                | LoopEnded()
            ):
                pass  # these are in the event log alone
            case _:
                assert_never(record)

    def _prompted(self, record: RoundPrompted) -> None:
        """A round that a provider's limit held up is prompted again, in a new session."""
        current = {"session_id": record.session_id, "prompted_at": self.at, "outcome": None}
        if not self._set_round(record.round, **current):
            new = {"loop_id": self.loop_id, "number": record.round, "partial": False}
            figures = {"passed": 0, "judged": 0, "changed": 0}
            self.writer.execute(_ADD_ROUND, new | figures | current)
        prompt = {
            "prompted_at": self.at,
            "prompt": self.payloads.text(record.prompt),
            "digest": record.digest,
        }
        if not self._set_session(record.session_id, closed_at=None, **prompt):
            session = {"loop_id": self.loop_id, "id": record.session_id}
            about = {"round": record.round, "role": record.role}
            self.writer.execute(_ADD_SESSION, session | about | prompt)

    def _turn(self, record: TurnRecorded) -> None:
        result = self.payloads.dump(record.result, lean=True)
        self._set_session(record.session_id, closed_at=self.at, result_json=result)
        self._set_round(record.round, outcome=record.result.outcome)

    def _snapshot(self, record: SnapshotRecorded) -> None:
        self._set_round(
            record.snapshot.round,
            snapshot_json=self.payloads.dump(record.snapshot, lean=True),
            partial=record.partial,
            changed=record.snapshot.changed,
        )

    def _evaluation(self, record: EvaluationRecorded) -> None:
        report = record.report
        row = {
            "loop_id": self.loop_id,
            "round": record.round,
            "attempt": record.attempt,
            "at": self.at,
            "evaluator": report.evaluator,
            "digest": report.digest,
            "tree": report.tree,
            "isolation": report.isolation,
            "verdict": report.verdict,
            "exit": self.payloads.text(report.exit),
            "duration_s": report.duration_s,
            "log": report.log,
            "reused_from": report.reused_from,
            "warnings_json": self.payloads.json(report.warnings),
            "suite_json": None if report.suite is None else self.payloads.dump(report.suite),
            "hardening": report.hardening,
            "provisional": report.provisional,
            "stage": report.stage,
            "moved_json": self.payloads.json(report.moved) if report.moved else None,
            "judged_json": None if report.judged is None else self.payloads.dump(report.judged),
        }
        evaluation_id = self.writer.execute(_ADD_EVALUATION, row).lastrowid
        judged = [
            {
                "evaluation_id": evaluation_id,
                "position": position,
                "name": criterion.name,
                "verdict": criterion.verdict,
                "evidence_json": self.payloads.json(criterion.evidence),
            }
            for position, criterion in enumerate(report.criteria)
        ]
        self.writer.execute_many(_ADD_CRITERIA, judged)

    def _closed(self, record: RoundClosed) -> None:
        self._set_round(
            record.round,
            verdict=record.verdict,
            passed=record.passed,
            judged=record.judged,
            tests_passed=record.tests_passed,
            tests_total=record.tests_total,
            closed_at=self.at,
        )

    def _transition(self, record: TransitionRecorded) -> None:
        row = {"loop_id": self.loop_id, "at": self.at, **record.model_dump(exclude={"kind"})}
        self.writer.execute(_ADD_TRANSITION, row)

    def _set_round(self, number: int, **values: object) -> bool:
        key = {"of_loop": self.loop_id, "of_round": number}
        return self.writer.execute(_SET_ROUND, key | values).rowcount == 1

    def _set_session(self, session_id: str, **values: object) -> bool:
        key = {"of_loop": self.loop_id, "of_session": session_id}
        return self.writer.execute(_SET_SESSION, key | values).rowcount == 1
