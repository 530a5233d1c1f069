"""What a call becomes: an event for the loop, or an answer that says what is wrong."""

import asyncio

from tools_world import CONCERN, HANDOFF, REPORT

from loopctl.domain.agent_session import Role
from loopctl.domain.concern import Severity
from loopctl.domain.events import ConcernFlagged, HandoffCalled
from loopctl.domain.handoff import CoderHandoff, PostActionReport
from loopctl.ports import ToolAnswer
from loopctl.tools import session_tools
from loopctl.tools.session_tools import OVER, SessionTools


def test_a_handoff_becomes_an_event(play):
    async def scene(world):
        world.loop.busy = ("session-2",)
        assert await world.seat.caller.call("loop_handoff", HANDOFF) == ToolAnswer("On record.")
        (event,) = world.loop.events
        assert isinstance(event, HandoffCalled)
        assert isinstance(event.payload, CoderHandoff)
        assert event.payload.verification[0].changed_after is False
        assert (event.session_id, event.tool, event.busy) == (
            "session-1",
            "loop_handoff",
            ("session-2",),
        )

    play(scene)


def test_what_nobody_can_tell_is_passed_on(play):
    async def scene(world):
        world.loop.busy = None
        await world.seat.caller.call("loop_handoff", HANDOFF)
        assert world.loop.events[0].busy is None

    play(scene)


def test_a_report_after_completion(play):
    async def scene(world):
        await world.seat.caller.call("loop_complete", REPORT)
        (event,) = world.loop.events
        assert event.tool == "loop_complete"
        assert isinstance(event.payload, PostActionReport)

    play(scene, Role.POST_ACTION)


def test_a_concern_becomes_an_event(play):
    async def scene(world):
        await world.seat.caller.call("loop_flag_concern", CONCERN)
        (event,) = world.loop.events
        assert isinstance(event, ConcernFlagged)
        assert (event.concern, event.severity) == ("the library is gone", Severity.HIGH)

    play(scene)


def test_calls_have_names_of_their_own(play):
    async def scene(world):
        for _ in range(2):
            await world.seat.caller.call("loop_handoff", HANDOFF)
        first, second = world.loop.events
        assert first.call != second.call

    play(scene)


def test_the_loop_refuses(play):
    async def scene(world):
        world.loop.refusal = "other sessions of the loop are at work: session-2"
        answer = await world.seat.caller.call("loop_handoff", HANDOFF)
        assert answer == ToolAnswer(
            "loop_handoff was refused, and nothing was recorded: "
            "other sessions of the loop are at work: session-2.",
            refused=True,
        )

    play(scene)


def test_what_never_reaches_the_loop(play):
    async def scene(world):
        names = "The tools of this session: loop_handoff, loop_flag_concern, section_read"
        for tool, arguments, said in (
            ("loop_handof", HANDOFF, "there is no tool loop_handof. " + names),
            ("loop_complete", REPORT, "loop_complete is not for the role coder. " + names),
            ("plan_adjust", {"rationale": "x"}, "plan_adjust is not for the role coder"),
            ("loop_handoff", {}, "changes: Field required"),
            ("x" * 100_000, {}, "there is no tool xxx"),
        ):
            answer = await world.seat.caller.call(tool, arguments)
            assert answer.refused
            assert said in answer.text
            assert len(answer.text) < 4000
        assert world.loop.events == []

    play(scene)


def test_tools_of_other_loops_answer_that_they_do_not_apply(play):
    async def scene(world):
        finding = {"file": "a.py", "line": 3}
        for tool, arguments in (
            ("section_read", {}),
            ("plan_adjust", {"sections": [], "rationale": "x"}),
            ("review_read", {}),
            ("review_write", {**finding, "severity": "bug", "description": "x"}),
            ("review_delete", finding),
        ):
            answer = await world.seat.caller.call(tool, arguments)
            assert answer.text.startswith(f"{tool} does not apply in this loop: ")
            assert not answer.refused
            assert (await world.seat.caller.call(tool, {"no": 1})).refused
        assert world.loop.events == []

    play(scene, Role.AUDITOR)


def test_a_judge_has_none(play):
    async def scene(world):
        answer = await world.seat.caller.call("loop_handoff", HANDOFF)
        assert answer.text.endswith("The tools of this session: none.")

    play(scene, Role.JUDGE)


def test_nothing_is_let_in_after_the_session_was_closed(play):
    async def scene(world):
        closed = ToolAnswer(OVER, refused=True)
        world.desk.close("session-1")
        world.desk.close("session-1")
        assert await world.seat.caller.call("loop_handoff", HANDOFF) == closed
        assert (await world.call("loop_handoff", HANDOFF))["text"] == OVER
        assert world.loop.events == []

    play(scene)


def test_calls_of_one_session_come_one_after_the_other(play):
    async def scene(world):
        under_way = 0

        async def before_reply():
            nonlocal under_way
            under_way += 1
            assert under_way == 1
            await asyncio.sleep(0.001)
            under_way -= 1

        world.loop.before_reply = before_reply
        calls = [world.seat.caller.call("loop_handoff", HANDOFF) for _ in range(5)]
        assert not any(answer.refused for answer in await asyncio.gather(*calls))

    play(scene)


def test_a_session_cannot_flood_the_loop(play, monkeypatch):
    monkeypatch.setattr(session_tools, "MOST_CALLS", 3)

    async def scene(world):
        answers = [await world.seat.caller.call("loop_flag_concern", CONCERN) for _ in range(5)]
        assert [answer.refused for answer in answers] == [False, False, False, True, True]
        assert len(world.loop.events) == 3

    play(scene)


def test_a_loop_that_ends_drops_its_calls(play):
    async def scene(world):
        async def before_reply():
            dropped = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(dropped.cancel)
            await dropped

        world.loop.before_reply = before_reply
        assert (await world.call("loop_handoff", HANDOFF))["text"] == OVER

    play(scene)


def test_a_caller_that_is_cancelled_stays_cancelled(play):
    async def scene(world):
        world.loop.before_reply = lambda: asyncio.sleep(60)
        call = asyncio.create_task(world.seat.caller.call("loop_handoff", HANDOFF))
        await world.loop.reached.wait()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        assert call.cancelled()

    play(scene)


def test_a_loop_that_does_not_answer(play):
    async def scene(world):
        world.loop.before_reply = lambda: asyncio.sleep(60)
        tools = SessionTools("s", Role.CODER, world.loop.ask, tuple, answer_s=0.01)
        answer = await tools.call("loop_handoff", HANDOFF)
        assert answer.refused
        assert "the loop does not answer" in answer.text
        assert "nothing was recorded" not in answer.text  # the call waits for its turn

    play(scene)
