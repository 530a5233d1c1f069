"""Spending: whether a request may be sent, whether a round may start, what tokens cost."""

from dataclasses import dataclass
from typing import Protocol

from loopctl.domain.budget import Budget, Reservation, Spent
from loopctl.domain.loop import Assumption
from loopctl.domain.pricing import Rate
from loopctl.domain.stop import CapScope
from loopctl.domain.usage import Usage


class Meter(Protocol):
    """Asks before every request to a model, and says what it used: nothing is sent unasked."""

    async def reserve(self, model: str, input_tokens: int, output_tokens: int) -> str:
        """Ask for one request; return its identifier.

        Args:
            model: ``PROVIDER:MODEL``.
            input_tokens: what it is expected to send.
            output_tokens: what is expected to come back.

        Raises:
            SpendRefusedError: a cap is used up; the request must not be sent.
        """
        ...

    async def settle(self, request: str, usage: Usage | None) -> None:
        """The request has ended; ``None``: nothing was spent. Its cost is filled in here."""
        ...

    async def lose(self, request: str, seen: Usage | None = None) -> None:
        """The request was sent and its end was not seen.

        Args:
            request: its identifier.
            seen: what the provider had said until then; ``None`` counts it at its estimate.
        """
        ...


@dataclass(frozen=True)
class RoundForecast:
    """What a budget policy knows before a round.

    Attributes:
        loop: name of the loop.
        round: its number.
        budget: the caps in force.
        spent: what was used so far.
        assumed: what the user says a turn costs.
        model: what the agent will use, as ``PROVIDER:MODEL``; ``""`` when it chooses by itself.
        prompt_tokens: the length of the text to come, estimated.
        rate: the price of that model; ``None`` when nobody knows it.
    """

    loop: str
    round: int
    budget: Budget
    spent: Spent
    assumed: Assumption
    model: str = ""
    prompt_tokens: int = 0
    rate: Rate | None = None


@dataclass(frozen=True)
class Admission:
    """The round may start; its turn is expected to cost this."""

    reservation: Reservation


@dataclass(frozen=True)
class Refusal:
    """The round may not start."""

    scope: CapScope
    observed: float
    maximum: float


class BudgetPolicy(Protocol):
    """Decides whether a round may start, beyond the cumulative caps."""

    async def admit(self, forecast: RoundForecast) -> Admission | Refusal:
        """Answer for one round."""
        ...


class PricingProvider(Protocol):
    """Knows what tokens cost."""

    def rate(self, model: str) -> Rate | None:
        """The price of ``PROVIDER:MODEL``; ``None`` when it is unknown, never zero."""
        ...

    def price(self, usage: tuple[Usage, ...]) -> tuple[Usage, ...]:
        """Fill in the costs that are unknown; what cannot be priced stays unknown."""
        ...
