"""OpenAI's responses: typed output items; tokens are counted as in chat completions."""

import json
from itertools import count

from loopctl.testing.scripted_llm.dialect import Json, StreamEvent, named_event, pieces
from loopctl.testing.scripted_llm.fault import Fault
from loopctl.testing.scripted_llm.openai_errors import openai_error
from loopctl.testing.scripted_llm.request import LlmRequest, texts_in
from loopctl.testing.scripted_llm.script import Turn
from loopctl.testing.scripted_llm.tokens import Tokens


class OpenAiResponses:
    """Implements ``dialect.Dialect`` for ``POST /v1/responses``."""

    def __init__(self) -> None:
        self._ids = count(1)

    def read(self, path: str, body: Json) -> LlmRequest | None:
        """The request; ``None`` when the path is another dialect's."""
        if not path.endswith("/responses"):
            return None
        return LlmRequest(
            dialect="openai-responses",
            model=body["model"],
            stream=bool(body.get("stream")),
            tools=tuple(tool["name"] for tool in body.get("tools") or () if "name" in tool),
            text="\n".join(texts_in([body.get("instructions") or "", body["input"]])),
            body=body,
        )

    def told(self, usage: Tokens) -> Tokens:
        """All of them are told apart."""
        return usage

    def answer(self, turn: Turn, request: LlmRequest) -> Json:
        """The whole answer."""
        return self._response(turn, request, self._items(turn))

    def events(self, turn: Turn, request: LlmRequest) -> list[StreamEvent]:
        """The answer as a stream; the usage comes with its last event."""
        items = self._items(turn)
        whole = self._response(turn, request, items)
        begun = {**whole, "status": "in_progress", "output": [], "usage": None}
        raw: list[Json] = [
            {"type": "response.created", "response": begun},
            {"type": "response.in_progress", "response": begun},
        ]
        for index, item in enumerate(items):
            raw += _item_events(index, item)
        end = f"response.{whole['status']}"
        raw.append({"type": end, "response": whole})
        told = self.told(turn.usage)
        return [
            named_event(
                event["type"],
                {**event, "sequence_number": number},
                told if event["type"] == end else None,
            )
            for number, event in enumerate(raw)
        ]

    def error(self, fault: Fault) -> tuple[int, Json]:
        """Status and body of an error."""
        return openai_error(fault)

    def error_event(self, fault: Fault) -> StreamEvent:
        """An error inside a stream."""
        code = fault.code or "server_error"
        error = {"type": "error", "code": code, "message": fault.text, "param": None}
        return named_event("error", {**error, "sequence_number": 1})

    def _response(self, turn: Turn, request: LlmRequest, items: list[Json]) -> Json:
        usage, why = turn.usage, _why_incomplete(turn)
        return {
            "id": f"resp_{next(self._ids)}",
            "object": "response",
            "created_at": 1_700_000_000,
            "model": request.model,
            "status": "incomplete" if why else "completed",
            "incomplete_details": {"reason": why} if why else None,
            "error": None,
            "instructions": None,
            "metadata": {},
            "output": items,
            "parallel_tool_calls": True,
            "temperature": 1.0,
            "tool_choice": "auto",
            "tools": [],
            "top_p": 1.0,
            "usage": {
                "input_tokens": usage.sent,
                "input_tokens_details": {
                    "cached_tokens": usage.cache_read,
                    "cache_write_tokens": usage.cache_write,
                },
                "output_tokens": usage.made,
                "output_tokens_details": {"reasoning_tokens": usage.reasoning},
                "total_tokens": usage.sent + usage.made,
            },
        }

    def _items(self, turn: Turn) -> list[Json]:
        items: list[Json] = []
        if turn.text:
            part = {"type": "output_text", "text": turn.text, "annotations": []}
            items.append({"type": "message", "role": "assistant", "content": [part]})
        items += [
            {
                "type": "function_call",
                "call_id": f"call_{next(self._ids)}",
                "name": call.tool,
                "arguments": json.dumps(dict(call.arguments)),
            }
            for call in turn.calls
        ]
        return [{**item, "id": f"item_{next(self._ids)}", "status": "completed"} for item in items]


def _why_incomplete(turn: Turn) -> str | None:
    if turn.refused:
        return "content_filter"
    return "max_output_tokens" if turn.cut_off else None


def _item_events(index: int, item: Json) -> list[Json]:
    place = {"output_index": index, "item_id": item["id"]}
    added = {"type": "response.output_item.added", "output_index": index}
    done = {"type": "response.output_item.done", "output_index": index, "item": item}
    if item["type"] == "message":
        (part,) = item["content"]
        empty = {**part, "text": ""}
        inside = {**place, "content_index": 0}
        texts = [
            {"type": "response.output_text.delta", **inside, "delta": piece, "logprobs": []}
            for piece in pieces(part["text"])
        ]
        return [
            {**added, "item": {**item, "content": [], "status": "in_progress"}},
            {"type": "response.content_part.added", **inside, "part": empty},
            *texts,
            {
                "type": "response.output_text.done",
                **inside,
                "text": part["text"],
                "logprobs": [],
            },
            {"type": "response.content_part.done", **inside, "part": part},
            done,
        ]
    arguments = item["arguments"]
    deltas = [
        {"type": "response.function_call_arguments.delta", **place, "delta": piece}
        for piece in pieces(arguments)
    ]
    finished = {"type": "response.function_call_arguments.done", **place, "arguments": arguments}
    return [
        {**added, "item": {**item, "arguments": "", "status": "in_progress"}},
        *deltas,
        {**finished, "name": item["name"]},
        done,
    ]
