"""Wishes of users for a loop that a live driver runs: left as rows, consumed as events.

Invariant: a command is answered once, by the driver, or withdrawn by whoever left it; never
both.
"""

import secrets
import time
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, insert, select, update

from loopctl.ports import Command
from loopctl.store.database import Database
from loopctl.store.tables import commands
from loopctl.store.writer import Writer

_LEAVE = insert(commands)
_PENDING = (
    select(commands.c.id, commands.c.kind, commands.c.by)
    .where(commands.c.loop_id == bindparam("of_loop"), commands.c.answered_at.is_(None))
    .order_by(commands.c.left_at, commands.c.id)
)
_ANSWER = update(commands).where(
    commands.c.id == bindparam("of_command"), commands.c.answered_at.is_(None)
)
_READ = select(commands.c.answered_at, commands.c.refused).where(
    commands.c.id == bindparam("of_command")
)


@dataclass(frozen=True)
class Answer:
    """What became of a command. ``refused`` is empty when it was taken."""

    at: float
    refused: str


def leave_command(database: Database, loop_id: str, kind: str, by: str) -> str:
    """Leave a command for the driver of a loop; return its id."""
    command_id = secrets.token_hex(8)
    row = {"id": command_id, "loop_id": loop_id, "kind": kind, "by": by, "left_at": time.time()}
    with database.write() as connection:
        connection.execute(_LEAVE, {**row, "refused": ""})
    return command_id


def answer_to(database: Database, command_id: str) -> Answer | None:
    """The answer to a command; ``None`` while there is none. The caller polls."""
    with database.read() as connection:
        row = connection.execute(_READ, {"of_command": command_id}).one_or_none()
    return None if row is None or row.answered_at is None else Answer(row.answered_at, row.refused)


def withdraw(database: Database, command_id: str) -> bool:
    """Take a command back; ``False`` when it was answered before."""
    with database.write() as connection:
        return answer(connection, command_id, "withdrawn", time.time())


def pending(database: Database, loop_id: str) -> tuple[Command, ...]:
    """The commands of a loop that nobody has answered, oldest first."""
    with database.read() as connection:
        rows = connection.execute(_PENDING, {"of_loop": loop_id}).all()
    return tuple(Command(row.id, row.kind, row.by) for row in rows)


def answer(writer: Writer | Connection, command_id: str, refused: str, at: float) -> bool:
    """Answer a command within a transaction; ``False`` when there is none to be answered."""
    row = {"of_command": command_id, "answered_at": at, "refused": refused}
    return writer.execute(_ANSWER, row).rowcount == 1
