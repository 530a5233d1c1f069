"""What a loop has used, added up: overall, by model, by role and by round.

Invariant: every row that is stored is in exactly one group of each kind, so that each kind adds
up to the total. A figure that is unknown in one row is unknown in its group.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from loopctl.domain.usage import Usage, UsageSource
from loopctl.store.agent_sessions import StoredUsage

BUCKETS = (
    "input_tokens",
    "output_tokens",
    "reasoning_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
)


@dataclass(frozen=True)
class Total:
    """Several rows together.

    Attributes:
        name: the model, the role or the round; ``""`` for all of them.
        rows: what was added up.
    """

    name: str
    rows: tuple[Usage, ...]

    def bucket(self, name: str) -> int | None:
        """The tokens of one of `BUCKETS`; ``None`` when those of a row are unknown."""
        return _sum([getattr(row, name) for row in self.rows])

    @property
    def requests(self) -> int | None:
        """How many requests were sent and used something; ``None`` when a row cannot say."""
        return _sum([row.requests for row in self.rows])

    @property
    def tokens(self) -> int | None:
        """All buckets together; ``None`` when those of a row are unknown."""
        known = [row.tokens for row in self.rows]
        return None if not known or None in known else self.counted_tokens

    @property
    def micro_usd(self) -> int | None:
        """The cost; ``None`` when that of a row is unknown or an estimate."""
        if not self.rows or any(
            row.micro_usd is None or row.source is UsageSource.UNKNOWN for row in self.rows
        ):
            return None
        return self.counted_micro_usd

    @property
    def counted_tokens(self) -> int:
        """What of it counts toward the cap on tokens."""
        return sum(row.tokens or 0 for row in self.rows)

    @property
    def counted_micro_usd(self) -> int:
        """What of it counts toward the cap on cost."""
        return sum(row.micro_usd or 0 for row in self.rows)

    @property
    def sources(self) -> tuple[str, ...]:
        """Where the figures came from."""
        return tuple(dict.fromkeys(str(row.source) for row in self.rows))


@dataclass(frozen=True)
class Totals:
    """The same rows in four ways, and those whose end nobody saw."""

    overall: Total
    models: tuple[Total, ...]
    roles: tuple[Total, ...]
    rounds: tuple[Total, ...]
    unknown: Total


def add_up(rows: tuple[StoredUsage, ...]) -> Totals:
    """The totals of the rows of one loop."""
    return Totals(
        overall=Total("", tuple(row.usage for row in rows)),
        models=_groups(rows, lambda row: row.usage.model),
        roles=_groups(rows, lambda row: str(row.role)),
        rounds=_groups(rows, lambda row: str(row.round)),
        unknown=Total("", tuple(row.usage for row in rows if is_flagged(row.usage))),
    )


def is_flagged(usage: Usage) -> bool:
    """Whether it stands for something whose end nobody saw, or of which nobody could say all."""
    return usage.source is UsageSource.UNKNOWN


def _sum(figures: list[int | None]) -> int | None:
    """The sum; ``None`` when a figure is unknown, or when there is none."""
    known = [figure for figure in figures if figure is not None]
    return sum(known) if known and len(known) == len(figures) else None


def _groups(
    rows: Iterable[StoredUsage], name_of: Callable[[StoredUsage], str]
) -> tuple[Total, ...]:
    groups: dict[str, list[Usage]] = {}
    for row in rows:
        groups.setdefault(name_of(row), []).append(row.usage)
    return tuple(Total(name, tuple(usages)) for name, usages in groups.items())
