"""How long a provider asks to wait, and what a long wait is called."""

from datetime import UTC, datetime

import pytest
from metering import DIALECTS, Books, Naps, ask
from pydantic_ai.exceptions import ModelHTTPError

from loopctl.llm.faults import FaultKind, ModelFaultError
from loopctl.llm.retry_after import LONGEST_RESET_S, asked_wait
from loopctl.testing.scripted_llm import Fault, ScriptedLlm, Turn

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def used_up(allowance, reset, remaining="0"):
    prefix = f"anthropic-ratelimit-{allowance}"
    return {f"{prefix}-remaining": remaining, f"{prefix}-reset": reset}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": "9" * 30}, LONGEST_RESET_S),
        ({"retry-after": "nan"}, None),
        ({"retry-after-ms": "2500"}, 2.5),
        (used_up("requests", "2026-01-01T12:00:20Z"), 20),
        (used_up("requests", "2026-01-01T12:00:20Z") | {"retry-after": "7"}, 7),
        (used_up("requests", "2026-01-01T12:00:20Z", remaining="4"), None),
        (
            used_up("requests", "2026-01-01T12:00:20Z")
            | used_up("input-tokens", "2026-01-01T12:01:30Z")
            | used_up("output-tokens", "2026-01-01T13:00:00Z", remaining="9"),
            90,
        ),
        (used_up("tokens", "2026-01-01T11:59:00Z"), 0),
        (used_up("tokens", "2999-01-01T00:00:00Z"), LONGEST_RESET_S),
        (used_up("tokens", "soon"), None),
        (used_up("tokens", "2026-01-01T12:00:20"), None),
    ],
)
def test_what_the_headers_ask_for(headers, seconds):
    assert asked_wait(ModelHTTPError(429, "m", {}, headers=headers), NOW) == seconds


def test_an_error_without_headers_asks_for_nothing():
    assert asked_wait(ModelHTTPError(500, "m"), NOW) is None
    assert asked_wait(ValueError("no"), NOW) is None


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("kind", ["overloaded", "server_error"])
def test_no_request_sleeps_for_an_hour_whatever_the_status(dialect, kind):
    books, naps = Books(), Naps()
    with ScriptedLlm([Turn(fault=Fault(kind, retry_after="3600"))]) as llm:
        with pytest.raises(ModelFaultError) as caught:
            ask(llm, dialect, books, naps=naps)
        llm.check()
    assert (caught.value.kind, caught.value.retry_after_s) == (FaultKind.LIMIT, 3600)
    assert naps.slept == []
    assert books.ends == ["settled nothing"]
