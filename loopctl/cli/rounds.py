"""The rounds of a loop, put together from what the store keeps of them.

The baseline counts as round 0: it has evaluations and nothing else.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path

from loopctl.cli.stored import Stored
from loopctl.cli.usage_totals import Total
from loopctl.domain.usage import Usage
from loopctl.errors import UnknownNameError
from loopctl.store.agent_sessions import (
    StoredConcern,
    StoredHandoff,
    StoredSession,
    StoredUsage,
    concerns_of,
    handoffs_of,
    sessions_of,
    usage_of,
)
from loopctl.store.evaluations import StoredEvaluation, evaluations_of
from loopctl.store.loops import StoredLoop
from loopctl.store.rounds import StoredRound, prompt_of, rounds_of

BASELINE = 0


@dataclass(frozen=True)
class ShownRound:
    """One round with everything that belongs to it.

    Attributes:
        number: counted from 1; 0 is the baseline.
        stored: its row; ``None`` for the baseline.
        evaluations: every run of an evaluator on it.
        sessions: the agent sessions that worked on it, with what their turns came to.
        handoffs: the records that ended them.
        concerns: doubts about the goal that were raised in it.
        usage: what they used.
        prompt: its text; ``None`` when it was not asked for, ``""`` when it was not kept.
    """

    number: int
    stored: StoredRound | None
    evaluations: tuple[StoredEvaluation, ...]
    sessions: tuple[StoredSession, ...] = ()
    handoffs: tuple[StoredHandoff, ...] = ()
    concerns: tuple[StoredConcern, ...] = ()
    usage: tuple[Usage, ...] = ()
    prompt: str | None = None

    @property
    def micro_usd(self) -> int | None:
        """What it cost; ``None`` when nobody can say."""
        return Total("", self.usage).micro_usd

    @property
    def duration_s(self) -> float | None:
        """Seconds from its prompt to its verdict; ``None`` before that."""
        if self.stored is None or self.stored.closed_at is None:
            return None
        return self.stored.closed_at - self.stored.prompted_at


@dataclass(frozen=True)
class History:
    """The rounds of one loop, oldest first. ``logs`` is the folder of the log files."""

    loop: StoredLoop
    logs: Path
    rounds: tuple[ShownRound, ...] = field(default=())


@dataclass(frozen=True)
class _Sessions:
    """What the agent sessions of a loop left, for all of its rounds."""

    sessions: tuple[StoredSession, ...]
    handoffs: tuple[StoredHandoff, ...]
    concerns: tuple[StoredConcern, ...]
    usage: tuple[StoredUsage, ...]


def read_rounds(stored: Stored, loop: StoredLoop, number: int | None) -> History:
    """The rounds of ``loop``, or the one of that number with its prompt.

    Raises:
        UnknownNameError: there is no such round.
    """
    database = stored.database
    rows = {row.number: row for row in rounds_of(database, loop.id)}
    wanted = [BASELINE, *rows] if number is None else [number]
    if number is not None and number != BASELINE and number not in rows:
        raise UnknownNameError(
            f"the loop {loop.name} has no round {number}",
            why=f"it has {', '.join(map(str, rows)) or 'none'}; 0 is the baseline",
            next_step=f"loopctl show {loop.name}",
        )
    sessions = _Sessions(
        sessions_of(database, loop.id),
        handoffs_of(database, loop.id),
        concerns_of(database, loop.id),
        usage_of(database, loop.id),
    )
    shown = (_round(stored, loop, rows.get(entry), entry, sessions) for entry in wanted)
    if number is not None and number != BASELINE:
        prompt = prompt_of(database, loop.id, number)
        return History(
            loop,
            stored.logs_folder(loop.id),
            tuple(replace(entry, prompt=prompt) for entry in shown),
        )
    return History(loop, stored.logs_folder(loop.id), tuple(shown))


def _round(
    stored: Stored, loop: StoredLoop, row: StoredRound | None, number: int, left: _Sessions
) -> ShownRound:
    return ShownRound(
        number=number,
        stored=row,
        evaluations=evaluations_of(stored.database, loop.id, number),
        sessions=tuple(entry for entry in left.sessions if entry.round == number),
        handoffs=tuple(entry for entry in left.handoffs if entry.round == number),
        concerns=tuple(entry for entry in left.concerns if entry.round == number),
        usage=tuple(entry.usage for entry in left.usage if entry.round == number),
    )
