"""What a vendor's protocol has to say: how it reads a request, and how it puts an answer."""

import json
from dataclasses import dataclass
from typing import Any, Protocol

from loopctl.testing.scripted_llm.fault import Fault
from loopctl.testing.scripted_llm.request import LlmRequest
from loopctl.testing.scripted_llm.script import Turn
from loopctl.testing.scripted_llm.tokens import Tokens

Json = dict[str, Any]


@dataclass(frozen=True)
class StreamEvent:
    """One event of a stream; ``told`` is what the client knows of the usage after it."""

    data: bytes
    told: Tokens | None = None


class Dialect(Protocol):
    """One vendor's protocol."""

    def read(self, path: str, body: Json) -> LlmRequest | None:
        """The request; ``None`` when the path is another dialect's."""
        ...

    def told(self, usage: Tokens) -> Tokens:
        """The buckets that a client can tell apart in this protocol."""
        ...

    def answer(self, turn: Turn, request: LlmRequest) -> Json:
        """The whole answer."""
        ...

    def events(self, turn: Turn, request: LlmRequest) -> list[StreamEvent]:
        """The answer as a stream."""
        ...

    def error(self, fault: Fault) -> tuple[int, Json]:
        """Status and body of an error."""
        ...

    def error_event(self, fault: Fault) -> StreamEvent:
        """An error inside a stream."""
        ...


def named_event(name: str, content: Json, told: Tokens | None = None) -> StreamEvent:
    """A server-sent event with a name."""
    return StreamEvent(f"event: {name}\ndata: {json.dumps(content)}\n\n".encode(), told)


def data_event(content: Json, told: Tokens | None = None) -> StreamEvent:
    """A server-sent event without a name."""
    return StreamEvent(f"data: {json.dumps(content)}\n\n".encode(), told)


def pieces(text: str) -> list[str]:
    """A text in two parts, so that a stream has something to put together."""
    middle = len(text) // 2
    return [part for part in (text[:middle], text[middle:]) if part]
