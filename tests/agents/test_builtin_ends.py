"""How turns of the built-in agent end when the model, the loop or a person ends them."""

import asyncio
import os
import time

import psutil
import pytest
from builtin_world import HANDOFF, MODEL, World

from loopctl.domain.agent_session import TurnOutcome
from loopctl.ports import StopSignal
from loopctl.testing.scripted_llm import Call, Fault, Lane, ScriptedLlm, Turn
from loopctl.testing.scripted_llm.fault import FAULT_KINDS

SOON_S = 2.0
ATTEMPTS = 3  # of what is to be over soon, of which a busy machine takes one second by itself


@pytest.fixture
def llm():
    with ScriptedLlm() as llm:
        yield llm
        llm.check()


@pytest.fixture
def world(tmp_path, llm):
    (tmp_path / "worktree").mkdir()
    return World(tmp_path, llm.environment())


def script(llm, *turns):
    llm.lanes = [Lane(list(turns))]


async def until(condition):
    while not condition():  # noqa: ASYNC110 - nobody sets an event in another process
        await asyncio.sleep(0.005)


def stopped(world, outcome, condition):
    """The result of a turn that is stopped when ``condition`` holds, and how long that took."""

    async def play(tools):
        session = await world.agent(tools).open_session(world.request())
        stop = StopSignal()
        turn = asyncio.create_task(session.run_turn("do it", stop))
        await until(condition)
        began = time.monotonic()
        stop.set(outcome)
        result = await turn
        return result, time.monotonic() - began

    return world.with_tools(play)


@pytest.mark.parametrize("outcome", [TurnOutcome.ABORTED, TurnOutcome.TIMED_OUT])
def test_a_turn_is_stopped_while_the_model_thinks(world, llm, outcome):
    script(llm, Turn(fault=Fault("hang")))
    result, took = stopped(world, outcome, lambda: llm.requests)
    assert (result.outcome, result.replied) == (outcome, False)
    assert took < SOON_S
    assert (world.meter.ended, world.meter.open) == (["lost"], set())


SLEEP = f"sleep 7391.{os.getpid()}"  # no other run of the tests has it
TRAPPED = f'trap "" INT TERM; touch started; (setsid {SLEEP} &); while :; do sleep 0.01; done'


def test_a_turn_is_stopped_in_the_middle_of_a_command(world, llm):
    for _ in range(ATTEMPTS):
        world.history.unlink(missing_ok=True)
        (world.tree / "started").unlink(missing_ok=True)
        script(llm, Turn(text="a look", calls=(Call("shell", {"command": TRAPPED}),)))
        result, took = stopped(world, TurnOutcome.ABORTED, (world.tree / "started").exists)
        assert (result.outcome, result.said) == (TurnOutcome.ABORTED, "a look")
        assert result.replied
        commands = [each.info["cmdline"] or () for each in psutil.process_iter(["cmdline"])]
        assert not [command for command in commands if SLEEP in " ".join(command)]
        if took < SOON_S:
            break
    assert took < SOON_S


def test_a_session_goes_on_after_it_was_stopped_in_a_command(world, llm):
    script(
        llm,
        Turn(calls=(Call("shell", {"command": "touch started; sleep 300"}), Call("list_files"))),
        Turn(text="gone on"),
    )

    async def play(tools):
        session = await world.agent(tools).open_session(world.request())
        stop = StopSignal()
        turn = asyncio.create_task(session.run_turn("do it", stop))
        await until((world.tree / "started").exists)
        stop.set(TurnOutcome.ABORTED)
        await turn
        return await session.run_turn("go on", StopSignal())

    assert world.with_tools(play).said == "gone on"
    assert "go on" in llm.requests[1].text


def test_a_turn_whose_task_is_cancelled_leaves_nothing(world, llm):
    script(llm, Turn(calls=(Call("shell", {"command": "touch started; sleep 300"}),)))

    async def play(tools):
        session = await world.agent(tools).open_session(world.request())
        before = asyncio.all_tasks()
        turn = asyncio.create_task(session.run_turn("do it", StopSignal()))
        await until((world.tree / "started").exists)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        return asyncio.all_tasks() - before

    assert not world.with_tools(play)
    assert not world.meter.open


FAULTS = {
    "rate_limit": (TurnOutcome.UNAVAILABLE, 5),
    "overloaded": (TurnOutcome.UNAVAILABLE, 5),
    "server_error": (TurnOutcome.UNAVAILABLE, 5),
    "reset": (TurnOutcome.UNAVAILABLE, 5),
    "cut": (TurnOutcome.UNAVAILABLE, 5),
    "garbage": (TurnOutcome.UNAVAILABLE, 5),
    "empty": (TurnOutcome.UNAVAILABLE, 5),
    "malformed": (TurnOutcome.UNAVAILABLE, 5),
    "unfinished": (TurnOutcome.UNAVAILABLE, 5),
    "error_event": (TurnOutcome.UNAVAILABLE, 5),
    "not_found": (TurnOutcome.UNAVAILABLE, 1),
    "bad_request": (TurnOutcome.UNAVAILABLE, 1),
    "auth": (TurnOutcome.LIMITED, 1),
    "permission": (TurnOutcome.LIMITED, 1),
    "billing": (TurnOutcome.LIMITED, 1),
    "context_length": (TurnOutcome.FAILED, 1),
}


BEGUN = "an answer that does not come to its end"
SILENT = {"hang", "stall"}
"""Are waited for until the client gives up, or the turn is stopped."""
NOT_SAID = {"quota"}
"""This vendor has no error of its own for it."""


def test_no_fault_is_forgotten():
    assert FAULTS.keys() | SILENT | NOT_SAID == set(FAULT_KINDS)


@pytest.mark.parametrize(("kind", "outcome", "attempts"), [(k, *v) for k, v in FAULTS.items()])
def test_every_fault_of_a_model_has_its_outcome(world, llm, kind, outcome, attempts):
    first = Turn(calls=(Call("write_file", {"path": "a", "content": "one"}),))
    script(llm, first, Turn(text=BEGUN, fault=Fault(kind), times=attempts))
    result = world.turn()
    assert (result.outcome, len(world.waits)) == (outcome, attempts - 1)
    failed = f"anthropic:{MODEL}" if outcome is TurnOutcome.UNAVAILABLE else ""
    assert (result.failed_model, result.replied) == (failed, True)
    assert result.problem.startswith(f"anthropic:{MODEL}: ")
    assert len(world.meter.ended) == 1 + attempts
    assert not world.meter.open
    assert (world.tree / "a").read_text() == "one"


def test_what_passes_is_not_seen_in_the_result(world, llm):
    kinds = [kind for kind, (_, attempts) in FAULTS.items() if attempts > 1]
    steps = [
        (Turn(text=BEGUN, fault=Fault(kind)), Turn(calls=(Call("list_files"),))) for kind in kinds
    ]
    script(llm, *(turn for pair in steps for turn in pair), Turn(text="done"))
    result = world.turn()
    assert (result.outcome, result.said, result.problem) == (TurnOutcome.FINISHED, "done", "")
    assert len(world.waits) == len(kinds)
    assert len(world.meter.ended) == 2 * len(kinds) + 1


def test_a_limit_with_a_known_end(world, llm):
    script(llm, Turn(fault=Fault("rate_limit", retry_after="3600")))
    result = world.turn()
    assert (result.outcome, result.limit_resets_in_s) == (TurnOutcome.LIMITED, 3600.0)
    assert (result.replied, result.failed_model) == (False, "")


def test_a_cap_ends_the_turn_and_nothing_is_sent(world, llm):
    script(llm, Turn(calls=(Call("loop_handoff", HANDOFF),)))
    world.meter.allowed = 1
    result = world.turn()
    assert result.outcome is TurnOutcome.CAPPED
    assert result.problem == "the request was not sent: the token cap is used up"
    assert len(world.events) == 1


def test_a_turn_that_runs_in_a_circle_is_ended(world, llm):
    script(llm, Turn(calls=(Call("list_files"),), times=3))
    world.most_requests = 3
    result = world.turn()
    assert (result.outcome, result.problem) == (
        TurnOutcome.TIMED_OUT,
        "the turn was ended: it has sent 3 requests to the model",
    )


def test_a_loop_that_cannot_answer_a_tool_does_not_end_the_turn(world, llm):
    async def broken(event):
        raise OSError("the disk is full")

    world.answer = broken
    script(llm, Turn(calls=(Call("loop_handoff", HANDOFF),)), Turn(text="done"))
    assert world.turn().said == "done"
    assert "OSError: the disk is full" in llm.requests[1].text


def test_a_conversation_that_cannot_be_kept_is_a_problem_and_no_failure(world, llm):
    script(llm, Turn(text="done"))
    world.keep = world.root / "no-such-folder" / "session.json"
    result = world.turn()
    assert (result.outcome, result.said) == (TurnOutcome.FINISHED, "done")
    assert result.problem.startswith("the conversation could not be kept: ")
