"""``loopctl apply``: everything or nothing, only files, and only what the verdict is about."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from harness import SOLVE, World, finish, wait_for

USELESS = [{"write": ["notes", "more\n"]}]
EVERYTHING = [
    SOLVE,
    {"delete": "calc.py"},
    {"write": ["new/deep/file", "new\n"]},
    {"symlink": ["link", "answer.txt"]},
    {"run": r"printf 'a\000\r\nb' >binary; rm old/one; rmdir old; echo file >old"},
    {"run": r"""printf 'a\nb \377' | xargs -0 touch"""},
    {"run": "rm thing; mkdir thing; echo inside >thing/inside; chmod +x run.sh"},
]


def apply(world: World, *options: str, **how):
    return world.run_loopctl("apply", "demo", *options, **how)


@pytest.fixture
def rich(world: World) -> World:
    """A loop that has changed files in every way, completed."""
    for name in ("old/one", "thing", "run.sh"):
        world.write(name, f"{name}\n")
    world.commit("more")
    world.run_loop(EVERYTHING).check(0)
    return world


def test_every_kind_of_change(rich: World) -> None:
    """The checkout then holds the tree of the branch; index, HEAD, refs and stash are as before."""
    before = rich.fingerprint()
    done = apply(rich).check(0)
    after = rich.fingerprint()
    for name in (".git/index", ".git/HEAD", ".git/logs/HEAD", "refs", "stash", "check.sh"):
        assert after[name] == before[name]
    assert "A binary\n" in done.stdout
    assert "D calc.py\n" in done.stdout
    assert "M answer.txt\n" in done.stdout
    assert "git status" in done.stdout
    assert not list(rich.repository.glob(".loopctl*"))
    rich.git("add", "-A")
    assert rich.git("write-tree") == rich.git("rev-parse", "loopctl/demo^{tree}")


def test_twice_is_harmless(rich: World) -> None:
    apply(rich).check(0)
    before = rich.fingerprint()
    again = apply(rich).check(0)
    assert "nothing to do" in again.stdout
    rich.commit("the work")
    assert "nothing to do" in apply(rich).check(0).stdout
    rich.git("reset", "-q", "--soft", "HEAD~1")
    rich.git("reset", "-q")
    assert {**rich.fingerprint(), ".git/index": "", ".git/logs/HEAD": ""} == {
        **before,
        ".git/index": "",
        ".git/logs/HEAD": "",
    }


def test_one_that_was_cut_short_is_finished(rich: World) -> None:
    """What holds already what it is to hold is no obstacle, and leftovers are removed."""
    (rich.repository / "answer.txt").write_text("42\n")
    (rich.repository / "calc.py").unlink()
    (rich.repository / ".loopctl-apply-killed" / "new").mkdir(parents=True)
    assert "A binary" in apply(rich).check(0).stdout
    rich.git("add", "-A")
    assert rich.git("write-tree") == rich.git("rev-parse", "loopctl/demo^{tree}")


def _write(name: str, text: str = "mine\n"):
    return lambda world: world.write(name, text)


def _shell(command: str):
    return lambda world: subprocess.run(command, shell=True, cwd=world.repository, check=True)


OVERLAPS = {
    "edited": (_write("answer.txt"), "answer.txt"),
    "removed": (_shell("rm answer.txt"), "answer.txt"),
    "mode": (_shell("chmod +x answer.txt"), "answer.txt"),
    "staged alone": (
        _shell("echo mine >answer.txt; git add answer.txt; echo 0 >answer.txt"),
        "answer.txt",
    ),
    "untracked": (_write("binary"), "binary"),
    "ignored": (_shell("echo binary >.git/info/exclude; echo mine >binary"), "binary"),
    "file for folder": (_write("new"), "new/deep/file"),
    "file in a folder that goes": (_write("old/mine"), "old"),
    "link for folder": (_shell("mkdir ../outside; ln -s ../outside new"), "new/deep/file"),
    "link for file": (_shell("rm answer.txt; ln -s check.sh answer.txt"), "answer.txt"),
}


def test_overlapping_changes_are_refused(rich: World) -> None:
    """Each is named, and nothing at all is changed."""
    for case, (change, path) in OVERLAPS.items():
        change(rich)
        before = _listing(rich)
        refused = apply(rich).check(2)
        assert f": {path}\n" in refused.stderr, case
        assert "stash" in refused.stderr
        assert _listing(rich) == before, case
        rich.git("reset", "-q", "--hard")
        rich.git("clean", "-fdxq")
    assert not list((rich.folder / "outside").iterdir())
    os.mkfifo(rich.repository / "binary")
    assert ": binary\n" in apply(rich).check(2).stderr
    (rich.repository / "binary").unlink()
    apply(rich).check(0)


def _listing(world: World) -> str:
    """Names, kinds, sizes, times and the index: what any write would change."""
    command = "find . -path ./.git -prune -o -printf '%p %y %s %m %T@\\n' | sort; cksum .git/index"
    return subprocess.check_output(command, shell=True, cwd=world.repository, text=True)


def test_other_changes_are_left_alone(rich: World) -> None:
    rich.write("conftest.py", "# mine\n")
    rich.write("untracked", "mine\n")
    apply(rich).check(0)
    assert (rich.repository / "conftest.py").read_text() == "# mine\n"
    assert (rich.repository / "untracked").read_text() == "mine\n"


def test_newer_commits_are_merged_or_named(world: World) -> None:
    """Lines that only one side changed go together; the rest is git's to merge."""
    world.write("text", "".join(f"{n}\n" for n in range(20)))
    world.commit("text")
    world.run_loop([SOLVE, {"replace": ["text", "1\n2\n", "1\nagent\n"]}]).check(0)
    text = (world.repository / "text").read_text()
    world.write("text", text.replace("18\n", "user\n"))
    world.commit("user")
    merged = text.replace("1\n2\n", "1\nagent\n").replace("18\n", "user\n")
    apply(world).check(0)
    assert (world.repository / "text").read_text() == merged
    assert "nothing to do" in apply(world).check(0).stdout
    world.git("checkout", "-q", ".")
    world.write("answer.txt", "mine\n")
    world.commit("against it")
    before = world.fingerprint()
    refused = apply(world).check(2)
    assert ": answer.txt\n" in refused.stderr
    assert "git merge loopctl/demo" in refused.stderr
    assert world.fingerprint() == before


def test_line_ends_are_the_users(world: World) -> None:
    world.git("config", "core.autocrlf", "true")
    world.run_loop([SOLVE], options=("--stop", "grep -q 42 answer.txt")).check(0)
    apply(world).check(0)
    assert (world.repository / "answer.txt").read_bytes() == b"42\r\n"
    assert "nothing to do" in apply(world).check(0).stdout


def test_no_program_of_the_users_repository_runs(rich: World) -> None:
    """What an agent may have put into the user's configuration is not started."""
    ran = rich.folder / "ran"
    program = rich.folder / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o755)
    for name in ("filter.evil.clean", "filter.evil.smudge", "core.fsmonitor"):
        rich.git("config", name, str(program))
    (rich.repository / ".git/info/attributes").write_text("* filter=evil\n")
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        shutil.copy(program, rich.repository / ".git/hooks" / hook)
    apply(rich).check(0)
    rich.run_loopctl("discard", "demo", "--yes").check(0)
    assert not ran.exists()


def test_what_was_not_judged_is_left_out_and_named(world: World) -> None:
    done = [SOLVE, {"append": ["tests/test_calc.py", "# easier\n"]}]
    world.run_loop(done).check(0)
    applied = apply(world).check(0)
    assert "tests/test_calc.py" in applied.stderr
    assert world.git("diff", "--name-only") == "answer.txt"


def test_what_was_judged_in_place_is_applied(world: World) -> None:
    done = [SOLVE, {"append": ["tests/test_calc.py", "# easier\n"]}]
    world.run_loop(done, options=("--isolation", "same-workspace")).check(0)
    apply(world).check(0)
    assert world.git("diff", "--name-only").split() == ["answer.txt", "tests/test_calc.py"]


def test_work_that_is_not_proved_needs_force(world: World) -> None:
    world.run_loop(USELESS, options=("--max-rounds", "1")).check(10)
    refused = apply(world).check(2)
    assert "--force" in refused.stderr
    assert not (world.repository / "notes").exists()
    forced = apply(world, "--force").check(0)
    assert "0 of 1 criteria passed" in forced.stderr
    assert (world.repository / "notes").exists()


def test_a_running_loop_is_refused(world: World) -> None:
    there = world.folder / "there"
    driver = world.start_loop([{"run": f"touch {there}; sleep 60"}])
    wait_for(there.exists, "the agent works")
    for command in (("apply", "demo", "--force"), ("discard", "demo", "--yes")):
        assert str(driver.pid) in world.run_loopctl(*command).check(2).stderr
    world.run_loopctl("cancel", "demo").check(0)
    finish(driver).check(130)


def test_a_goal_that_was_met_before_leaves_nothing_to_do(world: World) -> None:
    world.write("answer.txt", "42\n")
    world.commit("done")
    world.run_loop(USELESS).check(0)
    assert "nothing to do" in apply(world).check(0).stdout


def test_the_checkout_is_where_it_was_typed(world: World) -> None:
    """A linked worktree gets it when it is typed there, the loop's own from outside of any."""
    world.run_loop([SOLVE]).check(0)
    other = world.folder / "other"
    world.git("worktree", "add", "-q", "--detach", str(other))
    apply(world, cwd=other).check(0)
    assert (other / "answer.txt").read_text() == "42\n"
    assert (world.repository / "answer.txt").read_text() == "0\n"
    apply(world, cwd=world.folder).check(0)
    assert (world.repository / "answer.txt").read_text() == "42\n"
    apply(world, cwd=Path(world.state().workspace)).check(2)
