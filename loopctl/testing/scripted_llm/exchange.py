"""One connection: requests one after the other, until one of them ends it."""

import json
import socket
import struct
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from http.server import BaseHTTPRequestHandler
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from loopctl.testing.scripted_llm.dialect import Dialect, StreamEvent
from loopctl.testing.scripted_llm.fault import Fault
from loopctl.testing.scripted_llm.request import LlmRequest, without_keys
from loopctl.testing.scripted_llm.script import Turn
from loopctl.testing.scripted_llm.tokens import NOTHING

if TYPE_CHECKING:
    from loopctl.testing.scripted_llm.server import ScriptedLlm

_FOR_EVER_S = 3600.0
_RESET = struct.pack("ii", 1, 0)  # close with a reset, at once
_JSON = "application/json"
_EVENTS = "text/event-stream"
_PAGE = b"<html>the gateway is asleep</html>"
_BROKEN = b'{"id": "msg_1", "cont'


class Exchange(BaseHTTPRequestHandler):
    """Reads requests, and writes what the script says."""

    llm: ClassVar["ScriptedLlm"]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else head and body of an answer are 40 ms apart

    def log_message(self, *_: object) -> None:
        """Nothing is written: what was asked is in ``ScriptedLlm.requests``."""

    def do_GET(self) -> None:
        """Tell how far the script has come."""
        if self.path == "/scripted":
            report = self.llm.report()
            told = {model: asdict(tokens) for model, tokens in report.told.items()}
            left = {"left": report.left, "problems": report.problems}
            self._send(200, json.dumps({"told": told, **left}).encode())
        else:
            self._send(404, json.dumps({"error": f"unknown path {self.path}"}).encode())

    def do_POST(self) -> None:
        """Answer one request."""
        came = time.monotonic()
        path = self.path.partition("?")[0]
        found = self._read(path)
        if found is None:
            return
        dialect, request = found
        request = replace(request, headers=without_keys(dict(self.headers)), at=came)
        turn = self.llm.turn_for(request)
        self.llm.wait(turn.delay_s)
        if turn.fault is not None:
            self._fail(dialect, request, turn, turn.fault)
        elif request.stream:
            self._begin_stream()
            if self._play(request, turn, dialect.events(turn, request)):
                self._write(b"")
        else:
            self.llm.tell(request.model, dialect.told(turn.usage))
            self._send(200, json.dumps(dialect.answer(turn, request)).encode())

    def _read(self, path: str) -> tuple[Dialect, LlmRequest] | None:
        """The request; what is none is noted, and refused."""
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            found = self.llm.read(path, json.loads(raw))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            status, problem = 400, f"no request for {path}: {error!r}: {raw[:200]!r}"
        else:
            if found is not None:
                return found
            status, problem = 404, f"unknown path {path}"
        self.llm.note(problem)
        self._send(status, json.dumps({"error": {"message": problem}}).encode())
        return None

    def _fail(self, dialect: Dialect, request: LlmRequest, turn: Turn, fault: Fault) -> None:
        form = _EVENTS if request.stream else _JSON
        match fault.kind:
            case "reset":
                self._reset()
            case "hang":
                self._hang()
            case "garbage":
                self._send(200, _PAGE, form="text/html")
            case "malformed":
                whole = b"data: %s\n\n" % _BROKEN if request.stream else _BROKEN
                self._send(200, whole, form=form)
            case "empty":
                self._send(200, b"", form=form)
            case "cut" | "unfinished" | "stall":
                self._break_off(dialect, request, turn, fault)
            case "error_event" if request.stream:
                self._break_off(dialect, request, turn, fault)
            case "error_event":
                self._refuse(dialect, replace(fault, kind="overloaded"))
            case _:
                self._refuse(dialect, fault)

    def _refuse(self, dialect: Dialect, fault: Fault) -> None:
        status, body = dialect.error(fault)
        wait = {} if fault.retry_after is None else {"retry-after": fault.retry_after}
        headers = {**fault.headers, **wait}
        self._send(fault.status or status, json.dumps(body).encode(), headers=headers)

    def _break_off(self, dialect: Dialect, request: LlmRequest, turn: Turn, fault: Fault) -> None:
        """Begin an answer, and do not give its end."""
        if request.stream:
            self._begin_stream()
            events = dialect.events(turn, request)
            if not self._play(request, turn, events[: min(fault.after_events, len(events) - 1)]):
                return
        else:
            self._send_half(json.dumps(dialect.answer(turn, request)).encode(), fault)
        match fault.kind:
            case "stall":
                self._hang()
            case "error_event":
                self._write(dialect.error_event(fault).data)
                self._write(b"")
            case "unfinished" if request.stream:
                self._write(b"")
            case _:
                self.close_connection = True

    def _send_half(self, whole: bytes, fault: Fault) -> None:
        half = whole[: len(whole) // 2]
        self._head(200, _JSON, len(half) if fault.kind == "unfinished" else len(whole))
        self._put(half)

    def _play(self, request: LlmRequest, turn: Turn, events: list[StreamEvent]) -> bool:
        """Send events and count what they tell; ``False`` when the client has gone away."""
        before = NOTHING
        for event in events:
            told = before if event.told is None else event.told
            self.llm.tell(request.model, told.minus(before))
            if not self._write(event.data):
                self.llm.tell(request.model, before.minus(told))
                return False
            before = told
            self.llm.wait(turn.pause_s)
        return True

    def _begin_stream(self) -> None:
        self._head(200, _EVENTS, None)

    def _write(self, data: bytes) -> bool:
        """Write one chunk; an empty one ends the stream."""
        return self._put(b"%x\r\n%s\r\n" % (len(data), data))

    def _send(
        self,
        status: int,
        body: bytes,
        *,
        form: str = _JSON,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._head(status, form, len(body), headers)
        self._put(body)

    def _head(
        self,
        status: int,
        form: str,
        length: int | None,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Write the head of an answer; one of no known length comes in chunks."""
        self.send_response(status)
        self.send_header("content-type", form)
        if length is None:
            self.send_header("transfer-encoding", "chunked")
        else:
            self.send_header("content-length", str(length))
        for name, text in headers.items():
            self.send_header(name, text)
        try:
            self.end_headers()
        except OSError:  # the client has gone away
            self.close_connection = True

    def _put(self, data: bytes) -> bool:
        try:
            self.wfile.write(data)
        except OSError:  # the client has gone away
            self.close_connection = True
            return False
        return True

    def _hang(self) -> None:
        self.llm.wait(_FOR_EVER_S)
        self.close_connection = True

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.close_connection = True
        self.connection.close()
