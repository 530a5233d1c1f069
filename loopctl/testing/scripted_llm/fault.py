"""A fault: what goes wrong with a request instead of an answer.

Some faults are errors that the vendor sends, each in its own shape; the others break the
transport or the body, and are alike for all vendors.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

HttpFaultKind = Literal[
    "rate_limit",
    "quota",
    "overloaded",
    "server_error",
    "auth",
    "permission",
    "billing",
    "not_found",
    "bad_request",
    "context_length",
]
BodyFaultKind = Literal["cut", "unfinished", "stall", "error_event"]
WireFaultKind = Literal["reset", "hang", "garbage", "malformed", "empty"]
FaultKind = HttpFaultKind | BodyFaultKind | WireFaultKind

HTTP_FAULTS: tuple[HttpFaultKind, ...] = get_args(HttpFaultKind)
FAULT_KINDS: tuple[str, ...] = (*HTTP_FAULTS, *get_args(BodyFaultKind), *get_args(WireFaultKind))


@dataclass(frozen=True)
class Fault:
    """What goes wrong instead of an answer.

    Attributes:
        kind: an error in the vendor's own shape, with the status that the vendor gives it:
            ``rate_limit`` and ``quota`` 429, ``overloaded`` 529 or 503, ``server_error`` 500,
            ``auth`` 401 or 400, ``permission`` 403, ``billing`` 402, ``not_found`` 404,
            ``bad_request`` and ``context_length`` 400.

            Or an answer that begins well: ``cut`` closes the connection in its middle,
            ``unfinished`` leaves its rest out and ends in order, ``stall`` sends no more and
            stays, ``error_event`` is an error inside a stream (outside of one: an overload).

            Or no answer: ``reset`` ends the connection hard, ``hang`` says nothing until the
            server is closed, ``garbage`` is a page of a gateway, ``malformed`` has the right
            content type and broken JSON, ``empty`` has no body.
        status: another status than the vendor's.
        code: another code than the vendor's: Anthropic's ``type``, OpenAI's ``code``, Google's
            ``status``.
        retry_after: the header of that name, as it is to be sent: seconds, or a date as
            ``email.utils.format_datetime`` makes it.
        headers: further headers.
        message: the text in the error; ``""`` for the usual one.
        after_events: how much of a stream comes before it breaks off; its end never does.
    """

    kind: FaultKind
    status: int | None = None
    code: str | None = None
    retry_after: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = ""
    after_events: int = 3

    def __post_init__(self) -> None:
        if self.kind not in FAULT_KINDS:
            raise ValueError(f"{self.kind!r} is no fault; the faults are: {', '.join(FAULT_KINDS)}")

    @property
    def text(self) -> str:
        """The text in the error."""
        return self.message or f"scripted {self.kind}"

    @property
    def retry_seconds(self) -> float | None:
        """The delay in ``retry_after``; ``None`` when it is a date or not there."""
        try:
            return None if self.retry_after is None else float(self.retry_after)
        except ValueError:
            return None
