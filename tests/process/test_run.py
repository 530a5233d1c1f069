"""The whole life of a program: input, output, time-outs, cancellation."""

import asyncio
import os
import select
import socket
import subprocess
import sys

import pytest
from process_bench import soon

from loopctl.process.exit_status import Exited, Signalled
from loopctl.process.masking import Masker

TRAPPED = "trap 'echo bye; exit 3' INT; echo up; while :; do sleep 0.01; done"
DEAF = "trap '' INT; echo up; while :; do sleep 0.01; done"


def test_a_result_says_all(bench):
    result = bench.run(bench.spec("sh", "-c", "echo out; echo err >&2; exit 3"))
    assert result.exit == Exited(3)
    assert (result.timed_out, result.cancelled, result.survivors) == (False, False, ())
    assert result.output.tail == "out\nerr\n"
    assert result.output.bytes_total == 8
    assert not result.output.truncated
    assert result.errors is None
    assert result.duration_s > 0


def test_errors_apart(bench):
    spec = bench.spec(
        *("sh", "-c", "echo out; echo err >&2"),
        merge_stderr=False,
        log=bench.folder / "out.log",
        stderr_log=bench.folder / "err.log",
    )
    result = bench.run(spec)
    assert (result.output.tail, result.errors.tail) == ("out\n", "err\n")
    assert (bench.folder / "out.log").read_text() == "out\n"
    assert (bench.folder / "err.log").read_text() == "err\n"


PROMPT = "goal ünïcode\n".encode() * 22_000  # 300 KiB


@pytest.mark.parametrize("as_file", [False, True])
def test_a_prompt_of_300_kib_on_stdin(bench, as_file):
    path = bench.folder / "prompt"
    path.write_bytes(PROMPT)
    copy = bench.folder / "copy"
    spec = bench.spec("sh", "-c", f"cat > {copy}", stdin=path if as_file else PROMPT)
    assert bench.run(spec).exit == Exited(0)
    assert copy.read_bytes() == PROMPT
    assert len(PROMPT) > 300 * 1024


def test_an_unread_prompt_does_not_matter(bench):
    assert bench.run(bench.spec("true", stdin=PROMPT)).exit == Exited(0)


def test_stdin_is_empty_without_a_prompt(bench):
    assert bench.run(bench.spec("cat")).output.bytes_total == 0


def test_thirty_megabytes_on_two_pipes_without_deadlock(bench):
    code = """
import os
for _ in range(10): os.write(2, b"e" * 1_000_000)
for _ in range(20): os.write(1, b"o" * 1_000_000)
"""
    result = bench.run(bench.python(code, merge_stderr=False))
    assert result.exit == Exited(0)
    assert (result.output.bytes_total, result.errors.bytes_total) == (20_000_000, 10_000_000)


@pytest.mark.parametrize(
    ("script", "exit_status", "tail"),
    [(TRAPPED, Exited(3), "up\nbye\n"), (DEAF, Signalled(9), "up\n")],
)
def test_at_the_deadline_interrupt_then_grace_then_end(bench, script, exit_status, tail):
    grace = 20 if script == TRAPPED else 0.1
    spec = bench.spec("bash", "-c", script)
    result = bench.run(spec, deadline_s=0.5, interrupt_grace_s=grace)
    assert result.timed_out
    assert not result.cancelled
    assert result.exit == exit_status
    assert result.output.tail == tail


def test_a_stop_event_cancels(bench):
    async def play(guard):
        stop = asyncio.Event()
        log = bench.folder / "log"
        spec = bench.spec("bash", "-c", TRAPPED, log=log)
        running = asyncio.create_task(bench.run_in(guard, spec, stop=stop, deadline_s=None))
        await soon(lambda: log.exists() and log.read_text() == "up\n")  # a running log is readable
        stop.set()
        return await running

    result = bench.with_guard(play)
    assert result.cancelled
    assert not result.timed_out
    assert result.exit == Exited(3)


@pytest.mark.parametrize("script", [TRAPPED, DEAF])
def test_a_cancelled_task_ends_the_program_first(bench, script):
    async def play(guard):
        log = bench.folder / "log"
        spec = bench.spec("bash", "-c", script, log=log)
        running = asyncio.create_task(
            bench.run_in(guard, spec, interrupt_grace_s=50, deadline_s=None)
        )
        await soon(lambda: log.exists() and log.read_text() == "up\n")
        running.cancel()
        await asyncio.sleep(0.05)
        running.cancel()  # the second one cuts the grace short
        with pytest.raises(asyncio.CancelledError):
            await running
        assert (await bench.run_in(guard, bench.spec("true"))).exit == Exited(0)

    bench.with_guard(play)


def test_cancelled_before_it_began(bench):
    async def play(guard):
        running = asyncio.create_task(
            bench.run_in(guard, bench.spec("sleep", "1000"), interrupt_grace_s=50)
        )
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert (await bench.run_in(guard, bench.spec("true"))).exit == Exited(0)

    bench.with_guard(play)


def test_output_of_survivors_is_captured_until_the_end(bench):
    script = "(trap '' HUP; echo child; sleep 1000) & sleep 0.2; echo leader"
    result = bench.run(bench.spec("sh", "-c", script))
    assert result.output.tail == "child\nleader\n"
    assert "sleep 1000" in [survivor.command for survivor in result.survivors]


HAND_OVER_STDOUT = """
import array, socket, sys
with socket.socket(socket.AF_UNIX) as link:
    link.connect(sys.argv[1])
    link.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1]))])
    link.recv(1)
"""
FLOOD = """
import os
try:
    while True: os.write(1, bytes(100_000))
except OSError: pass
"""


def test_a_foreign_daemon_that_holds_the_pipe_does_not_hold_the_run(bench):
    """The program hands its stdout to a process that is no descendant of the guard's."""
    address = bench.folder / "socket"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(address))
        server.listen()

        async def play(guard):
            spec = bench.python(HAND_OVER_STDOUT, address)
            running = asyncio.create_task(bench.run_in(guard, spec))
            await soon(lambda: bool(select.select([server], [], [], 0)[0]))
            foreign = _flood_what_is_handed_over(server)
            return await running, foreign

        result, foreign = bench.with_guard(play)
    assert result.exit == Exited(0)
    assert result.survivors == ()
    assert foreign.wait(20) == 0  # it lived, and lost the pipe


def _flood_what_is_handed_over(server):
    link, _ = server.accept()
    with link:
        _, descriptors, _, _ = socket.recv_fds(link, 1, 1)
        foreign = subprocess.Popen([sys.executable, "-c", FLOOD], stdout=descriptors[0])
        os.close(descriptors[0])
        link.send(b"x")
    return foreign


def test_survivors_are_named_without_secrets(bench):
    secret = "hunter2-hunter2"
    spec = bench.spec("sh", "-c", f"sh -c 'sleep 1000; : {secret}' & sleep 0.1")
    result = bench.run(spec, masker=Masker({"A_SECRET": secret}))
    commands = {survivor.command for survivor in result.survivors}
    assert commands == {"sh -c sleep 1000; : [masked:A_SECRET]", "sleep 1000"}
