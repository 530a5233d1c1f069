"""Google's generateContent: cached tokens are part of the prompt, thoughts stand apart.

Every event of a stream tells the tokens of the prompt; the last one those of the answer as well.
"""

import re
from dataclasses import replace
from itertools import count

from loopctl.testing.scripted_llm.dialect import Json, StreamEvent, data_event, pieces
from loopctl.testing.scripted_llm.fault import Fault
from loopctl.testing.scripted_llm.request import LlmRequest, texts_in
from loopctl.testing.scripted_llm.script import Turn
from loopctl.testing.scripted_llm.tokens import Tokens

_PATH = re.compile(r"/models/([^/:]+):(generateContent|streamGenerateContent)$")
_ERRORS: dict[str, tuple[int, str]] = {
    "rate_limit": (429, "RESOURCE_EXHAUSTED"),
    "quota": (429, "RESOURCE_EXHAUSTED"),
    "overloaded": (503, "UNAVAILABLE"),
    "server_error": (500, "INTERNAL"),
    "auth": (400, "INVALID_ARGUMENT"),
    "permission": (403, "PERMISSION_DENIED"),
    "billing": (402, "FAILED_PRECONDITION"),
    "not_found": (404, "NOT_FOUND"),
    "bad_request": (400, "INVALID_ARGUMENT"),
    "context_length": (400, "INVALID_ARGUMENT"),
}
_TOO_LONG = "The input token count (300000) exceeds the maximum number of tokens allowed (200000)."
_RPC = "type.googleapis.com/google.rpc."


class Google:
    """Implements ``dialect.Dialect`` for ``POST /v1beta/models/MODEL:generateContent``."""

    def __init__(self) -> None:
        self._ids = count(1)

    def read(self, path: str, body: Json) -> LlmRequest | None:
        """The request; ``None`` when the path is another dialect's."""
        found = _PATH.search(path)
        if found is None:
            return None
        tools = [
            declared["name"]
            for tool in body.get("tools", ())
            for declared in tool.get("functionDeclarations", ())
        ]
        return LlmRequest(
            dialect="google",
            model=found[1],
            stream=found[2] == "streamGenerateContent",
            tools=tuple(tools),
            text="\n".join(texts_in([body.get("systemInstruction", ""), body["contents"]])),
            body=body,
        )

    def told(self, usage: Tokens) -> Tokens:
        """What is written to a cache is not told apart from the input."""
        whole = usage.input + usage.cache_write
        return Tokens(whole, usage.output, usage.reasoning, usage.cache_read, 0)

    def answer(self, turn: Turn, request: LlmRequest) -> Json:
        """The whole answer."""
        parts = [{"text": turn.text}] if turn.text else []
        return self._content(request, [*parts, *_calls(turn)], turn)

    def events(self, turn: Turn, request: LlmRequest) -> list[StreamEvent]:
        """The answer as a stream; the last event has the usage."""
        whole = self.told(turn.usage)
        first = replace(whole, output=0, reasoning=0)
        head = {"modelVersion": request.model, "usageMetadata": _usage(first)}
        events = [
            data_event({**head, "candidates": [_candidate([{"text": part}])]}, first)
            for part in pieces(turn.text)
        ]
        return [*events, data_event(self._content(request, _calls(turn), turn), whole)]

    def error(self, fault: Fault) -> tuple[int, Json]:
        """Status and body of an error."""
        status, name = _ERRORS[fault.kind]
        message = fault.text
        if fault.kind == "context_length":  # this text is all that clients know it by
            message = fault.message or _TOO_LONG
        error = {"code": fault.status or status, "status": fault.code or name, "message": message}
        return status, {"error": {**error, "details": _details(fault)}}

    def error_event(self, fault: Fault) -> StreamEvent:
        """An error inside a stream."""
        status = fault.code or "UNAVAILABLE"
        error = {"code": 503, "message": fault.text, "status": status}
        return data_event({"error": error})

    def _content(self, request: LlmRequest, parts: list[Json], turn: Turn) -> Json:
        return {
            "candidates": [{**_candidate(parts), "finishReason": _reason(turn)}],
            "modelVersion": request.model,
            "usageMetadata": _usage(self.told(turn.usage)),
            "responseId": f"response-{next(self._ids)}",
        }


def _candidate(parts: list[Json]) -> Json:
    return {"content": {"role": "model", "parts": parts}, "index": 0}


def _reason(turn: Turn) -> str:
    if turn.refused:
        return "SAFETY"
    return "MAX_TOKENS" if turn.cut_off else "STOP"


def _usage(usage: Tokens) -> Json:
    return {
        "promptTokenCount": usage.sent,
        "cachedContentTokenCount": usage.cache_read,
        "candidatesTokenCount": usage.output,
        "thoughtsTokenCount": usage.reasoning,
        "totalTokenCount": usage.sent + usage.made,
    }


def _details(fault: Fault) -> list[Json]:
    """What the status does not say; clients tell a quota and a bad key by it."""
    details: list[Json] = []
    if fault.kind == "auth":
        details.append({"@type": f"{_RPC}ErrorInfo", "reason": "API_KEY_INVALID"})
    if fault.kind == "quota":
        violation = {"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}
        details.append({"@type": f"{_RPC}QuotaFailure", "violations": [violation]})
    if fault.retry_seconds is not None and fault.kind in {"rate_limit", "quota"}:
        details.append({"@type": f"{_RPC}RetryInfo", "retryDelay": f"{fault.retry_after}s"})
    return details


def _calls(turn: Turn) -> list[Json]:
    return [
        {"functionCall": {"name": call.tool, "args": dict(call.arguments)}} for call in turn.calls
    ]
