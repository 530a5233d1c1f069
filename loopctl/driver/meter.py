"""Asks the loop before every request to a model, and tells it what the request has used.

Invariant: nothing is decided here. A figure gets its price here, before it becomes an event, so
that the machine counts money without knowing any price.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4

from loopctl.domain.agent_session import Role
from loopctl.domain.budget import Reservation
from loopctl.domain.events import AnyEvent, SpendRequested, SpendSettled
from loopctl.domain.usage import Usage
from loopctl.errors import SpendRefusedError
from loopctl.ports import Ask, PricingProvider


class SessionMeter:
    """Implements ``ports.Meter`` for one agent session.

    Args:
        session_id: whose requests these are.
        role: what the session is for.
        pricing: what tokens cost.
        ask: hands an event to the loop and returns its reply.
        post: hands an event to the loop that has no reply.
    """

    def __init__(
        self,
        session_id: str,
        role: Role,
        pricing: PricingProvider,
        ask: Ask,
        post: Callable[[AnyEvent], None],
    ) -> None:
        self._session_id = session_id
        self._role = role
        self._pricing = pricing
        self._ask = ask
        self._post = post

    async def reserve(self, model: str, input_tokens: int, output_tokens: int) -> str:
        """Ask for one request; return its identifier.

        Raises:
            SpendRefusedError: a cap is used up, or the session has no business to ask.
        """
        expected = Usage(model=model, input_tokens=input_tokens, output_tokens=output_tokens)
        rate = self._pricing.rate(model)
        micro_usd = None if rate is None else rate.micro_usd(expected)
        event = SpendRequested(
            request=uuid4().hex,
            session_id=self._session_id,
            role=self._role,
            model=model,
            estimate=Reservation(tokens=input_tokens + output_tokens, micro_usd=micro_usd or 0),
        )
        try:
            reply = await self._ask(event)
        except asyncio.CancelledError:  # nothing was sent, whatever the reply would have been
            self._post(SpendSettled(request=event.request))
            raise
        if reply.refused:
            raise SpendRefusedError("the request was not sent", why=reply.refused)
        return event.request

    async def settle(self, request: str, usage: Usage | None) -> None:
        """The request has ended; ``None``: nothing was spent."""
        self._post(SpendSettled(request=request, usage=self._priced(usage)))

    async def lose(self, request: str, seen: Usage | None = None) -> None:
        """The request was sent, and its end was not seen."""
        self._post(SpendSettled(request=request, usage=self._priced(seen), unseen=True))

    def _priced(self, usage: Usage | None) -> tuple[Usage, ...]:
        """What was used, with its cost; it counts also when nobody can tell what it cost."""
        if usage is None:
            return ()
        try:
            return self._pricing.price((usage,))
        except Exception:  # noqa: BLE001 - a plug-in may raise anything
            return (usage,)


@dataclass(frozen=True)
class Meters:
    """Makes the meter of each session.

    Attributes:
        pricing: what tokens cost.
        ask: hands an event to the loop and returns its reply.
        post: hands an event to the loop that has no reply.
    """

    pricing: PricingProvider
    ask: Ask
    post: Callable[[AnyEvent], None]

    def of(self, session_id: str, role: Role) -> SessionMeter:
        """The meter of one session."""
        return SessionMeter(session_id, role, self.pricing, self.ask, self.post)
