"""Loops of the built-in agent: through its real HTTP client, against a scripted model."""

import contextlib
import json
import shlex
import sqlite3
import sys
from dataclasses import asdict

import pytest
from harness import World, finish, wait_for
from model_world import (
    BAD_ROUND,
    DONE,
    HAND_OVER,
    HANDOFF,
    MODEL,
    ONE_ROUND,
    SOLVE,
    USED,
    USELESS,
    fault,
    restart,
    run,
    scripted,
    start,
    usage,
    with_model,
)

from loopctl.errors import UnknownNameError
from loopctl.testing.scripted_llm import Call, Fault, Lane, Turn


def counted(world: World) -> dict[str, int]:
    total = usage(world)["total"]
    buckets = ("input", "output", "reasoning", "cache_read", "cache_write")
    return {bucket: total[f"{bucket}_tokens"] for bucket in buckets}


def test_red_green_and_every_token_counted(world: World) -> None:
    before = world.fingerprint()
    with scripted(world, *BAD_ROUND, *ONE_ROUND) as llm:
        result = run(world, "--max-usd", "1").check(0)
        llm.check()
        assert counted(world) == asdict(llm.told[MODEL])
        assert usage(world)["total"]["requests"] == len(llm.requests)
    assert world.state().spent.micro_usd > 0
    assert [one["status"] for one in result.of("handoff_resolved")] == ["applied", "applied"]
    prompts = [request.text for request in llm.requests]
    assert "the answer: it was wrong" in prompts[3]  # the second round is told of the first
    assert world.fingerprint() == before


def test_a3_6_what_passes_uses_up_no_round_and_loses_no_token(world: World) -> None:
    turns = (
        *(fault("overloaded"), fault("rate_limit"), SOLVE),
        *(fault("reset"), fault("server_error"), HAND_OVER),
        *(fault("cut"), fault("garbage"), DONE),
    )
    with scripted(world, *turns) as llm:
        run(world).check(0)
        llm.check()
    assert world.state().last_round == 1
    shown = usage(world)
    known = shown["total"]["counted_tokens"] - shown["flagged_unknown"]["counted_tokens"]
    assert known == 330  # three answers
    assert shown["flagged_unknown"]["counted_tokens"] > 0  # reset, cut and garbage: estimates


def test_a_model_that_cannot_be_reached_holds_the_same_round_up(world: World) -> None:
    with scripted(world, SOLVE, fault("server_error", times=5), *ONE_ROUND) as llm:
        result = run(world).check(0)
        llm.check()
    assert world.state().last_round == 1
    assert [one["result"]["outcome"] for one in result.of("turn_ended")] == [
        "unavailable",
        "finished",
    ]


def test_the_third_time_in_a_row_ends_the_loop(world: World) -> None:
    with scripted(world, fault("server_error", times=15), *ONE_ROUND) as llm:
        result = run(world).check(14)
        assert result.stop["reason"] == "error_max_retries"
        assert world.state().last_round == 1
        restart(world).check(0)
        llm.check()


def test_a_model_that_is_not_there_is_replaced(world: World) -> None:
    lanes = [Lane([fault("not_found")], model=f"^{MODEL}$"), Lane(list(ONE_ROUND), model="nano")]
    with scripted(world, lanes=lanes) as llm:
        result = run(world, "--fallback-model", "openai:gpt-5-nano").check(0)
        llm.check()
    (failed,) = result.of("model_failed")
    assert (failed["model"], failed["following"]) == (f"openai:{MODEL}", "openai:gpt-5-nano")
    assert world.state().last_round == 1


@pytest.mark.parametrize("kind", ["auth", "billing", "quota"])
def test_a3_6_a_limit_that_no_wait_lifts_ends_the_loop_at_once(world: World, kind: str) -> None:
    with scripted(world, fault(kind, retry_after=None), *ONE_ROUND) as llm:
        result = run(world).check(16)
        assert result.stop["reason"] == "provider_limit"
        restart(world).check(0)
        llm.check()


def is_waiting(world: World) -> bool:
    with contextlib.suppress(UnknownNameError):
        return world.state().waiting is not None
    return False


def test_a3_6_a_limit_with_a_reset_is_waited_for_and_can_be_cut_short(world: World) -> None:
    with scripted(world, SOLVE, fault("rate_limit", retry_after="3600"), *ONE_ROUND) as llm:
        driver = start(world)
        wait_for(lambda: is_waiting(world), "it waits")
        shown = world.run_loopctl("status", "demo").check(0).stdout
        assert "waiting until" in shown
        world.run_loopctl("retry-now", "demo").check(0)
        wait_for(lambda: world.state().waiting is None, "it goes on")
        finish(driver).check(0)
        llm.check()
    assert world.state().last_round == 1
    assert answered_after(world) < 2


def answered_after(world: World) -> float:
    """Seconds from when a user's only wish was left to when the driver answered it."""
    with contextlib.closing(sqlite3.connect(world.home / "loopctl.db")) as database:
        ((seconds,),) = database.execute("SELECT answered_at - left_at FROM commands").fetchall()
    return seconds


def test_a_wait_is_cancelled(world: World) -> None:
    with scripted(world, fault("rate_limit", retry_after="3600")) as llm:
        driver = start(world)
        wait_for(lambda: is_waiting(world), "it waits")
        world.run_loopctl("cancel", "demo").check(0)
        finish(driver).check(130)
        llm.check()
    assert answered_after(world) < 2


def test_a3_3_a_wait_beyond_the_ceiling_ends_the_loop_and_a_restart_goes_on(world: World) -> None:
    turns = (fault("rate_limit", retry_after="3600"), *ONE_ROUND)
    with scripted(world, *turns) as llm:
        result = run(world, "--max-wait", "30m").check(16)
        assert "it lasts 60 min" in result.stop["detail"]
        restart(world).check(0)
        llm.check()


def test_a3_9_an_error_behind_a_status_of_success_is_an_error(world: World) -> None:
    """The answer begins well, says that all is done, and then an error comes in its stream."""
    boast = Turn(text="done, all tests pass", usage=USED, fault=Fault("error_event"))
    with scripted(world, boast, *ONE_ROUND) as llm:
        result = world.run_loop(options=with_model()).check(0)
        llm.check()  # the request was sent again: what it had begun to say ended nothing
    assert [one["result"]["outcome"] for one in result.of("turn_ended")] == ["finished"]
    assert "all tests pass" not in str(result.of("turn_ended"))


def test_a3_9_a_tool_that_was_refused_has_changed_nothing(world: World) -> None:
    """The model claims success all the same: the round says that nothing changed, and fails."""
    outside = Call("write_file", {"path": "../../answer.txt", "content": "42\n"})
    with scripted(world, Turn(calls=(outside,), usage=USED), HAND_OVER, DONE) as llm:
        result = run(world, "--max-rounds", "1").check(10)
        llm.check()
    assert "is not in your folder" in llm.requests[1].text
    (closed,) = result.of("round_closed")
    assert (closed["verdict"], closed["changed"]) == ("FAIL", 0)


def test_a_turn_without_a_handoff_is_asked_for_it(world: World) -> None:
    with scripted(world, SOLVE, DONE, HAND_OVER, DONE) as llm:
        result = run(world).check(0)
        llm.check()
    (nudged,) = result.of("handoff_nudged")
    assert nudged["number"] == 1
    assert "without calling loop_handoff" in llm.requests[2].text
    assert "without calling loop_handoff" not in llm.requests[1].text
    assert len(result.of("session_opened")) == 1


def test_the_fourth_turn_without_a_handoff_ends_the_loop(world: World) -> None:
    with scripted(world, SOLVE, DONE, DONE, DONE, DONE) as llm:
        result = run(world).check(14)
        llm.check()
    assert result.stop["reason"] == "handoff_missing"
    assert world.show("loopctl/demo:answer.txt") == "42"  # nothing of the work is lost


def test_a_handoff_need_not_be_asked_for(world: World) -> None:
    with scripted(world, SOLVE, DONE) as llm:
        run(world, "--no-require-handoff").check(0)
        llm.check()


CONCERN = {"concern": "the answer is 41, not 42", "severity": "high"}
DOUBT = Turn(calls=(Call("loop_flag_concern", CONCERN),), usage=USED)


def test_a_concern_lets_a_person_look(world: World) -> None:
    with scripted(world, USELESS, DOUBT, fault("hang")):
        result = run(world).check(12)
        assert "the answer is 41" in result.stop["reason"]
        (concern,) = result.of("concern_recorded")
        assert (concern["source"], concern["severity"]) == ("agent", "high")
        assert world.show("loopctl/demo:notes") == "more"  # the tree was put away
    with scripted(world, *ONE_ROUND) as llm:
        restart(world).check(0)
        llm.check()


def test_a_concern_can_be_noted_alone(world: World) -> None:
    with scripted(world, DOUBT, DOUBT, *ONE_ROUND) as llm:
        result = run(world, "--on-concern", "notify-continue").check(0)
        llm.check()
    assert len(result.of("concern_recorded")) == 1  # the same within half a minute is one


def test_a_cap_on_tokens_is_overrun_by_one_request_at_most(world: World) -> None:
    with scripted(world, *BAD_ROUND[:2]) as llm:
        result = run(world, "--max-tokens", "150").check(10)
        llm.check()
    assert (result.stop["scope"], result.stop["observed"]) == ("tokens", 220)
    assert result.stop["maximum"] == 150
    marks = [one["percent"] for one in result.of("cap_approached") if one["scope"] == "tokens"]
    assert marks == [50, 90]
    assert "capped" in {one["result"]["outcome"] for one in result.of("turn_ended")}


def test_a2_3_what_retries_cost_is_counted_before_the_next_one(world: World) -> None:
    """Each attempt may have been paid for: the cap stops them before their number does."""
    with scripted(world, fault("cut"), fault("cut")) as llm:
        result = run(world, "--max-tokens", "150").check(10)
        llm.check()
    assert (result.stop["observed"], result.stop["maximum"]) == (220, 150)
    assert "tokens 220 of 150" in result.stderr


def test_success_in_the_last_request_is_success(world: World) -> None:
    with scripted(world, SOLVE) as llm:
        run(world, "--max-tokens", "100").check(0)
        llm.check()


def test_a2_8_a_cap_in_dollars_needs_a_price(world: World) -> None:
    with scripted(world) as llm:
        options = ("--agent", "openai:nobody-knows-it", "--max-usd", "1")
        refused = world.run_loop(options=options).check(2)
        assert "unknown price" in refused.stderr
        llm.check()


def test_a_command_hands_over_with_loopctl_tool(world: World) -> None:
    call = shlex.join(
        [sys.executable, "-m", "loopctl", "tool", "loop_handoff", "--json", json.dumps(HANDOFF)]
    )
    solve = {"write": ["answer.txt", "42\n"]}
    asked = world.folder / "asked"
    second_time = {"run": f"if test -e {asked}; then {call}; else touch {asked}; fi"}
    result = world.run_loop([solve, second_time], options=("--require-handoff",)).check(0)
    assert len(result.of("handoff_nudged")) == 1
    (resolved,) = result.of("handoff_resolved")
    assert resolved["status"] == "applied"
