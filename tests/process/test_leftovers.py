"""What got away from the guard: found by the loop's mark or its control group, and nothing else."""

import asyncio
import contextlib
import os
import subprocess
import sys
import uuid
from pathlib import Path

import psutil
import pytest
from process_bench import HERE, eventually

from loopctl.process.control_group import ControlGroup
from loopctl.process.guard_client import Guard
from loopctl.process.leftovers import BEFORE, BY_MARK, IN_GROUP, Leftovers
from loopctl.process.marked import MARK, end_marked

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")


@pytest.fixture
def mark():
    return uuid.uuid4().hex


@pytest.fixture
def started():
    """Starts programs as somebody else would: outside of every guard."""
    running = []

    def start(*argv, env=None, **how):
        how = {"start_new_session": True, **how}
        running.append(subprocess.Popen(argv, env={"PATH": os.defpath, **(env or {})}, **how))
        return running[-1]

    yield start
    for process in running:
        process.kill()
        process.wait()


@pytest.fixture
def group(mark):
    made = ControlGroup.make(mark)
    if made is None:
        pytest.skip("no control group can be made here")
    yield made
    made.end()
    made.remove()


def is_alive(process):
    return process.poll() is None


def below(process):
    """The last words of the command lines of what runs below a program."""
    found = set()
    for each in psutil.Process(process.pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            found |= set(each.cmdline()[-1:])
    return found


def pids(found):
    return {each.pid for each in found}


def test_a_program_with_the_mark_is_ended_wherever_it_is(started, mark):
    ours = [started("sleep", "1000", env={MARK: mark, "X": "1"}) for _ in range(3)]
    others = [
        started("sleep", "1000"),
        started("sleep", "1000", env={MARK: mark[:-1]}),
        started("sleep", "1000", env={MARK: f"{mark}0"}),
        started("sleep", "1000", env={f"X{MARK}": mark, "Y": f"{MARK}={mark}"}),
        started("sh", "-c", "sleep 1000", f"{MARK}={mark}"),
    ]
    kept = started("sleep", "1000", env={MARK: mark})
    found = end_marked(mark, [kept.pid])
    assert pids(found) == {process.pid for process in ours}
    assert {each.command for each in found} == {"sleep 1000"}
    assert all(each.ended for each in found)
    assert all(is_alive(process) for process in [*others, kept])
    assert end_marked(mark, [kept.pid]) == ()


def test_nobody_ends_itself_or_what_it_was_started_from(mark):
    code = (
        "import os, sys; from loopctl.process.marked import end_marked\n"
        f"os.environ.pop({MARK!r}); print(end_marked({mark!r}))\n"
    )
    shell = ["sh", "-c", '"$@"; echo outer', "sh", sys.executable, "-c", code]
    source = str(Path(HERE).parents[1])
    environment = {"PATH": os.defpath, MARK: mark, "PYTHONPATH": source}
    done = subprocess.run(shell, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "()\nouter\n"


def test_a_driver_that_its_own_loop_has_started_ends_nobody(started, mark, monkeypatch):
    monkeypatch.setenv(MARK, mark)
    process = started("sleep", "1000", env={MARK: mark})
    assert end_marked(mark) == ()
    assert is_alive(process)


@pytest.mark.parametrize("kind", ["reforks", "reforks_in_new_sessions", "respawned"])
def test_in_the_group_one_that_forks_for_ever_loses(bench, started, group, kind):
    maker = [sys.executable, "-I", "-S", HERE / "orphan_maker.py", kind, bench.folder / "heartbeat"]
    first = started("sh", "-c", 'read go; "$@"', "sh", *map(str, maker), stdin=subprocess.PIPE)
    group.enter(first.pid)
    first.stdin.write(b"go\n")
    first.stdin.close()
    first.wait()
    group.end()
    assert not bench.still_beats()


def test_the_group_holds_what_clears_its_environment(started, group):
    inside = started(
        "sh",
        "-c",
        "read go; env -i setsid sh -c 'sleep 1000 & sleep 1001' & wait",
        stdin=subprocess.PIPE,
    )
    outside = started("sleep", "1000")
    kept = started("sleep", "1000")
    assert group.enter(inside.pid)
    assert group.enter(kept.pid)
    inside.stdin.write(b"go\n")
    inside.stdin.close()
    eventually(lambda: {"1000", "1001"} <= below(inside))
    found = group.end([kept.pid])
    assert {"sleep 1000", "sleep 1001"} <= {each.command for each in found}
    assert len(found) == 4
    assert is_alive(outside)
    assert is_alive(kept)
    group.remove([kept.pid])
    assert not group.folder.exists()


def test_a_group_that_was_left_empty_goes_when_another_is_made(mark, group):
    left = ControlGroup.make(uuid.uuid4().hex)
    assert left.folder.exists()
    assert ControlGroup.make(mark) == group
    assert not left.folder.exists()


def test_a_note_with_another_name_is_no_group(group, mark, tmp_path):
    assert ControlGroup.left(str(group.folder), mark) == group
    assert ControlGroup.left(str(group.folder), "another") is None
    assert ControlGroup.left(str(group.folder.parent), mark) is None
    assert ControlGroup.left(f"{tmp_path}/loopctl-{mark}", mark) is None
    assert ControlGroup.left("", mark) is None


def test_settling_says_how_each_was_found(bench, started, mark, null, tmp_path):
    async def play(guard):
        leftovers = Leftovers(guard, mark, tmp_path / "group")
        await leftovers.begin()
        spec = bench.spec("sh", "-c", "setsid sleep 1000 & echo")
        spawned = await guard.spawn(spec, stdout=null, stderr=null)
        await spawned.wait()
        outside = started("sleep", "1001", env={MARK: mark})
        found = {each.command: each.found for each in await leftovers.end_all()}
        assert found == {"sleep 1000": "", "sleep 1001": BY_MARK}
        assert outside.wait() < 0
        assert await leftovers.end_all() == ()
        await leftovers.close()
        assert not (tmp_path / "group").exists()
        assert guard.alive

    bench.with_guard(play)


def test_a_guard_in_the_place_of_a_dead_one_is_in_the_group(bench, group, mark, tmp_path):
    async def play(guard):
        leftovers = Leftovers(guard, mark, tmp_path / "group")
        await leftovers.begin()
        first = guard.pid
        os.kill(first, 9)
        await guard.rescue()
        assert guard.pid != first
        assert str(guard.pid) in (group.folder / "cgroup.procs").read_text().split()
        await leftovers.close()
        assert not group.folder.exists()

    bench.with_guard(play)


def test_what_a_dead_driver_left_is_ended_first_and_named_after_the_next_turn(
    bench, started, group, mark, tmp_path
):
    note = tmp_path / "group"
    note.write_text(f"{group.folder}\n")
    in_group = started("sleep", "1000")
    group.enter(in_group.pid)
    marked = started("sleep", "1001", env={MARK: mark})

    async def play(guard):
        leftovers = Leftovers(guard, mark, note)
        await leftovers.begin()
        assert in_group.wait() < 0
        assert marked.wait() < 0
        found = {each.command: each.found for each in await leftovers.end_all()}
        assert found == {
            "sleep 1000": f"{BEFORE}, {IN_GROUP}",
            "sleep 1001": f"{BEFORE}, {BY_MARK}",
        }
        await leftovers.close()

    bench.with_guard(play)


def test_without_a_mark_or_a_note_there_is_the_guard_alone():
    async def play():
        guard = await Guard.start()
        leftovers = Leftovers(guard)
        await leftovers.begin()
        assert await leftovers.end_all() == ()
        await leftovers.close()
        guard.close()

    asyncio.run(play())
