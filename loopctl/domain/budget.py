"""What a loop may spend and what it has spent; whether another round may start.

Tokens, dollars and working time count over restarts; rounds count since the last explicit
restart. A cap of ``None`` does not limit. Success is looked for before a cap is, so that a goal
met in the last allowed round is a goal met.
"""

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from loopctl.domain.stop import BudgetCap, CapScope
from loopctl.domain.usage import Usage, UsageSource, to_usd
from loopctl.domain.value import Value

MARKS = (50, 75, 90)
"""Percentages of a cap at which a loop says so."""


class Budget(Value):
    """The caps of a loop.

    Attributes:
        max_rounds: rounds since the last explicit restart; ``None`` has no cap.
        max_tokens: tokens over all turns of all roles.
        max_micro_usd: millionths of a US dollar over all turns of all roles.
        max_time_s: seconds of working time; waiting for a provider does not count.
        per_round_micro_usd: a round whose estimate exceeds this is not started.
    """

    max_rounds: PositiveInt | None = None
    max_tokens: PositiveInt | None = None
    max_micro_usd: PositiveInt | None = None
    max_time_s: PositiveFloat | None = None
    per_round_micro_usd: PositiveInt | None = None


class Reservation(Value):
    """What an admitted turn is expected to cost; counted as spent if its end is never seen."""

    micro_usd: NonNegativeInt = 0
    tokens: NonNegativeInt = 0

    def as_usage(self) -> Usage:
        """What a turn whose end nobody saw is taken to have used: an unknown figure."""
        return Usage(
            micro_usd=self.micro_usd or None,
            input_tokens=self.tokens or None,
            output_tokens=0,
        )


class Spent(Value):
    """What a loop has used so far.

    Attributes:
        rounds: rounds prompted since the last explicit restart.
        tokens: known tokens of all turns.
        micro_usd: known, assumed or reserved cost of all turns.
        worked_s: seconds of working time.
        waited_s: seconds spent waiting for a provider.
        unknown_turns: turns for which nobody could say what they cost.
    """

    rounds: NonNegativeInt = 0
    tokens: NonNegativeInt = 0
    micro_usd: NonNegativeInt = 0
    worked_s: NonNegativeFloat = 0.0
    waited_s: NonNegativeFloat = 0.0
    unknown_turns: NonNegativeInt = 0

    def plus(self, usages: tuple[Usage, ...]) -> "Spent":
        """Add what one turn used."""
        unknown = not usages or any(
            usage.micro_usd is None or usage.source is UsageSource.UNKNOWN for usage in usages
        )
        return self.evolve(
            tokens=self.tokens + sum(usage.tokens or 0 for usage in usages),
            micro_usd=self.micro_usd + sum(usage.micro_usd or 0 for usage in usages),
            unknown_turns=self.unknown_turns + unknown,
        )


def exhausted(budget: Budget, spent: Spent) -> BudgetCap | None:
    """The first cap that leaves nothing for another round, if there is one."""
    for scope, observed, maximum in figures(budget, spent):
        if maximum is not None and observed >= maximum:
            return BudgetCap(scope=scope, observed=observed, maximum=maximum)
    return None


def approached(before: Spent, after: Spent, budget: Budget) -> tuple[tuple[BudgetCap, int], ...]:
    """The caps of which a mark was passed between ``before`` and ``after``, with its percentage.

    One entry for each cap: the highest mark that was passed.
    """
    found = []
    shown = figures(budget, after)
    for (scope, observed, maximum), then, now, cap in zip(
        shown, _amounts(before), _amounts(after), _caps(budget), strict=True
    ):
        if maximum is None or cap is None:
            continue
        passed = [mark for mark in MARKS if then * 100 < mark * cap <= now * 100]
        if passed:
            found.append((BudgetCap(scope=scope, observed=observed, maximum=maximum), passed[-1]))
    return tuple(found)


def half_used(budget: Budget, spent: Spent) -> BudgetCap | None:
    """The first cap of which half is used, and not all of it."""
    for scope, observed, maximum in figures(budget, spent):
        if maximum is not None and maximum <= 2 * observed and observed < maximum:
            return BudgetCap(scope=scope, observed=observed, maximum=maximum)
    return None


def figures(budget: Budget, spent: Spent) -> tuple[tuple[CapScope, float, float | None], ...]:
    """What was used and what may be, of everything that can be capped; ``None`` is no cap."""
    return (
        (CapScope.USD, to_usd(spent.micro_usd), _dollars(budget.max_micro_usd)),
        (CapScope.TOKENS, spent.tokens, budget.max_tokens),
        (CapScope.TIME, spent.worked_s, budget.max_time_s),
        (CapScope.ROUNDS, spent.rounds, budget.max_rounds),
    )


def _amounts(spent: Spent) -> tuple[float, ...]:
    """What is compared with marks: money in millionths, because fractions of it are not exact."""
    return (spent.micro_usd, spent.tokens, spent.worked_s, spent.rounds)


def _caps(budget: Budget) -> tuple[float | None, ...]:
    return (budget.max_micro_usd, budget.max_tokens, budget.max_time_s, budget.max_rounds)


def _dollars(micro: int | None) -> float | None:
    return None if micro is None else to_usd(micro)
