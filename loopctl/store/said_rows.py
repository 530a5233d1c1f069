"""What agents said in a typed way: handoffs and concerns. It is kept, and never a verdict.

Invariant: of a loop at most one handoff is pending, and each is resolved exactly once.
"""

from dataclasses import dataclass

from sqlalchemy import bindparam, insert, or_, update

from loopctl.domain.records import ConcernRecorded, HandoffRecorded, HandoffResolved
from loopctl.errors import StoreError
from loopctl.store.payload import PayloadWriter
from loopctl.store.tables import concerns, handoffs
from loopctl.store.writer import Writer

_PENDING = (handoffs.c.loop_id == bindparam("of_loop"), handoffs.c.status == "pending")
_ADD = insert(handoffs)
_REPLACE = update(handoffs).where(*_PENDING)
_RESOLVE = update(handoffs).where(
    *_PENDING,
    handoffs.c.session_id == bindparam("of_session"),
    or_(handoffs.c.role == bindparam("of_role"), handoffs.c.role.is_(None)),
)
_ADD_CONCERN = insert(concerns)


@dataclass(frozen=True)
class SaidRows:
    """Writes handoffs and concerns in the transaction of a decision.

    Attributes:
        writer: in that transaction.
        payloads: makes text of values.
        loop_id: the loop they belong to.
        at: when the event happened, Unix seconds.
    """

    writer: Writer
    payloads: PayloadWriter
    loop_id: str
    at: float

    def write(self, record: HandoffRecorded | HandoffResolved | ConcernRecorded) -> None:
        """Write one record.

        Raises:
            StoreError: no handoff of that session and role is pending any more.
        """
        match record:
            case HandoffRecorded():
                self._handoff(record)
            case HandoffResolved(session_id=session_id, role=role, status=status):
                self._resolve(session_id, role, status)
            case ConcernRecorded():
                self._concern(record)

    def _handoff(self, record: HandoffRecorded) -> None:
        earlier = {"of_loop": self.loop_id, "status": "discarded", "resolved_at": self.at}
        self.writer.execute(_REPLACE, earlier)
        row = {
            "loop_id": self.loop_id,
            "session_id": record.session_id,
            "round": record.round,
            "at": self.at,
            "status": "pending",
            "payload_json": self.payloads.dump(record.payload),
            "role": record.role,
            "phase": record.phase,
        }
        self.writer.execute(_ADD, row)
        if record.status == "applied":
            self._resolve(record.session_id, record.role, "applied")

    def _resolve(self, session_id: str, role: str, status: str) -> None:
        key = {"of_loop": self.loop_id, "of_session": session_id, "of_role": role}
        row = key | {"status": status, "resolved_at": self.at}
        if self.writer.execute(_RESOLVE, row).rowcount != 1:
            raise StoreError(
                f"the handoff of the session {session_id} was resolved before",
                next_step="loopctl status",
            )

    def _concern(self, record: ConcernRecorded) -> None:
        row = {
            "loop_id": self.loop_id,
            "at": self.at,
            "round": record.round,
            "session_id": record.session_id,
            "source": record.source,
            "severity": record.severity,
            "policy": record.policy,
            "concern": self.payloads.text(record.concern),
        }
        self.writer.execute(_ADD_CONCERN, row)
