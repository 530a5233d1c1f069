"""A meter that keeps its books in memory, for tests of whatever sends requests to models.

Invariant: every request ends once; one that is ended again, or was never granted, is a KeyError.
"""

from dataclasses import dataclass, field
from typing import Literal
from uuid import uuid4

from loopctl.domain.usage import Usage
from loopctl.errors import SpendRefusedError


@dataclass
class MemoryMeter:
    """Implements ``ports.Meter``.

    Attributes:
        allowed: how many more requests are granted.
        open: the requests that have not ended.
        ended: how the others ended, in the order in which they did.
    """

    allowed: int = 1000
    open: set[str] = field(default_factory=set)
    ended: list[Literal["used", "nothing", "lost"]] = field(default_factory=list)

    async def reserve(self, model: str, input_tokens: int, output_tokens: int) -> str:
        """Grant a request, or refuse it.

        Raises:
            SpendRefusedError: no more are granted.
            ValueError: it is a request without a model, or one that expects nothing.
        """
        if not model or input_tokens <= 0 or output_tokens <= 0:
            raise ValueError(f"nothing to be granted: {model!r}, {input_tokens}, {output_tokens}")
        if self.allowed <= 0:
            raise SpendRefusedError("the request was not sent", why="the token cap is used up")
        self.allowed -= 1
        request = uuid4().hex
        self.open.add(request)
        return request

    async def settle(self, request: str, usage: Usage | None) -> None:
        """Note the end of a request."""
        self.open.remove(request)
        self.ended.append("nothing" if usage is None else "used")

    async def lose(self, request: str, seen: Usage | None = None) -> None:
        """Note a request whose end was not seen."""
        del seen
        self.open.remove(request)
        self.ended.append("lost")
