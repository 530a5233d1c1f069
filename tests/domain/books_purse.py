"""The model's purse: what a loop has spent, counted from what happened and never from the state."""

from dataclasses import dataclass, field

from loopctl.domain.records import CapApproached, UsageRecorded
from loopctl.domain.stop import CapScope
from loopctl.domain.usage import UsageSource, to_usd

MARKS = (90, 75, 50)
BUCKETS = ("input_tokens", "output_tokens", "reasoning_tokens")
BUCKETS = (*BUCKETS, "cache_read_tokens", "cache_write_tokens")


@dataclass
class Purse:
    """Money, tokens and time; requests that were granted and have not ended; caps."""

    caps: dict
    micro_usd: int = 0
    tokens: int = 0
    unknown: int = 0
    worked_s: float = 0.0
    waited_s: float = 0.0
    rounds: int = 0
    open: dict = field(default_factory=dict)
    in_rows: list = field(default_factory=lambda: [0, 0])
    unseen: int = 0
    capped: object = None
    before: dict = field(default_factory=dict)

    @classmethod
    def of(cls, budget):
        return cls(
            {
                CapScope.USD: budget.max_micro_usd,
                CapScope.TOKENS: budget.max_tokens,
                CapScope.TIME: budget.max_time_s,
                CapScope.ROUNDS: budget.max_rounds,
            }
        )

    def change_caps(self, changes):
        for scope, value in (
            (CapScope.USD, changes.max_micro_usd),
            (CapScope.TOKENS, changes.max_tokens),
            (CapScope.TIME, changes.max_time_s),
            (CapScope.ROUNDS, changes.max_rounds),
        ):
            if value is not None:
                self.caps[scope] = value or None

    # what happened

    def pay(self, usages):
        """Count one turn, or one request."""
        for usage in usages:
            self.micro_usd += usage.micro_usd or 0
            if usage.input_tokens is not None and usage.output_tokens is not None:
                self.tokens += sum(getattr(usage, bucket) for bucket in BUCKETS)
        self.unknown += not usages or any(
            usage.micro_usd is None or usage.source is UsageSource.UNKNOWN for usage in usages
        )

    def pay_estimate(self, estimate):
        """Count what nobody has seen."""
        self.micro_usd += estimate.micro_usd
        self.tokens += estimate.tokens
        self.unknown += 1

    def settled(self, event):
        estimate = self.open.pop(event.request)
        if event.unseen:
            self.unseen += 1
        if event.unseen and not event.usage:
            self.pay_estimate(estimate)
        elif event.usage:
            unseen = UsageSource.UNKNOWN
            seen = [one.evolve(source=unseen) if event.unseen else one for one in event.usage]
            self.pay(seen)

    def close(self):
        """Nobody will see how the open requests end."""
        for estimate in self.open.values():
            self.pay_estimate(estimate)
            self.unseen += 1
        self.open = {}

    # what is left

    def used(self, *, with_open=False):
        estimates = self.open.values() if with_open else ()
        return {
            CapScope.USD: self.micro_usd + sum(one.micro_usd for one in estimates),
            CapScope.TOKENS: self.tokens + sum(one.tokens for one in estimates),
            CapScope.TIME: self.worked_s,
            CapScope.ROUNDS: self.rounds,
        }

    def reached(self, *, but=(), with_open=False, less_rounds=0):
        """The first cap that is used up, if there is one."""
        used = self.used(with_open=with_open)
        used[CapScope.ROUNDS] -= less_rounds
        for scope, value in used.items():
            if scope not in but and self.caps[scope] is not None and value >= self.caps[scope]:
                return scope
        return None

    def refusing(self):
        """The cap for which a request must be refused: of tokens or dollars alone."""
        return self.reached(but=(CapScope.TIME, CapScope.ROUNDS), with_open=True)

    def half_used(self):
        """Whether half of any cap is gone."""
        return any(
            self.caps[scope] is not None and 2 * value >= self.caps[scope]
            for scope, value in self.used().items()
        )

    # what was written

    def begin(self):
        """An event comes."""
        self.before = self.used()

    def check_marks(self, records):
        """Every mark of a cap is said when it is passed, the highest alone."""
        expected = []
        for scope, now in self.used().items():
            then, cap = self.before[scope], self.caps[scope]
            passed = [m for m in MARKS if cap and 100 * then < m * cap <= 100 * now]
            if passed:
                dollars = scope is CapScope.USD
                shown = (to_usd(now), to_usd(cap)) if dollars else (now, cap)
                expected.append((scope, passed[0], *shown))
        said = [
            (row.scope, row.percent, row.observed, row.maximum)
            for row in records
            if isinstance(row, CapApproached)
        ]
        assert said == expected, "a mark of a cap is not said exactly once"

    def recorded(self, record: UsageRecorded):
        self.in_rows[0] += record.usage.micro_usd or 0
        self.in_rows[1] += record.usage.tokens or 0

    def check(self, state):
        spent = state.spent
        assert spent.micro_usd == self.micro_usd
        assert spent.tokens == self.tokens
        assert spent.unknown_turns == self.unknown
        assert self.in_rows == [self.micro_usd, self.tokens], "the rows do not add up to the sum"
        assert spent.rounds == self.rounds
        assert abs(spent.worked_s - self.worked_s) < 1e-6
        assert abs(spent.waited_s - self.waited_s) < 1e-6
        assert {spend.request for spend in state.spends} == set(self.open)
        assert self.unseen == 0, "an unseen request is not said exactly once"
