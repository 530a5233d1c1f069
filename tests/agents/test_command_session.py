"""Turns of real commands: what reaches them, how they end, what they leave behind."""

import ast
import asyncio
import shlex
import stat
import sys
import time

import psutil
import pytest

from loopctl.domain.agent_session import TurnOutcome
from loopctl.ports import StopSignal
from loopctl.process.masking import Masker

GOAL = "fix it, ünïcode\r\n\x00\x1b" * 16_000  # over 300 KiB
PYTHON = shlex.quote(sys.executable)
TRAPPED = "sh -c 'trap \"echo bye; exit 0\" INT; echo up; while :; do sleep 0.01; done'"
DEAF = "sh -c 'trap \"\" INT TERM HUP; echo up; while :; do sleep 0.01; done'"


def sh(script):
    return f"sh -c {shlex.quote(script)}"


def test_a_prompt_of_300_kib_arrives_byte_for_byte(place):
    assert len(GOAL.encode()) > 300 * 1024
    result = place.turn(sh("cat > prompt"), GOAL)
    assert result.outcome is TurnOutcome.FINISHED
    assert (place.workspace / "prompt").read_bytes() == GOAL.encode()


def test_a_prompt_in_a_private_file_that_is_gone_afterwards(place):
    stale = place.log.with_suffix(".prompt")
    stale.write_text("left by a driver that was killed")
    stale.chmod(0o644)
    script = 'cp -p "$1" copy; cat > stdin; echo "$1"'
    result = place.turn(f"{sh(script)} - {{prompt_file}}", GOAL)
    copy = place.workspace / "copy"
    assert copy.read_bytes() == GOAL.encode()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert (place.workspace / "stdin").read_bytes() == b""
    assert result.said == f"{stale}\n"
    assert not stale.exists()


def test_the_placeholder_may_be_part_of_an_argument(place):
    result = place.turn("echo a={prompt_file},b={prompt_file}")
    path = place.log.with_suffix(".prompt")
    assert result.said == f"a={path},b={path}\n"


def test_a_prompt_that_is_not_utf_8_arrives_as_it_was(place):
    place.turn(sh("cat > prompt"), b"caf\xe9".decode(errors="surrogateescape"))
    assert (place.workspace / "prompt").read_bytes() == b"caf\xe9"


def test_the_program_of_the_user_runs_and_not_one_that_an_agent_put_in_its_place(place):
    for folder, word in ((place.folder, "user"), (place.workspace, "agent")):
        program = folder / "agent.sh"
        program.write_text(f"#!/bin/sh\necho {word}; pwd\n")
        program.chmod(0o755)
    assert place.turn("./agent.sh").said == f"user\n{place.workspace}\n"
    assert place.turn("sh agent.sh").said == f"user\n{place.workspace}\n"
    tracked = place.turn("sh agent.sh", is_tracked=lambda _: True)
    assert tracked.said == f"agent\n{place.workspace}\n"


def test_the_environment_is_exactly_what_was_asked_for(place):
    place.environment |= {"TERM": "dumb", "NO_COLOR": "1", "LOOPCTL_ROUND": "1"}
    said = place.turn(f"{PYTHON} -I -c 'import os; print(sorted(os.environ.items()))'").said
    seen = {pair for pair in ast.literal_eval(said) if pair[0] != "LC_CTYPE"}  # Python sets it
    assert seen == set(place.environment.items())


@pytest.mark.parametrize(
    ("script", "outcome", "words"),
    [
        ("exit 0", TurnOutcome.FINISHED, "exit 0"),
        ("echo error >&2; exit 0", TurnOutcome.FINISHED, "exit 0"),
        ("exit 1", TurnOutcome.FAILED, "exit 1"),
        ("exit 255", TurnOutcome.FAILED, "exit 255"),
        ("kill -9 $$", TurnOutcome.FAILED, "ended by signal 9"),
        ("kill -TERM $$", TurnOutcome.FAILED, "ended by signal 15"),
    ],
)
def test_the_exit_state_is_recorded_as_it_was(place, script, outcome, words):
    result = place.turn(sh(script))
    assert (result.outcome, result.exit, result.problem) == (outcome, words, "")
    assert (result.usage, result.log) == ((), "round-0001.agent.log")
    assert result.duration_s > 0


def test_what_cannot_be_started(place):
    (place.folder / "text").write_text("no program\n")
    (place.folder / "text").chmod(0o755)
    for command in ("no-such-program", "./text", "./missing"):
        result = place.turn(command)
        assert result.outcome is TurnOutcome.NOT_STARTED
        assert result.exit.startswith("not started: ")
        assert result.problem.startswith("the agent was not started: ")
    place.workspace.rmdir()
    assert "No such file" in place.turn("true").problem


def test_ten_megabytes_of_errors_before_the_output(place):
    code = "import os\nfor _ in range(10): os.write(2, b'e' * 1_000_000)\nprint('done')"
    result = place.turn(f"{PYTHON} -I -c {shlex.quote(code)}")
    assert result.outcome is TurnOutcome.FINISHED
    assert result.said.endswith("eee\ndone\n") or result.said.endswith("eeedone\n")
    assert len(result.said) == 4000
    assert place.log.stat().st_size < 10_000_000


def test_what_it_said_is_plain_text_without_secrets(place):
    place.masker = Masker({"A_TOKEN": "hunter2-hunter2"})
    said = r"\033]0;title\007\033[31mred\033[0m\r\n10%%\r100%%\nhunter2-hunter2\n"
    assert place.turn(f"printf '{said}'").said == "red\n100%\n[masked:A_TOKEN]\n"
    assert b"hunter2" not in place.log.read_bytes()
    assert stat.S_IMODE(place.log.stat().st_mode) == 0o600


def test_a_log_that_cannot_be_written_is_told(place):
    place.log.parent.rmdir()
    result = place.turn("true")
    assert result.outcome is TurnOutcome.FINISHED
    assert "the log is incomplete" in result.problem


def test_a_detached_writer_is_ended_and_named(place):
    writer = "while :; do echo x >> late; sleep 0.005; done"
    script = f"setsid sh -c '{writer}' & while [ ! -s late ]; do sleep 0.005; done"
    result = place.turn(sh(script))
    late = place.workspace / "late"
    size = late.stat().st_size
    time.sleep(0.1)
    assert late.stat().st_size == size
    assert f"sh -c {writer}" in [survivor.command for survivor in result.survivors]
    assert not any(psutil.pid_exists(survivor.pid) for survivor in result.survivors)


@pytest.mark.parametrize(
    ("command", "outcome", "words"),
    [
        (TRAPPED, TurnOutcome.TIMED_OUT, "exit 0"),
        (TRAPPED, TurnOutcome.ABORTED, "exit 0"),
        pytest.param(DEAF, TurnOutcome.ABORTED, "ended by signal 9", marks=pytest.mark.slow),
    ],
)
def test_a_stopped_turn_has_the_outcome_of_whoever_stopped_it(place, command, outcome, words):
    async def play(tools):
        session = await place.session(command, tools)
        stop = StopSignal()
        turn = asyncio.create_task(session.run_turn("p", stop))
        await soon(lambda: place.log.exists() and place.log.read_text() == "up\n")
        stop.set(outcome)
        stop.set(TurnOutcome.LIMITED)  # the first one stands
        return await turn

    result = place.with_tools(play)
    assert (result.outcome, result.exit) == (outcome, words)
    assert result.said.startswith("up\n")


def test_an_agent_that_kills_the_guard_ends_with_it_and_the_next_turn_works(place):
    async def play(tools):
        session = await place.session(sh("echo $$ > pid; kill -9 $PPID; exec sleep 1000"), tools)
        killed = await session.run_turn("p", StopSignal())
        session = await place.session("true", tools)
        return killed, await session.run_turn("p", StopSignal())

    killed, following = place.with_tools(play)
    assert (killed.outcome, killed.exit) == (TurnOutcome.FAILED, "")
    assert killed.problem == "the process guard was killed"
    assert not psutil.pid_exists(int((place.workspace / "pid").read_text()))
    assert following.outcome is TurnOutcome.FINISHED


def test_a_cancelled_turn_leaves_neither_process_nor_prompt(place):
    async def play(tools):
        session = await place.session(f"{TRAPPED} - {{prompt_file}}", tools)
        turn = asyncio.create_task(session.run_turn("p", StopSignal()))
        await soon(lambda: place.log.exists() and place.log.read_text() == "up\n")
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn

    place.with_tools(play)
    assert place.log.read_text() == "up\nbye\n"
    assert [path.name for path in place.log.parent.iterdir()] == [place.log.name]


def test_sessions_have_ids_of_their_own_and_end_quietly(place):
    async def play(tools):
        sessions = [await place.session("true", tools) for _ in range(2)]
        for session in sessions:
            await session.wait_idle()
            await session.close()
            await session.close()
        return {session.id for session in sessions}

    assert len(place.with_tools(play)) == 2


async def soon(condition):
    while not condition():  # noqa: ASYNC110 - another process sets no event
        await asyncio.sleep(0.005)
