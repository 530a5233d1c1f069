"""The store as the driver of one loop sees it: one decision, one transaction.

Invariant: every write is fenced by the epoch of the driver's lease. After a takeover nothing of
the old driver is written any more, not even a part of a transaction that was under way.

All of it runs on one thread, so that the driver's event loop never waits for the disk.
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from sqlalchemy import bindparam, case, func, select, update

from loopctl.domain.criteria import EvaluatorReport
from loopctl.domain.decision import Decision
from loopctl.domain.evaluator_spec import EvaluatorSpec
from loopctl.domain.events import AnyEvent, SpendRequested
from loopctl.domain.loop import LoopState
from loopctl.domain.records import (
    CapChanged,
    EvaluationRecorded,
    LoopEnded,
    RoundPrompted,
    UsageRecorded,
)
from loopctl.domain.round_context import PreviousRound, RoundSummary
from loopctl.errors import LeaseLostError
from loopctl.ports import Command, Journal, LogEntry
from loopctl.process.masking import Masker
from loopctl.store import commands, event_log, previous_rounds
from loopctl.store.connection import Durability
from loopctl.store.database import Database
from loopctl.store.evaluations import newest_verdicts
from loopctl.store.payload import PayloadWriter
from loopctl.store.projection import Projection
from loopctl.store.record_rows import RecordRows
from loopctl.store.tables import driver_leases, events, loops
from loopctl.store.writer import Writer

_LASTING = (RoundPrompted, UsageRecorded, EvaluationRecorded, CapChanged, LoopEnded)
_P = ParamSpec("_P")
_T = TypeVar("_T")

_SET_STATE = (
    update(loops)
    .where(loops.c.id == bindparam("of_loop"), loops.c.epoch == bindparam("of_epoch"))
    .values(
        # A refused wish that comes after the end does not move the end.
        ended_at=case(
            (bindparam("is_over"), func.coalesce(loops.c.ended_at, bindparam("now"))), else_=None
        )
    )
)
_BEAT = update(driver_leases).where(
    driver_leases.c.loop_id == bindparam("of_loop"), driver_leases.c.epoch == bindparam("of_epoch")
)
_LAST = select(func.max(events.c.seq)).where(events.c.loop_id == bindparam("of_loop"))
_ROUND = select(loops.c.round).where(loops.c.id == bindparam("of_loop"))


class LoopJournal(Journal):
    """The journal of one loop for the driver that holds its lease.

    Args:
        database: where it is kept; closed by whoever opened it.
        loop_id: the loop.
        epoch: of the driver's lease.
        masker: takes the secrets out of everything that is written.
    """

    def __init__(self, database: Database, loop_id: str, epoch: int, masker: Masker) -> None:
        self._database = database
        self._loop_id = loop_id
        self._key = {"of_loop": loop_id, "of_epoch": epoch}
        self._payloads = PayloadWriter(masker)
        self._projection = Projection(self._payloads)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        with database.read() as connection:
            self._seq: int = connection.scalar(_LAST, {"of_loop": loop_id}) or 0
            self._round: int = connection.scalar(_ROUND, {"of_loop": loop_id}) or 0
        self._writer = database.writer()

    async def commit(self, event: AnyEvent, decision: Decision) -> tuple[LogEntry, ...]:
        """Write one decision in one transaction; return what the log gained."""
        return await self._run(self._commit, event, decision)

    async def verdicts(
        self, tree: str, evaluators: tuple[EvaluatorSpec, ...]
    ) -> tuple[EvaluatorReport, ...]:
        """The newest PASS or FAIL report of each evaluator on this very tree, if any."""
        return await self._run(newest_verdicts, self._database, self._loop_id, tree, evaluators)

    async def previous_round(self) -> PreviousRound | None:
        """The last judged round, or the baseline, with its whole evidence."""
        return await self._run(previous_rounds.previous_round, self._database, self._loop_id)

    async def recent_rounds(self, count: int) -> tuple[RoundSummary, ...]:
        """The last ``count`` rounds, oldest first."""
        return await self._run(previous_rounds.recent_rounds, self._database, self._loop_id, count)

    async def pending_commands(self) -> tuple[Command, ...]:
        """Commands that users have left and that were not answered yet."""
        return await self._run(commands.pending, self._database, self._loop_id)

    async def beat(self) -> None:
        """Say that the driver is alive."""
        await self._run(self._beat)

    def close(self) -> None:
        """Finish what is under way, end the thread and give the connection back."""
        self._thread.shutdown()
        self._writer.close()

    async def _run(self, call: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: call(*args, **kwargs))

    def _commit(self, event: AnyEvent, decision: Decision) -> tuple[LogEntry, ...]:
        log = self._log(event, decision)
        with self._writer.transaction(_durability(event, decision)) as writer:
            self._store(writer, decision.state)
            rows = RecordRows(writer, self._payloads, self._loop_id, event.at)
            for record in decision.records:
                rows.write(record)
            for reply in decision.replies:
                commands.answer(writer, reply.command_id, reply.refused, event.at)
            writer.execute_many(event_log.APPEND, log)
        self._seq += len(log)
        self._round = decision.state.round_number
        entries = (
            event_log.as_entry(
                row["seq"], row["at"], row["round"], row["kind"], row["payload_json"]
            )
            for row in log
        )
        return tuple(entry for entry in entries if entry is not None)

    def _log(self, event: AnyEvent, decision: Decision) -> list[dict[str, Any]]:
        """The event belongs to the round that was open when it happened."""
        texts: list[tuple[str, int, str]] = [
            (event.kind, self._round, self._payloads.dump(event.logged(), lean=True, beside="at"))
        ]
        for record in decision.records:
            if record.logged:
                number = getattr(record, "round", decision.state.round_number)
                texts.append((record.kind, number, self._payloads.dump(record)))
        return [
            {
                "loop_id": self._loop_id,
                "seq": seq,
                "at": event.at,
                "round": number,
                "kind": kind,
                "payload_json": text,
            }
            for seq, (kind, number, text) in enumerate(texts, self._seq + 1)
        ]

    def _store(self, writer: Writer, state: LoopState) -> None:
        """Write the state; this comes first, so that a fenced driver writes nothing at all."""
        row = {"is_over": state.is_over, "now": state.clock.at}
        written = writer.execute(_SET_STATE, self._key | row | self._projection.row(state))
        self._check_fence(written.rowcount)

    def _beat(self) -> None:
        with self._writer.transaction(Durability.NORMAL) as writer:
            written = writer.execute(_BEAT, {**self._key, "heartbeat_at": time.time()})
            self._check_fence(written.rowcount)

    def _check_fence(self, rows: int) -> None:
        if rows == 0:
            raise LeaseLostError(
                "the loop was taken over by another driver",
                why="its lease has a newer epoch; nothing more is written here",
                next_step="loopctl status",
            )


def _durability(event: AnyEvent, decision: Decision) -> Durability:
    """Verdicts, money and ends survive a power cut; the steps between them, a crash.

    A request that was granted is money before it leaves a row.
    """
    lasting = isinstance(event, SpendRequested) or any(
        isinstance(record, _LASTING) for record in decision.records
    )
    return Durability.FULL if lasting else Durability.NORMAL
