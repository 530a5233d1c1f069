"""The guard's promises to a driver that lives."""

import asyncio
import errno
import os
import signal

import psutil
import pytest
from process_bench import ORPHANS, soon

from loopctl.domain.confinement import Limits
from loopctl.errors import GuardError
from loopctl.process.exit_status import Exited, NotStarted, Signalled


@pytest.mark.parametrize("kind", ORPHANS)
def test_end_leaves_nothing_alive(bench, kind):
    result = bench.run(bench.leave_orphan(kind))
    assert result.exit == Exited(0)
    assert not bench.still_beats()
    assert all(survivor.ended for survivor in result.survivors)
    if "reforks" not in kind:  # its pid of that moment may be dead already: then it has no name
        assert any(kind in s.command or "live" in s.command for s in result.survivors)


def test_many_orphans_at_once(bench):
    script = "for kind in " + " ".join(ORPHANS * 2) + '; do "$@" $kind "$0"; done'
    maker = bench.leave_orphan("x").argv
    result = bench.run(bench.spec("sh", "-c", script, maker[-1], *maker[:-2]))
    assert result.exit == Exited(0)
    assert len(result.survivors) >= 2 * (len(ORPHANS) - 3)
    assert not bench.still_beats()


def test_a_leader_that_reforks_for_ever_ends_at_its_deadline(bench):
    code = "import os\nwhile os.fork() or not os.setsid(): os.wait()"
    result = bench.run(bench.python(code, bench.folder), deadline_s=0.3, interrupt_grace_s=0)
    assert result.timed_out


def test_a_helper_that_ends_with_its_leader_is_no_survivor(bench):
    """It notices the leader's death by the end of a pipe, and needs a moment."""
    code = (
        "import os, time\nend, kept = os.pipe()\n"
        "if os.fork() == 0:\n    os.close(kept)\n    os.read(end, 1)\n    time.sleep(0.03)\n"
    )
    assert bench.run(bench.python(code)).survivors == ()


@pytest.mark.parametrize("code", [0, 1, 7, 126, 127, 130, 255])
def test_exit_codes(bench, code):
    assert bench.run(bench.spec("sh", "-c", f"exit {code}")).exit == Exited(code)


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGPIPE])
def test_a_death_by_signal_is_recorded_as_a_signal(bench, signum):
    spec = bench.spec("sh", "-c", f"ulimit -c 0; kill -{int(signum)} $$")
    assert bench.run(spec).exit == Signalled(signum)


def test_the_exit_is_known_while_descendants_live(bench, null):
    async def play(guard):
        spawned = await guard.spawn(bench.leave_orphan("setsid"), stdout=null, stderr=null)
        assert await spawned.wait() == Exited(0)
        assert bench.still_beats()
        await guard.end()
        assert not bench.still_beats()

    bench.with_guard(play)


def test_failed_starts_are_answers(bench):
    plain_file = bench.folder / "not-executable"
    plain_file.write_text("hello")
    folder = bench.folder / "missing"
    specs = [
        (bench.spec("no-such-program"), (errno.ENOENT, "no-such-program: No such file")),
        (bench.spec(plain_file), (errno.EACCES, "not-executable: Permission denied")),
        (bench.spec("true", cwd=folder), (errno.ENOENT, f"folder {folder}: No such file")),
        (bench.spec("true", "x" * 140_000), (errno.E2BIG, "true: Argument list too long")),
        (bench.spec("true", "a\0b"), (errno.EINVAL, "NUL")),
        (bench.spec("true", stdin=bench.folder / "no-input"), (errno.ENOENT, "no-input")),
    ]

    async def play(guard):
        for spec, (number, message) in specs:
            result = await bench.run_in(guard, spec)
            assert isinstance(result.exit, NotStarted)
            assert result.exit.errno == number
            assert message in result.exit.message
        assert (await bench.run_in(guard, bench.spec("true"))).exit == Exited(0)

    bench.with_guard(play)


def test_one_job_at_a_time(bench, null):
    async def play(guard):
        first = await guard.spawn(bench.spec("true"), stdout=null, stderr=null)
        await first.wait()
        with pytest.raises(GuardError, match="was not ended"):
            await guard.spawn(bench.spec("true"), stdout=null, stderr=null)
        assert await guard.end() == ()
        assert await guard.end() == ()
        second = await guard.spawn(bench.spec("false"), stdout=null, stderr=null)
        assert await second.wait() == Exited(1)

    bench.with_guard(play)


def test_interrupt_reaches_the_whole_group(bench, null):
    child = "trap 'echo child >> log; exit' INT; touch up; while :; do sleep 0.01; done"
    shell = "trap 'echo leader >> log; exit 3' INT; bash -c \"$0\""

    async def play(guard):
        spawned = await guard.spawn(
            bench.spec("bash", "-c", shell, child), stdout=null, stderr=null
        )
        await soon((bench.folder / "up").exists)
        await guard.interrupt()
        assert await spawned.wait() == Exited(3)
        await guard.interrupt()  # too late is harmless
        await guard.end()

    bench.with_guard(play)
    assert (bench.folder / "log").read_text() == "child\nleader\n"


def test_the_guard_ignores_the_signals_of_a_terminal(bench):
    async def play(guard):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(guard.pid, number)
        assert (await bench.run_in(guard, bench.spec("true"))).exit == Exited(0)
        assert os.getsid(guard.pid) == guard.pid

    bench.with_guard(play)


def test_a_program_starts_in_a_clean_state(bench):
    code = """
import os, signal
ignored = [int(n) for n in signal.valid_signals() if signal.getsignal(n) == signal.SIG_IGN]
print(sorted(os.listdir("/proc/self/fd"))[:4], ignored, signal.pthread_sigmask(0, []))
print(os.getsid(0) == os.getpid(), os.getcwd(), sorted(os.environ))
"""
    # Python itself ignores SIGPIPE and SIGXFSZ; the listing of the folder is descriptor 3.
    result = bench.run(bench.python(code, env={"ONE": "1"}))
    expected = (
        f"['0', '1', '2', '3'] [13, 25] set()\nTrue {bench.folder} ['LC_CTYPE', 'ONE', 'PATH']\n"
    )
    assert result.output.tail == expected


def test_arguments_and_variables_arrive_byte_for_byte(bench):
    broken = os.fsdecode(b"\xff\xfe")
    odd = ["", " a  b ", "new\nline", "$HOME `id` 'q' \"", "\xfcn\xefcode \U0001f600", broken, "-x"]
    code = "import os, sys; print([os.fsencode(a) for a in sys.argv[1:]], os.environb[b'ODD'])"
    result = bench.run(bench.python(code, *odd, env={"ODD": f"{broken}=\n"}))
    arrived = [os.fsencode(text) for text in odd]
    assert result.output.tail == f"{arrived} {os.fsencode(broken) + bytes([61, 10])}\n"


def test_an_environment_of_half_a_megabyte(bench):
    env = {f"VARIABLE_{number}": "x" * 100_000 for number in range(5)}
    result = bench.run(
        bench.python("import os; print(sum(map(len, os.environ.values())))", env=env)
    )
    assert int(result.output.tail) > 500_000


def test_limits_hold(bench):
    code = "open('big', 'wb').write(bytes(100_000))"
    result = bench.run(bench.python(code, limits=Limits(file_bytes=10_000)))
    assert result.exit == Exited(1)
    assert "File too large" in result.output.tail
    assert (bench.folder / "big").stat().st_size == 10_000


def test_asyncio_keeps_its_own_exit_codes(bench):
    async def play(guard):
        own = await asyncio.create_subprocess_exec("sh", "-c", "exit 42")
        await bench.run_in(guard, bench.leave_orphan("double_fork"))
        assert await own.wait() == 42

    bench.with_guard(play)


def test_close_ends_the_guard_and_its_programs(bench, null):
    async def play(guard):
        await guard.spawn(bench.leave_orphan("ignores_signals"), stdout=null, stderr=null)
        await soon(bench.beats)
        return guard

    guard = bench.with_guard(play)
    assert not guard.alive
    assert not psutil.pid_exists(guard.pid)
    assert not bench.still_beats()
