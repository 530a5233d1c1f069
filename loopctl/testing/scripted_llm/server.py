"""The server: finds the turn for a request, and keeps the record of what was asked and told."""

import contextlib
import socket
import sys
import threading
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from typing import Any, Self

from loopctl.testing.scripted_llm.anthropic import Anthropic
from loopctl.testing.scripted_llm.dialect import Dialect
from loopctl.testing.scripted_llm.exchange import Exchange
from loopctl.testing.scripted_llm.fault import Fault
from loopctl.testing.scripted_llm.google import Google
from loopctl.testing.scripted_llm.openai_chat import OpenAiChat
from loopctl.testing.scripted_llm.openai_responses import OpenAiResponses
from loopctl.testing.scripted_llm.request import LlmRequest
from loopctl.testing.scripted_llm.script import Lane, Step, Turn, repeated
from loopctl.testing.scripted_llm.tokens import NOTHING, Tokens

KEY = "key-of-a-scripted-model"
_POLL_S = 0.02
_PATHS = {"anthropic": "", "openai": "/v1", "google": ""}


class ScriptError(AssertionError):
    """The script was not played as it was written."""


@dataclass(frozen=True)
class Report:
    """How far a script has come.

    Attributes:
        told: what clients were told that they used, by the model's name.
        left: how many turns were not asked for.
        problems: what was asked and is not in the script, and what else went wrong.
    """

    told: dict[str, Tokens]
    left: int
    problems: list[str]


class ScriptedLlm:
    """Serves a script on a port of its own while the context is open.

    Args:
        turns: the turns, for every request; or
        lanes: the turns for the requests that match each lane.

    Raises:
        ValueError: both are given.
    """

    def __init__(self, turns: list[Step] | None = None, lanes: list[Lane] | None = None) -> None:
        if turns and lanes is not None:
            raise ValueError("a script has turns or lanes, not both")
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._requests: list[LlmRequest] = []
        self._told: dict[str, Tokens] = {}
        self._problems: list[str] = []
        self.lanes = [Lane(turns or [])] if lanes is None else lanes
        self._dialects: tuple[Dialect, ...] = (
            Anthropic(),
            OpenAiChat(),
            OpenAiResponses(),
            Google(),
        )
        self._listener = _Listener(self)
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(_POLL_S,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._listener.shutdown()
        self._thread.join()
        self._listener.hang_up()
        self._listener.server_close()

    @property
    def url(self) -> str:
        """The address, without a path."""
        return f"http://127.0.0.1:{self._listener.server_port}"

    def base_url(self, vendor: str) -> str:
        """What a client of ``anthropic``, ``openai`` or ``google`` is given as its base address."""
        return self.url + _PATHS[vendor]

    def environment(self) -> dict[str, str]:
        """The variables with which clients of every vendor find this server."""
        return {
            "ANTHROPIC_BASE_URL": self.base_url("anthropic"),
            "ANTHROPIC_API_KEY": KEY,
            "OPENAI_BASE_URL": self.base_url("openai"),
            "OPENAI_API_KEY": KEY,
            "GOOGLE_GEMINI_BASE_URL": self.base_url("google"),
            "GEMINI_API_KEY": KEY,
        }

    @property
    def lanes(self) -> list[Lane]:
        """What is left of the script, in lanes of the server's own."""
        with self._lock:
            return self._lanes

    @lanes.setter
    def lanes(self, lanes: list[Lane]) -> None:
        with self._lock:
            self._lanes = [lane.from_its_start() for lane in lanes]

    @property
    def requests(self) -> tuple[LlmRequest, ...]:
        """All requests so far, those without a turn included."""
        with self._lock:
            return tuple(self._requests)

    @property
    def told(self) -> dict[str, Tokens]:
        """What clients were told that they used, by the model's name."""
        return self.report().told

    def report(self) -> Report:
        """How far the script has come."""
        with self._lock:
            left = sum(len(lane.steps) for lane in self._lanes)
            return Report(dict(self._told), left, list(self._problems))

    def add(self, *steps: Step) -> None:
        """Add turns to the first lane."""
        with self._lock:
            self._lanes[0].steps += repeated(list(steps))

    def check(self) -> None:
        """See that the script was played to its end, and that nothing else was asked.

        Raises:
            ScriptError: says what differs.
        """
        report = self.report()
        left = [f"{report.left} turns are left"] if report.left else []
        if report.problems or left:
            raise ScriptError("; ".join([*report.problems, *left]))

    def tell(self, model: str, usage: Tokens) -> None:
        """Note what a client was told beyond what it knew."""
        if usage != NOTHING:
            with self._lock:
                self._told[model] = self._told.get(model, NOTHING).plus(usage)

    def note(self, problem: str) -> None:
        """Note what is not as the script has it."""
        with self._lock:
            self._problems.append(problem)

    def read(self, path: str, body: dict[str, Any]) -> tuple[Dialect, LlmRequest] | None:
        """The request and its dialect; ``None`` when nobody knows the path."""
        for dialect in self._dialects:
            request = dialect.read(path, body)
            if request is not None:
                return dialect, request
        return None

    def turn_for(self, request: LlmRequest) -> Turn:
        """The next turn for a request.

        One that is not in the script is refused as a bad request, which no client tries again.
        """
        with self._lock:
            self._requests.append(request)
            number = len(self._requests)
            step = self._next_step(request)
        if isinstance(step, str):
            problem = f"no turn for request {number} ({request.model}): {step}"
        elif isinstance(step, Turn):
            return step
        else:
            try:
                return step(request)
            except Exception as error:  # noqa: BLE001 - whatever it is, the test must notice
                problem = f"the turn for request {number} raised {error!r}"
        self.note(problem)
        return Turn(fault=Fault("bad_request", message=f"scripted: {problem}"))

    def _next_step(self, request: LlmRequest) -> Step | str:
        """Take the next step of the lane that owns a request, or say why there is none."""
        for number, lane in enumerate(self._lanes, start=1):
            if lane.matches(request):
                return lane.steps.pop(0) if lane.steps else f"lane {number} is used up"
        return "no lane matches"

    def wait(self, seconds: float) -> None:
        """Wait, but not beyond the end of the server."""
        if seconds > 0:
            self._closing.wait(seconds)


class _Listener(ThreadingHTTPServer):
    """Accepts connections, and ends those that are still open in the end."""

    request_queue_size = 64

    def __init__(self, llm: ScriptedLlm) -> None:
        super().__init__(("127.0.0.1", 0), type("_Exchange", (Exchange,), {"llm": llm}))
        self._llm = llm
        self._links: set[socket.socket] = set()

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection, and remember it."""
        link, address = super().get_request()
        self._links.add(link)
        return link, address

    def shutdown_request(self, request: Any) -> None:
        """Forget a connection, and end it."""
        self._links.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        """Note what went wrong; a client may go away at any time."""
        error = sys.exception()
        if not isinstance(error, ConnectionError):
            self._llm.note(f"the server failed: {error!r}")

    def hang_up(self) -> None:
        """End the connections that clients keep open."""
        for link in tuple(self._links):
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
