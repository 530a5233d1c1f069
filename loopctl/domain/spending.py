"""Money and tokens of one request: asked for before it is sent, counted when it has ended.

Invariant: a request that was granted counts exactly once, at what it used when its end was seen
and at its estimate, flagged unknown, when it was not. A request is granted as long as something
is left of every cap, so that a cap is overrun by the requests in flight at most.
"""

from pydantic import NonNegativeInt

from loopctl.domain.agent_session import Role
from loopctl.domain.budget import Reservation
from loopctl.domain.usage import Usage, UsageSource
from loopctl.domain.value import Value


class OpenSpend(Value):
    """A request that was granted and whose end has not been seen.

    Attributes:
        request: its identifier.
        session_id: the agent session that sends it.
        role: what the session is for.
        round: the round that it belongs to.
        model: the model, as ``PROVIDER:MODEL``.
        estimate: what it is expected to use.
    """

    request: str
    session_id: str
    role: Role
    round: NonNegativeInt
    model: str
    estimate: Reservation

    def unseen(self, seen: tuple[Usage, ...] = ()) -> tuple[Usage, ...]:
        """What it counts for when its end was not seen: what was, else the estimate."""
        rows = seen or (self.estimate.as_usage().evolve(model=self.model),)
        return tuple(row.evolve(source=UsageSource.UNKNOWN) for row in rows)
