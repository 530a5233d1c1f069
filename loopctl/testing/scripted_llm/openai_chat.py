"""OpenAI's chat completions: cached tokens are part of the input, reasoning of the output."""

import json
from itertools import count

from loopctl.testing.scripted_llm.dialect import Json, StreamEvent, data_event, pieces
from loopctl.testing.scripted_llm.fault import Fault
from loopctl.testing.scripted_llm.openai_errors import openai_error
from loopctl.testing.scripted_llm.request import LlmRequest, texts_in
from loopctl.testing.scripted_llm.script import Turn
from loopctl.testing.scripted_llm.tokens import Tokens


class OpenAiChat:
    """Implements ``dialect.Dialect`` for ``POST /v1/chat/completions``."""

    def __init__(self) -> None:
        self._ids = count(1)

    def read(self, path: str, body: Json) -> LlmRequest | None:
        """The request; ``None`` when the path is another dialect's."""
        if not path.endswith("/chat/completions"):
            return None
        return LlmRequest(
            dialect="openai-chat",
            model=body["model"],
            stream=bool(body.get("stream")),
            tools=tuple(tool["function"]["name"] for tool in body.get("tools", ())),
            text="\n".join(texts_in(body["messages"])),
            body=body,
        )

    def told(self, usage: Tokens) -> Tokens:
        """All of them are told apart."""
        return usage

    def answer(self, turn: Turn, request: LlmRequest) -> Json:
        """The whole answer."""
        message: Json = {"role": "assistant", "content": turn.text or None, "refusal": None}
        calls = self._calls(turn)
        if calls:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "finish_reason": _reason(turn), "logprobs": None}
        head = self._head(request, "chat.completion")
        return {**head, "choices": [choice], "usage": self._usage(turn)}

    def events(self, turn: Turn, request: LlmRequest) -> list[StreamEvent]:
        """The answer as a stream; the usage comes at its end, where it is asked for."""
        head = self._head(request, "chat.completion.chunk")

        def chunk(delta: Json, reason: str | None = None) -> StreamEvent:
            choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
            return data_event({**head, "choices": [choice]})

        events = [chunk({"role": "assistant", "content": ""})]
        events += [chunk({"content": part}) for part in pieces(turn.text)]
        for index, call in enumerate(self._calls(turn)):
            first, *rest = pieces(call["function"]["arguments"])
            begin = {**call, "index": index}
            begin["function"] = {"name": call["function"]["name"], "arguments": first}
            events.append(chunk({"tool_calls": [begin]}))
            for part in rest:
                more = {"index": index, "function": {"arguments": part}}
                events.append(chunk({"tool_calls": [more]}))
        events.append(chunk({}, _reason(turn)))
        if (request.body.get("stream_options") or {}).get("include_usage"):
            usage = {**head, "choices": [], "usage": self._usage(turn)}
            events.append(data_event(usage, self.told(turn.usage)))
        return [*events, StreamEvent(b"data: [DONE]\n\n")]

    def error(self, fault: Fault) -> tuple[int, Json]:
        """Status and body of an error."""
        return openai_error(fault)

    def error_event(self, fault: Fault) -> StreamEvent:
        """An error inside a stream."""
        code = fault.code or "server_error"
        error = {"message": fault.text, "type": "server_error", "code": code}
        return data_event({"error": error})

    def _head(self, request: LlmRequest, kind: str) -> Json:
        identity = {"id": f"chatcmpl-{next(self._ids)}", "object": kind}
        return {**identity, "created": 1_700_000_000, "model": request.model}

    def _calls(self, turn: Turn) -> list[Json]:
        return [
            {
                "id": f"call_{next(self._ids)}",
                "type": "function",
                "function": {"name": call.tool, "arguments": json.dumps(dict(call.arguments))},
            }
            for call in turn.calls
        ]

    def _usage(self, turn: Turn) -> Json:
        usage = turn.usage
        cached = {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write}
        return {
            "prompt_tokens": usage.sent,
            "completion_tokens": usage.made,
            "total_tokens": usage.sent + usage.made,
            "prompt_tokens_details": cached,
            "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
        }


def _reason(turn: Turn) -> str:
    if turn.refused:
        return "content_filter"
    if turn.cut_off:
        return "length"
    return "tool_calls" if turn.calls else "stop"
