"""Every fault of the scripted server, as a bare HTTP client sees it in every dialect."""

import json

import httpx2
import pytest

from loopctl.testing.scripted_llm import Fault, ScriptedLlm, Tokens, Turn
from loopctl.testing.scripted_llm.fault import FAULT_KINDS, HTTP_FAULTS

USED = Tokens(input=100, output=20, reasoning=5, cache_read=7, cache_write=3)
ENDS = {
    "anthropic": b"message_stop",
    "openai-chat": b"[DONE]",
    "openai-responses": b"response.completed",
    "google": b"finishReason",
}
DIALECTS = list(ENDS)


def ask(llm, dialect, *, stream=False, timeout=5.0):
    """Ask, and return status, content type and bytes, and how the body broke off if it did."""
    hello = [{"role": "user", "content": "hi"}]
    wants = {"model": "m", "stream": stream}
    verb = "streamGenerateContent?alt=sse" if stream else "generateContent"
    path, body = {
        "anthropic": ("/v1/messages", {"messages": hello}),
        "openai-chat": (
            "/v1/chat/completions",
            {"messages": hello, "stream_options": {"include_usage": True}},
        ),
        "openai-responses": ("/v1/responses", {"input": hello}),
        "google": (f"/v1beta/models/m:{verb}", {"contents": [{"parts": [{"text": "hi"}]}]}),
    }[dialect]
    seen, broken = b"", None
    with httpx2.stream("POST", llm.url + path, json=body | wants, timeout=timeout) as answer:
        try:
            for data in answer.iter_raw():
                seen += data
        except httpx2.TransportError as error:
            broken = type(error)
    return answer, seen, broken


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_whole_answer_has_its_end(dialect):
    with ScriptedLlm([Turn(text="all of it", usage=USED)]) as llm:
        answer, seen, broken = ask(llm, dialect, stream=True)
    assert answer.headers["content-type"] == "text/event-stream"
    assert ENDS[dialect] in seen
    assert broken is None


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("after", [1, 99])
def test_a_stream_that_is_cut_tells_what_came_before(dialect, after):
    cut = Turn(text="all of it", usage=USED, fault=Fault("cut", after_events=after))
    with ScriptedLlm([cut]) as llm:
        answer, seen, broken = ask(llm, dialect, stream=True)
    assert answer.status_code == 200
    assert seen.startswith((b"data: ", b"event: "))
    assert ENDS[dialect] not in seen
    assert broken is httpx2.RemoteProtocolError
    assert llm.told.get("m", Tokens(0, 0)).input <= 103


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_stream_that_is_unfinished_ends_as_if_all_were_well(dialect):
    unfinished = Turn(text="all of it", usage=USED, fault=Fault("unfinished", after_events=2))
    with ScriptedLlm([unfinished]) as llm:
        _, seen, broken = ask(llm, dialect, stream=True)
    assert seen
    assert ENDS[dialect] not in seen
    assert broken is None


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_stream_that_stalls_has_begun(dialect):
    with ScriptedLlm([Turn(text="all of it", fault=Fault("stall", after_events=1))]) as llm:
        _, seen, broken = ask(llm, dialect, stream=True, timeout=0.3)
    assert seen
    assert broken is httpx2.ReadTimeout


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_error_event_ends_a_stream(dialect):
    fault = Fault("error_event", after_events=1, message="sorry", code="my_code")
    with ScriptedLlm([Turn(text="all of it", usage=USED, fault=fault)]) as llm:
        answer, seen, broken = ask(llm, dialect, stream=True)
    assert (answer.status_code, broken) == (200, None)
    assert b"sorry" in seen
    assert b"my_code" in seen
    assert ENDS[dialect] not in seen


@pytest.mark.parametrize("kind", ["cut", "stall"])
def test_an_answer_that_is_no_stream_stops_in_the_middle(kind):
    with ScriptedLlm([Turn(text="all of it", usage=USED, fault=Fault(kind))]) as llm:
        answer, seen, broken = ask(llm, "anthropic", timeout=0.3)
    assert 0 < len(seen) < int(answer.headers["content-length"])
    assert broken is (httpx2.RemoteProtocolError if kind == "cut" else httpx2.ReadTimeout)
    assert llm.told == {}


def test_an_error_event_without_a_stream_is_an_error():
    with ScriptedLlm([Turn(text="x", fault=Fault("error_event"))]) as llm:
        answer, seen, _ = ask(llm, "anthropic")
    assert answer.status_code == 529
    assert json.loads(seen)["error"]["type"] == "overloaded_error"


@pytest.mark.parametrize(
    ("kind", "form", "stream"),
    [
        ("garbage", "text/html", False),
        ("garbage", "text/html", True),
        ("malformed", None, False),
        ("malformed", None, True),
        ("unfinished", None, False),
        ("empty", None, False),
        ("empty", None, True),
    ],
)
def test_what_cannot_be_read(kind, form, stream):
    with ScriptedLlm([Turn(text="x", usage=USED, fault=Fault(kind))]) as llm:
        answer, seen, broken = ask(llm, "openai-chat", stream=stream)
    wanted = "text/event-stream" if stream else "application/json"
    assert answer.headers["content-type"] == (form or wanted)
    assert (answer.status_code, broken) == (200, None)
    assert (seen == b"") == (kind == "empty")
    with pytest.raises(ValueError):
        json.loads(seen.removeprefix(b"data: "))
    assert llm.told == {}


@pytest.mark.parametrize("stream", [False, True])
def test_a_connection_is_reset(stream):
    with (
        ScriptedLlm([Turn(fault=Fault("reset"))]) as llm,
        pytest.raises(httpx2.ReadError, match="reset"),
    ):
        ask(llm, "anthropic", stream=stream)


def test_a_server_hangs_until_it_is_closed():
    with (
        ScriptedLlm([Turn(fault=Fault("hang"))]) as llm,
        pytest.raises(httpx2.ReadTimeout),
    ):
        ask(llm, "anthropic", timeout=0.1)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("kind", HTTP_FAULTS)
def test_status_code_and_header_can_be_set(dialect, kind):
    fault = Fault(kind, status=418, code="my_code", retry_after="7", headers={"x-more": "1"})
    with ScriptedLlm([Turn(fault=fault)]) as llm:
        answer, seen, _ = ask(llm, dialect)
    assert answer.status_code == 418
    assert b'"my_code"' in seen
    assert (answer.headers["retry-after"], answer.headers["x-more"]) == ("7", "1")
    assert llm.told == {}


def test_a_date_is_no_delay_for_google():
    late = "Wed, 21 Oct 2099 07:28:00 GMT"
    turns = [Turn(fault=Fault("rate_limit", retry_after=after)) for after in (late, "7", None)]
    with ScriptedLlm(turns) as llm:
        answers = [ask(llm, "google") for _ in turns]
    assert [answer.headers.get("retry-after") for answer, _, _ in answers] == [late, "7", None]
    assert [b"retryDelay" in seen for _, seen, _ in answers] == [False, True, False]


def test_a_fault_that_nobody_knows_is_refused():
    with pytest.raises(ValueError, match="wild") as error:
        Fault("wild")
    assert all(kind in str(error.value) for kind in FAULT_KINDS)


def test_slow_answers_come_late_and_in_pieces():
    with ScriptedLlm([Turn(text="all", delay_s=0.05, pause_s=0.02)]) as llm:
        answer, seen, _ = ask(llm, "anthropic", stream=True)
        assert answer.elapsed.total_seconds() > 0.15
        assert b"message_stop" in seen


def test_a_slow_answer_does_not_outlive_the_server():
    with (
        ScriptedLlm([Turn(text="all", delay_s=60, pause_s=60)]) as llm,
        pytest.raises(httpx2.ReadTimeout),
    ):
        ask(llm, "anthropic", timeout=0.05)


def test_a_client_that_goes_away_is_not_told_the_rest():
    with ScriptedLlm([Turn(text="all of it", usage=USED, pause_s=0.1)]) as llm:
        body = {"model": "m", "messages": [], "stream": True}
        with httpx2.stream("POST", f"{llm.url}/v1/messages", json=body) as answer:
            next(answer.iter_raw())
        while llm._listener._links:
            llm.wait(0.01)
        assert llm.told["m"] == Tokens(100, 1, 0, 7, 3)


def test_requests_on_one_connection_are_answered_at_once():
    with ScriptedLlm([Turn(text="x", times=20)]) as llm, httpx2.Client() as client:
        body = {"model": "m", "messages": []}
        took = [client.post(f"{llm.url}/v1/messages", json=body).elapsed for _ in range(20)]
    assert sorted(took)[5].total_seconds() < 0.03  # a delayed acknowledgement takes 0.04
