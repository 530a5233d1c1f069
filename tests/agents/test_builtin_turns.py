"""Turns of the built-in agent: what it does, what the loop is told, what is kept of it."""

import json
import multiprocessing
import stat
import sys

import pytest
from builtin_world import HANDOFF, World

from loopctl.domain.agent_session import Role, TurnOutcome
from loopctl.domain.events import HandoffCalled
from loopctl.process.masking import Masker
from loopctl.testing.scripted_llm import Call, Lane, ScriptedLlm, Tokens, Turn

BROKEN = "def total(numbers):\n    return sum(numbers) + 1\n"
CHECK = f"{sys.executable} -c 'from a import total; print(total([1, 2]))'"


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


def results(llm, number):
    """The answers of tools in the request of that number, from 0."""
    blocks = llm.requests[number].body["messages"][-1]["content"]
    return [
        "".join(part["text"] for part in block["content"])
        if isinstance(block["content"], list)
        else block["content"]
        for block in blocks
        if block["type"] == "tool_result"
    ]


def test_a_turn_reads_edits_checks_and_hands_over(world, llm):
    (world.tree / "a.py").write_text(BROKEN)
    script(
        llm,
        Turn(calls=(Call("list_files"), Call("search", {"pattern": r"\+ 1"}))),
        Turn(calls=(Call("read_file", {"path": "a.py"}),), usage=Tokens(900, 20, cache_read=80)),
        Turn(calls=(Call("edit_file", {"path": "a.py", "old": " + 1", "new": ""}),)),
        Turn(text="now the check", calls=(Call("shell", {"command": CHECK}),)),
        Turn(calls=(Call("loop_handoff", HANDOFF),)),
        Turn(text="the sum is right"),
    )
    result = world.turn()
    assert (result.outcome, result.said, result.replied) == (
        TurnOutcome.FINISHED,
        "the sum is right",
        True,
    )
    assert (result.usage, result.problem, result.log) == ((), "", "round-0001.agent.log")
    assert result.duration_s > 0
    assert results(llm, 1) == ["a.py", "1 matching line\na.py:2:     return sum(numbers) + 1"]
    assert results(llm, 2) == ["1\tdef total(numbers):\n2\t    return sum(numbers) + 1"]
    assert results(llm, 3) == ["edited a.py in 1 place, first in line 2"]
    assert results(llm, 4) == ["[exit 0]\n3\n"]
    assert results(llm, 5) == ["Recorded."]
    [event] = world.events
    assert isinstance(event, HandoffCalled)
    assert event.payload.changes[0].summary == "repaired the sum"
    assert world.meter.ended == ["used"] * 6
    assert (f"shell {CHECK}", 1330) in world.shown
    assert ("loop_handoff", 1440) in world.shown
    assert world.shown[-1] == ("the sum is right", 1550)


def test_the_model_is_told_how_to_work_and_which_tools_there_are(world, llm):
    script(llm, Turn(text="done"))
    world.turn("the task")
    request = llm.requests[0]
    assert set(request.tools) == {
        *("list_files", "search", "read_file", "edit_file", "write_file", "shell"),
        *("loop_handoff", "loop_flag_concern", "section_read", "review_read"),
    }
    assert "call loop_handoff as the last thing" in request.text
    assert "the task" in request.text
    handoff = next(t for t in request.body["tools"] if t["name"] == "loop_handoff")
    assert set(handoff["input_schema"]["required"]) == {"changes", "verification"}
    shell = next(t for t in request.body["tools"] if t["name"] == "shell")
    assert shell["input_schema"]["properties"]["command"]["description"] == "The command."


PROVIDERS = ["openai-chat", "openai-responses", "google"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_calls_tools_and_remembers(world, llm, provider):
    world.provider = provider
    calls = (Call("write_file", {"path": "a", "content": "one"}), Call("loop_handoff", HANDOFF))
    script(llm, Turn(calls=calls), Turn(text="done"), Turn(text="gone on"))
    first = world.turn("first prompt")
    assert (first.outcome, first.said, first.problem) == (TurnOutcome.FINISHED, "done", "")
    assert world.turn("second prompt").said == "gone on"
    assert len(world.events) == 1
    for words in ("first prompt", "created a (3 bytes)", "Recorded.", "done", "second prompt"):
        assert words in llm.requests[2].text


def test_what_was_sent_before_is_to_be_cached(world, llm):
    script(llm, Turn(text="done"))
    world.turn()
    assert "cache_control" in json.dumps(llm.requests[0].body)


def test_without_loopctl_s_tools_nothing_is_said_of_them(world, llm):
    script(llm, Turn(text="done"))
    world.turn(role=Role.REFLECTOR, with_tools=False)
    assert "loop_" not in llm.requests[0].text


def test_what_fails_in_a_tool_is_an_answer(world, llm):
    world.refuse = "another session is busy"
    script(
        llm,
        Turn(
            calls=(
                Call("read_file", {"path": "../secret"}),
                Call("read_file", {"file": "a"}),
                Call("no_such_tool"),
                Call("loop_handoff", {"changes": []}),
                Call("loop_handoff", HANDOFF),
                Call("shell", {"command": "exit 3"}),
                Call("search", {"pattern": "("}),
                Call("write_file", {"path": ".git/hooks/x", "content": "x"}),
            )
        ),
        Turn(text="I give up"),
    )
    result = world.turn()
    assert (result.outcome, result.said) == (TurnOutcome.FINISHED, "I give up")
    outside, wrong, unknown, invalid, refused, failed, pattern, hook = results(llm, 1)
    assert "../secret is not in your folder: it is outside of it" in outside
    assert "Field required" in wrong
    assert "no_such_tool" in unknown
    assert "verification" in invalid
    assert "another session is busy" in refused
    assert failed == "[exit 3]\n[no output]"
    assert "the pattern cannot be used" in pattern
    assert "belongs to git" in hook


def test_wrong_calls_again_and_again_do_not_end_a_turn(world, llm):
    script(llm, Turn(calls=(Call("shell", {"cmd": "x"}),), times=12), Turn(text="done"))
    assert world.turn().said == "done"


def test_an_answer_without_a_word_ends_the_turn(world, llm):
    script(llm, Turn(text=""))
    result = world.turn()
    assert (result.outcome, result.said, result.replied) == (TurnOutcome.FINISHED, "", False)


def test_an_answer_that_was_cut_is_said_to_be(world, llm):
    script(llm, Turn(text="and then I", cut_off=True))
    result = world.turn()
    assert result.outcome is TurnOutcome.FINISHED
    assert "an answer was cut" in result.problem


def test_an_answer_that_was_cut_before_it_began_can_be_asked_for_again(world, llm):
    script(llm, Turn(text="", cut_off=True), Turn(text="done"))
    first, second = world.turns("do it", "go on")
    assert (first.outcome, first.replied) == (TurnOutcome.FINISHED, False)
    assert "cut before it said or did anything" in first.problem
    assert second.said == "done"


def test_the_next_turn_knows_the_one_before(world, llm):
    script(llm, Turn(text="first answer"), Turn(text="second answer"))
    first, second = world.turns("first prompt", "second prompt")
    assert (first.said, second.said) == ("first answer", "second answer")
    for words in ("first prompt", "first answer", "second prompt"):
        assert words in llm.requests[1].text


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_another_process_goes_on_with_the_conversation(world, llm):
    script(
        llm,
        Turn(calls=(Call("write_file", {"path": "a", "content": "one\n"}),)),
        Turn(text="written"),
        Turn(text="gone on"),
    )
    # a fork, because an interpreter of its own would load the library anew, for seconds
    first = multiprocessing.get_context("fork").Process(target=world.turn, args=("first prompt",))
    first.start()
    first.join(60)
    assert first.exitcode == 0
    assert not world.meter.ended
    assert world.turn("second prompt").said == "gone on"
    for words in ("first prompt", "created a (4 bytes)", "written", "second prompt"):
        assert words in llm.requests[2].text


def test_calls_that_a_crash_left_without_an_answer_do_not_end_the_session(world, llm):
    script(
        llm,
        Turn(calls=(Call("shell", {"command": "true"}), Call("list_files"))),
        Turn(text="written"),
        Turn(text="gone on"),
    )
    world.turn("first prompt")
    kept = json.loads(world.history.read_text())
    world.history.write_text(json.dumps(kept[:2]))  # killed while the tools ran
    assert world.turn("second prompt").said == "gone on"
    assert len(results(llm, 2)) == 2


def test_files_are_private_and_without_secrets(world, llm):
    secret = "hunter2-hunter2"
    world.masker = Masker({"A_TOKEN": secret})
    (world.tree / "a").write_text(f"{secret}\n")
    script(
        llm,
        Turn(
            calls=(
                Call("shell", {"command": f"cat a; echo {secret}"}),
                Call("read_file", {"path": "a"}),
            )
        ),
        Turn(text=f"it is {secret}"),
    )
    result = world.turn(f"find {secret}")
    assert result.said == "it is [masked:A_TOKEN]"
    assert results(llm, 1)[0] == "[exit 0]\n[masked:A_TOKEN]\n[masked:A_TOKEN]\n"
    for path in (world.log, world.history):
        assert secret not in path.read_text()
        assert "[masked:A_TOKEN]" in path.read_text()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert secret not in str(world.shown)
    assert sorted(path.name for path in world.root.iterdir()) == [
        *("round-0001.agent.log", "session.json", "worktree"),
    ]


def test_the_log_can_be_read_by_a_person(world, llm):
    (world.tree / "a").write_text("one\n")
    script(llm, Turn(text="a look", calls=(Call("read_file", {"path": "a"}),)), Turn(text="done"))
    world.turn("the task")
    assert world.log.read_text() == (
        "## prompt\nthe task\n\n"
        '## answer (110 tokens)\na look\ncalls read_file {"path":"a"}\n\n'
        "## read_file\n1\tone\n\n"
        "## answer (110 tokens)\ndone\n\n"
        "## turn finished\n\n"
    )


def test_a_conversation_that_cannot_be_read_is_said_so(world, llm):
    world.history.write_text("[{")
    with pytest.raises(Exception, match="cannot be gone on with"):
        world.turn()


def test_a_call_that_is_too_deep_to_be_kept_does_not_end_the_turn(world, llm):
    deep = "x"
    for _ in range(700):
        deep = [deep]
    script(llm, Turn(calls=(Call("shell", {"command": deep}),)), Turn(text="gone on"))
    result = world.turn()
    assert (result.outcome, result.said) == (TurnOutcome.FINISHED, "gone on")
