"""What a program in a sandbox can see and do; run as the user, and where that is root, as another.

Nothing is asked of the arguments: each test starts a real program and looks at what became of it.
"""

import os
import shlex
import socket
import sys
from pathlib import Path

import psutil
import pytest
from ordinary_user import needs_sandbox, run_tests_as_ordinary_user

from loopctl.domain.confinement import Confinement, Limits, Mount
from loopctl.errors import UsageError
from loopctl.process.exit_status import Exited, NotStarted, Signalled
from loopctl.process.sandbox.memory_group import memory_group
from loopctl.process.sandbox.owner import UNPRIVILEGED, is_root
from loopctl.process.sandbox.programs import Programs, find_programs
from loopctl.process.sandbox.sandbox import Sandbox

pytestmark = needs_sandbox
SANDBOX = Sandbox()
PYTHON = f"{os.path.realpath(sys.executable)} -I -S -u"


@pytest.fixture
def run(bench):
    """Run shell text in a sandbox that has the bench's folder, writable."""

    def _run(text, *, mounts=(), cwd=None, network=False, limits=None, deadline_s=30, **how):
        work = bench.folder / "work"
        work.mkdir(exist_ok=True)
        if is_root():
            os.chown(work, UNPRIVILEGED, UNPRIVILEGED)
        confinement = Confinement(
            mounts=(
                Mount(path=str(work), writable=True),
                Mount(path=os.path.realpath(sys.base_prefix)),
                *mounts,
            ),
            network=network,
            limits=limits or Limits(),
            **how,
        )
        spec = bench.spec("/bin/sh", "-c", text, cwd=cwd or work, confinement=confinement)
        with SANDBOX.confined(spec) as started:
            return bench.run(started, deadline_s=deadline_s, interrupt_grace_s=1)

    return _run


def said(result):
    return result.output.tail.split()


def test_it_has_no_rights_and_gets_none(run):
    result = run(
        "id -u; grep -hE '^(CapPrm|CapEff|CapBnd|NoNewPrivs)' /proc/self/status | cut -f2;"
        "mount -o remount,rw / 2>/dev/null || echo no;"
        "unshare -U true 2>/dev/null || echo no"
    )
    uid, *rest = said(result)
    assert int(uid) == (UNPRIVILEGED if os.geteuid() == 0 else os.geteuid())
    assert rest[:5] == ["0" * 16] * 3 + ["1", "no"]
    if SANDBOX.programs.version >= (0, 8) and os.geteuid() != 0:
        assert rest[5:] == ["no"]


def test_a_folder_of_the_system_can_be_hidden_but_for_what_is_mounted_in_it(run):
    mounts = (Mount(path="/etc/skel/shown", source="/etc/hostname"),)
    result = run("ls -A /etc/skel; touch /etc/skel/x", mounts=mounts, hidden=("/etc/skel",))
    assert said(result)[0] == "shown"
    assert not Path("/etc/skel/x").exists()


def test_the_system_can_be_read_and_not_written(run):
    result = run(
        "for each in / /usr /etc /run /proc/sys/kernel/hostname; do"
        " touch $each/loopctl-was-here 2>/dev/null && echo $each; done;"
        "echo loopctl 2>/dev/null >/proc/sys/kernel/hostname && echo named;"
        "cat /etc/shadow 2>/dev/null; test -r /etc/passwd && echo end"
    )
    assert said(result) == ["end"]


def test_homes_and_the_folders_of_services_are_not_there(run, bench):
    (bench.folder / "secret").write_text("secret")
    result = run(f"cat {bench.folder}/secret; ls /root /home /srv /run /tmp /var /sys")
    assert "secret\n" not in result.output.tail.replace("/secret", "")
    assert not {each.name for each in Path("/run").iterdir()} & set(said(result))


def test_its_own_temporary_files_are_its_own(run):
    outside = Path(f"/tmp/loopctl-sandbox-{os.getpid()}")
    result = run(f"touch {outside} /var/tmp/x /dev/shm/x && ls {outside}")
    assert result.exit == Exited(0)
    assert not outside.exists()


def test_no_other_process_can_be_seen(run):
    result = run("ls /proc | grep -c '^[0-9]'; kill -0 1 2>/dev/null; cat /proc/1/environ")
    assert int(said(result)[0]) <= 5


def test_the_network_is_its_own(run):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = (
            "import socket\n"
            "own = socket.create_server(('127.0.0.1', 0))\n"
            "socket.create_connection(own.getsockname())\n"
            "print('own')\n"
            f"socket.create_connection(('127.0.0.1', {port}), 5)\n"
        )
        alone = run(f'{PYTHON} -c "{code}"')
        assert said(alone)[0] == "own"
        assert "ConnectionRefusedError" in alone.output.tail
        outside = run(
            f"{PYTHON} -c \"import socket; socket.create_connection(('192.0.2.1', 9), 5)\""
        )
        assert "Network is unreachable" in outside.output.tail
        assert run(f'{PYTHON} -c "{code}"', network=True).exit == Exited(0)


def test_sockets_of_the_machine_cannot_be_reached(run, bench):
    for name in (str(bench.folder / "socket"), f"\0loopctl-{os.getpid()}"):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(name)
            server.listen()
            code = f"import socket; socket.socket(socket.AF_UNIX).connect({name!r}); print(1)"
            result = run(f"{PYTHON} -c {shlex.quote(code)}")
            assert result.exit == Exited(1), result.output.tail


def test_what_is_mounted_is_there_as_it_was_asked_for(run, bench):
    given = bench.folder / "given"
    given.mkdir()
    (given / "file").write_text("given")
    result = run(
        "cat /data/deep/file; touch /data/deep/x 2>/dev/null || echo read-only;"
        "ls /none 2>/dev/null; pwd; touch made && echo made",
        mounts=(
            Mount(path="/data/deep", source=str(given)),
            Mount(path="/none", source="/does/not/exist", optional=True),
        ),
    )
    assert said(result) == ["givenread-only", str(bench.folder / "work"), "made"]
    assert (bench.folder / "work" / "made").exists()


def test_a_home_is_empty_and_can_be_written(run, bench):
    home = "/home/somebody"
    result = run(
        f"ls -A {home}; touch {home}/x {home}/.config/y && cat {home}/.config/tool/file",
        home=home,
        mounts=(Mount(path=f"{home}/.config/tool", source=str(_with_file(bench.folder / "tool"))),),
    )
    assert said(result) == [".config", "held"]


def _with_file(folder):
    folder.mkdir()
    (folder / "file").write_text("held")
    return folder


def test_exit_codes_and_signals_inside(run):
    assert run("exit 42").exit == Exited(42)
    # The sandbox passes a death by signal on as a shell does.
    assert run("kill -KILL $$").exit == Exited(128 + 9)


def test_what_could_not_be_started_is_no_exit_code(run):
    result = run("exit 0", cwd="/not/there")
    assert isinstance(result.exit, NotStarted)
    assert "/not/there" in str(result.exit)


def test_what_it_says_does_not_make_it_unstarted(run):
    assert run("echo 'bwrap: no'; exit 1").exit == Exited(1)


def test_without_its_programs_nothing_runs(bench):
    marker = bench.folder / "ran"
    nowhere = Sandbox(Programs("/nowhere/bwrap", "/nowhere/setpriv", "/nowhere/prlimit"))
    spec = bench.spec("/usr/bin/touch", marker, confinement=Confinement())
    with nowhere.confined(spec) as started:
        assert isinstance(bench.run(started).exit, NotStarted)
    assert not marker.exists()
    with pytest.raises(UsageError, match="bwrap and setpriv and prlimit not found"):
        nowhere.check()


def test_a_machine_that_refuses_is_told_at_start(tmp_path):
    refusing = tmp_path / "bwrap"
    refusing.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n"
    )
    refusing.chmod(0o755)
    programs = find_programs()
    with pytest.raises(UsageError) as refused:
        Sandbox(Programs(str(refusing), programs.setpriv, programs.prlimit)).check()
    assert "No permissions" in refused.value.why
    lying = tmp_path / "lying"
    lying.write_text("#!/bin/sh\nexec cat /proc/self/status\n")
    lying.chmod(0o755)
    with pytest.raises(UsageError, match="no sandbox"):
        Sandbox(Programs(str(lying), programs.setpriv, programs.prlimit)).check()


def test_this_machine_can_make_one_and_nothing_is_left_of_the_trial(bench):
    """A driver adopts what is orphaned, and would keep it as a zombie."""

    async def play(_guard):
        before = psutil.Process().children()
        SANDBOX.check()
        return set(psutil.Process().children()) - set(before)

    assert bench.with_guard(play) == set()


def test_a_timeout_interrupts_what_is_inside_and_then_ends_it(run):
    gentle = run("trap 'echo heard; exit 7' INT; sleep 1000 & wait", deadline_s=0.3)
    assert gentle.timed_out
    assert (gentle.exit, said(gentle)) == (Exited(7), ["heard"])
    deaf = run("trap '' INT; sleep 1000; sleep 1000", deadline_s=0.2)
    assert (deaf.timed_out, deaf.exit) == (True, Signalled(9))
    assert not any("bwrap" in left.command for left in deaf.survivors)


def test_nothing_outlives_it(run, bench):
    result = run(
        f"setsid sh -c 'while :; do echo x >>{bench.folder}/work/beat; sleep 0.01; done' &"
        "(setsid sleep 1000 &) ; sleep 0.1"
    )
    assert result.exit == Exited(0)
    size = (bench.folder / "work" / "beat").stat().st_size
    assert size > 0
    assert (bench.folder / "work" / "beat").stat().st_size == size
    assert bench.command_lines() == []


def test_limits_hold_inside(run):
    many = "i=0; while [ $i -lt 60 ]; do sleep 5 & i=$((i+1)); done; wait"
    result = run(many, limits=Limits(processes=20))
    assert "fork" in result.output.tail.lower()
    assert result.duration_s < 5
    big = run("head -c 100000 /dev/zero >big; stat -c %s big", limits=Limits(file_bytes=10_000))
    assert said(big)[-1] == "10000"
    memory = run(f"{PYTHON} -c 'bytearray(300_000_000)'", limits=Limits(memory_bytes=100_000_000))
    assert "MemoryError" in memory.output.tail
    assert said(run("ulimit -t", limits=Limits(cpu_s=7))) == ["7"]


def test_memory_is_limited_together_where_groups_can_be_made(run):
    group = Path("/sys/fs/cgroup")
    with memory_group(64_000_000) as enter:
        if not enter:
            pytest.skip("no control group can be made here")
        group = Path(enter[-1]).parent
        assert group.is_dir()
    assert not group.exists()
    # Each of them alone is below the limit.
    code = (
        "import os, time\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        a = bytearray(40_000_000); time.sleep(1); os._exit(0)\n"
        "print([os.wait()[1] for _ in range(3)])\n"
    )
    result = run(f"{PYTHON} -c {shlex.quote(code)}", limits=Limits(memory_bytes=64_000_000))
    assert "[0, 0, 0]" not in result.output.tail


def test_a_fork_bomb_is_bounded_and_ended(run, bench):
    bomb = "f() { f | f & }; f; sleep 1000"
    result = run(bomb, limits=Limits(processes=50), deadline_s=0.5)
    assert result.timed_out or result.exit != Exited(0)
    assert bench.command_lines() == []


@pytest.mark.skipif(os.geteuid() != 0, reason="these tests are run as an ordinary user already")
def test_much_of_this_as_an_ordinary_user(tmp_path):
    chosen = "rights or system or network or mounted or limits or outlives or interrupts"
    run_tests_as_ordinary_user(Path(__file__), tmp_path, chosen)
