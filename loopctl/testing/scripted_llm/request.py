"""A request as the script sees it, whatever the dialect."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_SECRET = {"x-api-key", "authorization", "x-goog-api-key", "api-key", "cookie"}
_PROTOCOL = {"type", "role", "id", "tool_use_id", "call_id", "tool_call_id", "status"}


@dataclass(frozen=True)
class LlmRequest:
    """One request.

    Attributes:
        dialect: ``anthropic``, ``openai-chat``, ``openai-responses`` or ``google``.
        model: the model's name.
        stream: whether events are asked for.
        tools: the names of the tools that it offers.
        text: all texts of the system prompt and the messages, a line each; no roles, kinds or ids.
        body: the request as it came.
        headers: its headers, names in lower case, keys blanked.
        at: when it came, in seconds of ``time.monotonic``.
    """

    dialect: str
    model: str
    stream: bool
    tools: tuple[str, ...]
    text: str
    body: dict[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)
    at: float = 0.0


def texts_in(value: Any) -> list[str]:
    """Every text in a document, in order, without the words of the protocol."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        items = [item for name, item in value.items() if name not in _PROTOCOL]
        return [text for item in items for text in texts_in(item)]
    if isinstance(value, list):
        return [text for item in value for text in texts_in(item)]
    return []


def without_keys(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers with names in lower case, and ``***`` for what opens an account."""
    lower = {name.lower(): text for name, text in headers.items()}
    return {name: "***" if name in _SECRET else text for name, text in lower.items()}
