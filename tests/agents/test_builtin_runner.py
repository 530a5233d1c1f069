"""The built-in agent before its first turn: names, keys, and what its commands may know."""

import os
from dataclasses import replace

import pytest
from builtin_world import World

from loopctl.errors import LoopctlError, UsageError
from loopctl.ports import StopSignal
from loopctl.testing.scripted_llm import Call, ScriptedLlm, Turn


@pytest.fixture
def world(tmp_path):
    (tmp_path / "worktree").mkdir()
    return World(tmp_path, {})


def test_a_key_is_asked_for_before_anything_starts(world):
    with pytest.raises(UsageError, match="there is no key") as caught:
        world.agent(None).check()
    assert "ANTHROPIC_API_KEY" in caught.value.why
    world.variables = {"ANTHROPIC_API_KEY": "made-up"}
    world.agent(None).check()


def test_a_name_that_is_none_is_said_so(world):
    world.provider = "nobody"
    with pytest.raises(UsageError, match="is not the name of a model"):
        world.agent(None).check()


def test_what_it_is(world):
    agent = world.agent(None)
    assert agent.reports_cost
    assert agent.reports_tokens
    assert agent.has_tools
    assert agent.remembers
    assert agent.is_metered


def test_no_request_is_sent_that_nobody_counts(world):
    world.variables = {"ANTHROPIC_API_KEY": "made-up"}

    async def play(tools):
        await world.agent(tools).open_session(replace(world.request(), meter=None))

    with pytest.raises(LoopctlError, match="nobody counts"):
        world.with_tools(play)


def test_commands_do_not_get_the_keys_of_providers(world):
    keys = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY")
    environment = {"PATH": os.defpath, "OTHER": "stays", **dict.fromkeys(keys, "made-up-key")}
    turns = [Turn(calls=(Call("shell", {"command": "env"}),)), Turn(text="done")]
    with ScriptedLlm(turns) as llm:
        world.variables = llm.environment()
        world.turn(environment=environment)
        assert "OTHER=stays" in llm.requests[1].text
        assert "_API_KEY" not in llm.requests[1].text


def test_the_model_of_the_session_is_the_one_that_is_asked_for(world):
    with ScriptedLlm([Turn(text="done")]) as llm:
        world.variables = llm.environment()

        async def play(tools):
            request = replace(world.request(), model="anthropic:another")
            session = await world.agent(tools).open_session(request)
            await session.run_turn("do it", StopSignal())
            await session.wait_idle()
            await session.close()
            await session.close()

        world.with_tools(play)
        assert llm.requests[0].model == "another"
