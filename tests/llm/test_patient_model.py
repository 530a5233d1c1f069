"""Requests to a model: what is tried again, what is counted, what a failure is called."""

import asyncio
import email.utils
import time

import pytest
from metering import DIALECTS, Books, Naps, ask, patient
from pydantic_ai import Agent

from loopctl.domain.usage import Usage
from loopctl.errors import SpendRefusedError
from loopctl.llm.faults import FaultKind, ModelFaultError
from loopctl.testing.scripted_llm import Call, Fault, ScriptedLlm, Tokens, Turn

USED = Tokens(input=100, output=20, reasoning=5, cache_read=7, cache_write=3)
ANSWER = Turn(text="hello yourself, whoever you are", usage=USED)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_answer_is_reserved_and_counted_in_its_buckets(dialect):
    books = Books()
    with ScriptedLlm([ANSWER]) as llm:
        assert ask(llm, dialect, books).output == ANSWER.text
        llm.check()
    ((request, how, usage),) = books.ended
    told = llm.told["m"]
    assert (request, how) == ("r1", "settled")
    assert usage == Usage(
        model=f"{dialect}:m",
        input_tokens=told.input,
        output_tokens=told.output,
        reasoning_tokens=told.reasoning,
        cache_read_tokens=told.cache_read,
        cache_write_tokens=told.cache_write,
    )
    assert usage.tokens == 135  # by hand: 100 + 20 + 5 + 7 + 3
    model, input_tokens, output_tokens = books.reserved["r1"]
    assert model == f"{dialect}:m"
    assert 0 < input_tokens < 500
    assert 0 < output_tokens < 5000
    assert llm.requests[0].stream


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("kind", ["rate_limit", "overloaded", "server_error"])
def test_what_passes_is_tried_again_and_costs_nothing(dialect, kind):
    books, naps = Books(), Naps()
    with ScriptedLlm([Turn(fault=Fault(kind), times=2), ANSWER]) as llm:
        ask(llm, dialect, books, naps=naps)
        llm.check()
    assert books.ends == ["settled nothing", "settled nothing", "settled 135"]
    assert len(naps.slept) == 2
    assert all(0 <= nap <= 30 for nap in naps.slept)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "kind", ["reset", "garbage", "malformed", "cut", "unfinished", "error_event", "empty"]
)
def test_a_request_whose_end_is_not_seen_is_lost_and_tried_again(dialect, kind):
    books = Books()
    broken = Turn(text="half an answer", usage=USED, fault=Fault(kind, after_events=1))
    with ScriptedLlm([broken, ANSWER]) as llm:
        assert ask(llm, dialect, books).output == ANSWER.text
        llm.check()
    lost, settled = books.ends
    assert lost.startswith("lost")
    assert settled == "settled 135"
    if dialect == "anthropic" and kind in {"cut", "error_event"}:
        assert lost == "lost 111"  # what its first event had said


@pytest.mark.parametrize(
    ("dialect", "written"),
    [
        *((dialect, "text") for dialect in DIALECTS),
        *((dialect, "call") for dialect in DIALECTS if dialect != "google"),  # sends it at once
    ],
)
def test_a_lost_answer_counts_at_least_what_has_come(dialect, written):
    long = "so many words " * 2000
    calls = (Call("note", {"text": long}),) if written == "call" else ()
    broken = Turn(
        text="" if calls else long, calls=calls, usage=USED, fault=Fault("cut", after_events=4000)
    )
    books = Books()
    with ScriptedLlm([broken, ANSWER]) as llm:
        ask(llm, dialect, books)
    lost, _ = books.ends
    assert int(lost.removeprefix("lost ")) > len(long) // 8


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("kind", "meaning"),
    [
        ("auth", FaultKind.LIMIT),
        ("permission", FaultKind.LIMIT),
        ("billing", FaultKind.LIMIT),
        ("quota", FaultKind.LIMIT),
        ("not_found", FaultKind.MODEL),
        ("bad_request", FaultKind.MODEL),
        ("context_length", FaultKind.CONTEXT),
        ("server_error", FaultKind.TRANSIENT),
    ],
)
def test_what_does_not_pass_has_its_name(dialect, kind, meaning):
    if (dialect, kind) in {("anthropic", "quota"), ("google", "context_length")}:
        pytest.skip("the vendor has no error of its own for this")
    books = Books()
    times = 3 if meaning is FaultKind.TRANSIENT else 1
    with ScriptedLlm([Turn(fault=Fault(kind), times=times)]) as llm:
        with pytest.raises(ModelFaultError) as caught:
            ask(llm, dialect, books)
        llm.check()
    assert caught.value.kind is meaning
    assert caught.value.model == f"{dialect}:m"
    assert f"{dialect}:m" in str(caught.value)
    assert books.ends == ["settled nothing"] * times


def as_header(value):
    """A number is a date so many seconds from now."""
    if isinstance(value, str):
        return value
    return email.utils.formatdate(time.time() + value, usegmt=True)


@pytest.mark.parametrize(
    ("retry_after", "least", "most"),
    [("7", 7, 7), ("0", 0, 0), (-90, 0, 0), (40, 20, 40), ("soon", 0, 30)],
)
def test_the_provider_says_when_to_try_again(retry_after, least, most):
    naps = Naps()
    fault = Fault("rate_limit", retry_after=as_header(retry_after))
    with ScriptedLlm([Turn(fault=fault), ANSWER]) as llm:
        ask(llm, "anthropic", Books(), naps=naps)
    assert least <= naps.slept[0] <= most


@pytest.mark.parametrize(
    ("retry_after", "least", "most"),
    [("3600", 3600, 3600), (7200, 7100, 7200), ("9" * 30, 2592000, 2592000)],
)
def test_a_long_wait_is_a_limit_with_a_reset(retry_after, least, most):
    fault = Fault("rate_limit", retry_after=as_header(retry_after))
    with ScriptedLlm([Turn(fault=fault)]) as llm, pytest.raises(ModelFaultError) as caught:
        ask(llm, "openai-chat", Books())
    assert caught.value.kind is FaultKind.LIMIT
    assert least <= caught.value.retry_after_s <= most


def test_a3_6_waits_grow_and_are_not_the_same_for_everybody():
    """Clients that were refused together do not come back together."""
    naps = [Naps(), Naps()]
    for nap in naps:
        with ScriptedLlm([Turn(fault=Fault("overloaded"), times=5), ANSWER]) as llm:
            ask(llm, "anthropic", Books(), naps=nap, attempts=6)
    first, second = (nap.slept for nap in naps)
    assert first != second
    assert all(nap <= 2**number for number, nap in enumerate(first))


@pytest.mark.parametrize(("kind", "lost"), [("hang", "lost nothing"), ("stall", "lost 110")])
def test_a_server_that_falls_silent_is_given_up(kind, lost):
    books = Books()
    with ScriptedLlm([Turn(usage=Tokens(100, 10), fault=Fault(kind)), ANSWER]) as llm:
        ask(llm, "openai-chat", books, silence_s=0.2)
    assert books.ends == [lost, "settled 135"]


def test_a_server_that_is_not_there_costs_nothing():
    with ScriptedLlm([]) as llm:
        pass
    books = Books()
    with pytest.raises(ModelFaultError) as caught:
        ask(llm, "anthropic", books, attempts=2)
    assert caught.value.kind is FaultKind.TRANSIENT
    assert books.ends == ["settled nothing"] * 2


def test_nothing_is_sent_that_was_not_granted():
    books = Books(grants=1)
    with ScriptedLlm([Turn(fault=Fault("server_error"))]) as llm:
        with pytest.raises(SpendRefusedError):
            ask(llm, "anthropic", books)
        llm.check()
    assert books.ends == ["settled nothing"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_cancelled_request_is_lost_at_once(dialect):
    books = Books()

    async def cancelled(llm):
        async with patient(llm, dialect, books) as model:
            task = asyncio.create_task(Agent(model).run("hello"))
            while not llm.requests:  # noqa: ASYNC110 - the server has no event for it
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    with ScriptedLlm([Turn(fault=Fault("hang"))]) as llm:
        asyncio.run(cancelled(llm))
    assert books.ends == ["lost nothing"]


def test_an_answer_without_figures_is_lost():
    books = Books()
    with ScriptedLlm([Turn(text="free of charge?", usage=Tokens(0, 0))]) as llm:
        ask(llm, "openai-chat", books)
    assert books.ends == ["lost nothing"]
