"""Anthropic's messages: cached tokens stand beside those of the input, reasoning in the output."""

import json
from dataclasses import replace
from itertools import count

from loopctl.testing.scripted_llm.dialect import Json, StreamEvent, named_event, pieces
from loopctl.testing.scripted_llm.fault import Fault
from loopctl.testing.scripted_llm.request import LlmRequest, texts_in
from loopctl.testing.scripted_llm.script import Turn
from loopctl.testing.scripted_llm.tokens import Tokens

_ERRORS: dict[str, tuple[int, str]] = {
    "rate_limit": (429, "rate_limit_error"),
    "quota": (429, "rate_limit_error"),
    "overloaded": (529, "overloaded_error"),
    "server_error": (500, "api_error"),
    "auth": (401, "authentication_error"),
    "permission": (403, "permission_error"),
    "billing": (402, "billing_error"),
    "not_found": (404, "not_found_error"),
    "bad_request": (400, "invalid_request_error"),
    "context_length": (400, "invalid_request_error"),
}
_FIRST_OUTPUT = 1  # what the start of a stream says of the output


class Anthropic:
    """Implements ``dialect.Dialect`` for ``POST /v1/messages``."""

    def __init__(self) -> None:
        self._ids = count(1)

    def read(self, path: str, body: Json) -> LlmRequest | None:
        """The request; ``None`` when the path is another dialect's."""
        if not path.endswith("/messages"):
            return None
        return LlmRequest(
            dialect="anthropic",
            model=body["model"],
            stream=bool(body.get("stream")),
            tools=tuple(tool["name"] for tool in body.get("tools", ()) if "name" in tool),
            text="\n".join(texts_in([body.get("system", ""), body["messages"]])),
            body=body,
        )

    def told(self, usage: Tokens) -> Tokens:
        """All of them are told apart."""
        return usage

    def answer(self, turn: Turn, request: LlmRequest) -> Json:
        """The whole answer."""
        texts: list[Json] = [{"type": "text", "text": turn.text}] if turn.text else []
        calls = [
            {
                "type": "tool_use",
                "id": f"toolu_{next(self._ids)}",
                "name": call.tool,
                "input": dict(call.arguments),
            }
            for call in turn.calls
        ]
        head = {**self._head(request), **_end(turn), "usage": _usage(turn.usage)}
        return {**head, "content": [*texts, *calls]}

    def events(self, turn: Turn, request: LlmRequest) -> list[StreamEvent]:
        """The answer as a stream."""
        whole = turn.usage
        first = replace(whole, output=_FIRST_OUTPUT, reasoning=0)
        usage = _usage(first)
        head = {**self._head(request), "content": [], "stop_reason": None, "usage": usage}
        events = [named_event("message_start", {"type": "message_start", "message": head}, first)]
        for index, block in enumerate(self.answer(turn, request)["content"]):
            events += _block_events(index, block)
        delta = {"type": "message_delta", "delta": _end(turn)}
        delta["usage"] = _made(whole)
        events.append(named_event("message_delta", delta, whole))
        return [*events, named_event("message_stop", {"type": "message_stop"})]

    def error(self, fault: Fault) -> tuple[int, Json]:
        """Status and body of an error."""
        status, kind = _ERRORS[fault.kind]
        message = fault.text
        if fault.kind == "context_length":  # this text is all that clients know it by
            message = fault.message or "prompt is too long: 300000 tokens > 200000 maximum"
        error = {"type": fault.code or kind, "message": message}
        return status, {"type": "error", "error": error, "request_id": f"req_{next(self._ids)}"}

    def error_event(self, fault: Fault) -> StreamEvent:
        """An error inside a stream."""
        error = {"type": fault.code or "overloaded_error", "message": fault.text}
        return named_event("error", {"type": "error", "error": error})

    def _head(self, request: LlmRequest) -> Json:
        return {
            "id": f"msg_{next(self._ids)}",
            "type": "message",
            "role": "assistant",
            "model": request.model,
            "stop_sequence": None,
        }


def _usage(usage: Tokens) -> Json:
    return {
        "input_tokens": usage.input,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write,
        **_made(usage),
    }


def _made(usage: Tokens) -> Json:
    details = {"thinking_tokens": usage.reasoning}
    return {"output_tokens": usage.made, "output_tokens_details": details}


def _end(turn: Turn) -> Json:
    reason = "tool_use" if turn.calls else "end_turn"
    if turn.cut_off:
        reason = "max_tokens"
    if turn.refused:
        reason = "refusal"
    return {"stop_reason": reason, "stop_sequence": None}


def _block_events(index: int, block: Json) -> list[StreamEvent]:
    if block["type"] == "text":
        start: Json = {"type": "text", "text": ""}
        deltas: list[Json] = [
            {"type": "text_delta", "text": part} for part in pieces(block["text"])
        ]
    else:
        start = {**block, "input": {}}
        deltas = [
            {"type": "input_json_delta", "partial_json": part}
            for part in pieces(json.dumps(block["input"]))
        ]
    place = {"index": index}
    begin: Json = {"type": "content_block_start", **place, "content_block": start}
    parts: list[Json] = [
        {"type": "content_block_delta", **place, "delta": delta} for delta in deltas
    ]
    end: Json = {"type": "content_block_stop", **place}
    return [named_event(event["type"], event) for event in (begin, *parts, end)]
