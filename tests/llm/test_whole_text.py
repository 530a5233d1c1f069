"""Halves of characters in what a provider sends: JSON can spell them, nothing can store them."""

import asyncio

import pytest
from metering import DIALECTS, Books, ask, patient
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart

from loopctl.llm.faults import ModelFaultError
from loopctl.llm.whole_text import whole_answer, whole_text
from loopctl.testing.scripted_llm import Call, Fault, ScriptedLlm, Turn

HALF = "\ud800"


def test_two_halves_are_one_character_and_a_lone_one_is_none():
    assert whole_text("plain \U0001f600 é") == "plain \U0001f600 é"
    assert whole_text("\ud83d\ude00 \ude00 \ud83d.") == "\U0001f600 \ufffd \ufffd."


def test_every_part_of_an_answer():
    call = ToolCallPart(tool_name=HALF, args={HALF: [{"a": HALF}, 1]}, tool_call_id="1")
    answer = ModelResponse(parts=[TextPart(content=HALF), ThinkingPart(content=HALF), call])
    text, thinking, called = whole_answer(answer).parts
    assert (text.content, thinking.content, called.tool_name) == ("\ufffd",) * 3
    assert called.args == {"\ufffd": [{"a": "\ufffd"}, 1]}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_answer_can_be_stored(dialect):
    with ScriptedLlm([Turn(text=f"half {HALF}")]) as llm:
        assert ask(llm, dialect, Books()).output == "half \ufffd"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_call_can_be_stored(dialect):
    """Where the arguments come as JSON text the call is refused, and the model is told."""

    async def note(text: str) -> str:
        return text

    async def asking(llm):
        async with patient(llm, dialect, Books()) as model:
            return await Agent(model, tools=[note]).run("hello")

    with ScriptedLlm([Turn(calls=(Call("note", {"text": HALF}),)), Turn(text="done")]) as llm:
        asyncio.run(asking(llm)).all_messages_json()
        llm.check()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_refusal_can_be_stored(dialect):
    with (
        ScriptedLlm([Turn(fault=Fault("not_found", message=f"half {HALF}"))]) as llm,
        pytest.raises(ModelFaultError) as failed,
    ):
        ask(llm, dialect, Books())
    failed.value.message.encode()
