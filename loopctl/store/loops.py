"""The loops as they are found and listed.

Invariant: only projections are read, never the documents of specification and state, so that a
list stays fast with a thousand loops.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVarTuple

from sqlalchemy import Row, Select, func, select

from loopctl.domain.step import Phase, Step
from loopctl.domain.stop import STOP_CONDITION, Status, StopCondition
from loopctl.errors import UnknownNameError
from loopctl.store.database import Database
from loopctl.store.payload import log_invalid
from loopctl.store.tables import loops

_SHOWN = select(*(column for column in loops.c if column.name not in {"spec_json", "state_json"}))
_COUNT = select(func.count()).select_from(loops)
_NAMES_SHOWN = 10
_R = TypeVarTuple("_R")


@dataclass(frozen=True)
class StoredLoop:
    """A loop as it is listed. Times are Unix seconds.

    Attributes:
        id: unique for ever.
        project: id of the project.
        name: unique within the project.
        repository: the user's checkout.
        goal: the user's text.
        base_commit: where the work started.
        branch: the loop's own branch.
        worktree: its folder; ``""`` before it is there.
        status: ``running`` also says so of a loop whose driver is gone (see ``lease``).
        phase: who is at work.
        step: where inside the phase.
        round: the open round, else the last one.
        rounds_in_run: rounds since the last restart.
        tokens: known tokens of all turns.
        micro_usd: known, assumed or reserved cost of all turns.
        worked_s: seconds of working time.
        stop: why it ended; ``None`` while it runs.
        epoch: of its newest driver.
        created_at: when it was created.
        updated_at: when its newest event happened.
        ended_at: when it ended.
    """

    id: str
    project: str
    name: str
    repository: str
    goal: str
    base_commit: str
    branch: str
    worktree: str
    status: Status
    phase: Phase
    step: Step
    round: int
    rounds_in_run: int
    tokens: int
    micro_usd: int
    worked_s: float
    stop: StopCondition | None
    epoch: int
    created_at: float
    updated_at: float
    ended_at: float | None


def find(database: Database, project: str | None, name: str) -> StoredLoop:
    """The loop of that name or id, in one project or (``None``) in all.

    Raises:
        UnknownNameError: there is none, or more than one.
    """
    known = list_loops(database, project)
    found = [loop for loop in known if name in {loop.name, loop.id}]
    if len(found) == 1:
        return found[0]
    if found:
        raise UnknownNameError(
            f"{len(found)} loops are called {name!r}",
            why="in " + ", ".join(loop.repository for loop in found),
            next_step=f"cd {found[-1].repository}, or use the id: {found[-1].id}",
        )
    names = tuple(dict.fromkeys(loop.name for loop in reversed(known)))[:_NAMES_SHOWN]
    raise UnknownNameError(
        f"there is no loop called {name!r}",
        why=f"the newest are {', '.join(names)}" if names else "no loop was started here yet",
        next_step="loopctl list",
    )


def list_loops(database: Database, project: str | None = None) -> tuple[StoredLoop, ...]:
    """The loops of one project or (``None``) of all, oldest first."""
    statement = _of(project, _SHOWN).order_by(loops.c.created_at, loops.c.id)
    with database.read() as connection:
        return _stored_loops(connection.execute(statement).all())


def newest_loops(
    database: Database, project: str | None, count: int
) -> tuple[tuple[StoredLoop, ...], int]:
    """The loops that run and then the newest others, ``count`` at most; and how many more."""
    running = loops.c.status == Status.RUNNING
    order = (running.desc(), loops.c.created_at.desc(), loops.c.id.desc())
    with database.read() as connection:
        rows = connection.execute(_of(project, _SHOWN).order_by(*order).limit(count)).all()
        known = connection.scalar(_of(project, _COUNT)) or 0
    return _stored_loops(rows), known - len(rows)


def _of(project: str | None, statement: Select[*_R]) -> Select[*_R]:
    return statement if project is None else statement.where(loops.c.project == project)


def _stored_loops(rows: Sequence[Row[Any]]) -> tuple[StoredLoop, ...]:
    entries = (_stored_loop(row) for row in rows)
    return tuple(entry for entry in entries if entry is not None)


def _stored_loop(row: Row[Any]) -> StoredLoop | None:
    fields = dict(row._mapping)  # noqa: SLF001 - this is its public name
    try:
        stop_json = fields.pop("stop_json")
        fields.pop("stop_kind")
        stop = None if stop_json is None else STOP_CONDITION.validate_json(stop_json)
        fields["status"] = Status(row.status)
        fields["phase"] = Phase(row.phase)
        fields["step"] = Step(row.step)
    except ValueError as error:
        log_invalid(f"loop {row.id}", error)
        return None
    return StoredLoop(**fields, stop=stop)
