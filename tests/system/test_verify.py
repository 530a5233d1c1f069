"""``loopctl verify``: what was shown is shown again, from scratch, and every lie is found."""

import json
import shlex
import shutil
import sqlite3
import zlib

from harness import SOLVE, UNITTEST

from loopctl.store.home import StateHome


def verify(world, *options):
    return world.run_loopctl("verify", "demo", "--json", *options)


def changed(result):
    return [one["what"] for one in json.loads(result.stdout)["lookups"] if not one["holds"]]


def rewrite_state(world, old, new):
    """Write over what is stored of the loop, as somebody with its database could."""
    with sqlite3.connect(StateHome(world.home).database) as connection:
        for column in ("state_json", "spec_json"):
            connection.execute(f"UPDATE loops SET {column} = replace({column}, ?, ?)", (old, new))


def test_a_loop_that_met_its_goal(world):
    world.run_loop([SOLVE, {"write": ["check.sh", "exit 0\n"]}]).check(0)
    before = world.fingerprint()
    stored = world.state()
    done = verify(world).check(0)
    said = json.loads(done.stdout)
    assert (said["outcome"], said["commit"]) == ("shown again", stored.snapshot.commit)
    assert said["tree"] == stored.snapshot.judged_tree != stored.snapshot.tree
    (run,) = said["baseline"]
    assert (run["was"], run["now"]) == ("FAIL", "FAIL")
    (entry,) = said["criteria"]
    assert (entry["was"], entry["now"]) == ("PASS", "PASS")
    assert all(one["holds"] for one in said["lookups"])
    assert (world.fingerprint(), world.state()) == (before, stored)
    assert [path.name for path in world.home.glob("loops/verify-*")] == []
    world.no_process_left()


def test_a_pass_that_was_luck_is_not_shown_again(world):
    """The command passes only while a file outside of every checkout is there."""
    mark = world.folder / "mark"
    mark.touch()
    stop = f"grep -qx 42 answer.txt && test -e {shlex.quote(str(mark))}"
    world.run_loop([SOLVE], options=("--stop", stop)).check(0)
    mark.unlink()
    done = world.run_loopctl("verify", "demo").check(17)
    assert "not shown stop-1: FAIL: exit 1" in done.stdout
    assert "(was PASS: exit 0" in done.stdout
    assert done.stdout.endswith("outcome   not shown again\n")


def test_one_that_cannot_be_run_any_more_is_told_apart(world):
    tool = world.folder / "tool"
    tool.write_text("#!/bin/sh\ngrep -qx 42 answer.txt\n")
    tool.chmod(0o755)
    world.run_loop([SOLVE], options=("--stop", str(tool))).check(0)
    tool.unlink()
    done = world.run_loopctl("verify", "demo").check(15)
    assert "could not be judged again: stop-1: exit 127" in done.stdout


def test_confirmation_hold_out_and_results_are_shown_again(world):
    held = world.folder / "held"
    held.mkdir()
    (held / "last.sh").write_text("grep -qx 42 answer.txt\n")
    options = ("--holdout", str(held), "--holdout-stop", "sh last.sh", "--confirm", "2")
    world.run_loop([SOLVE], options=options).check(0)
    done = verify(world).check(0)
    said = json.loads(done.stdout)
    assert [one["criterion"] for one in said["criteria"]] == ["./check.sh", "hold-out 1"]
    assert done.stderr.count("stop-1 judges the snapshot") == 2
    assert done.stderr.count("holdout-1 judges the snapshot") == 1
    assert done.stderr.count("the base commit") == 1
    (held / "last.sh").write_text("exit 0\n")
    other = verify(world).check(17)
    assert changed(other) == ["hold-out files"]
    assert json.loads(other.stdout)["criteria"][0]["now"] is None


def test_every_lie_about_what_was_stored_is_found(world):
    """Somebody can write in the database and, as an agent can, where the user's objects are."""
    world.run_loop([SOLVE, {"write": ["check.sh", "exit 0\n"]}]).check(0)
    snapshot = world.state().snapshot

    rewrite_state(world, snapshot.judged_tree, snapshot.tree)
    done = verify(world).check(17)
    assert changed(done) == ["judged tree"]
    assert json.loads(done.stdout)["tree"] == ""
    going = json.loads(verify(world, "--keep-going").check(17).stdout)
    assert (going["tree"], going["criteria"][0]["now"]) == (snapshot.judged_tree, "PASS")

    rewrite_state(
        world, f'"judged_tree":"{snapshot.tree}', f'"judged_tree":"{snapshot.judged_tree}'
    )
    rewrite_state(world, '"check.sh"', '"other.sh"')
    done = verify(world).check(17)
    assert changed(done) == ["protection"]
    assert "it lacks check.sh" in done.stdout

    rewrite_state(world, '"other.sh"', '"check.sh"')
    blob = world.git("rev-parse", "HEAD:calc.py")
    path = world.repository / ".git" / "objects" / blob[:2] / blob[2:]
    path.chmod(0o600)
    path.write_bytes(zlib.compress(b"blob 5\0evil\n"))
    done = verify(world).check(17)
    assert changed(done) == ["objects"]
    assert blob in done.stdout

    shutil.rmtree(next(world.home.glob("projects/*/objects.git")))
    gone = verify(world, "--keep-going").check(17)
    assert {"tree of the snapshot", "objects"} <= set(changed(gone))


def test_a_loop_that_needed_no_round(world):
    world.write("answer.txt", "42\n")
    world.commit("solved")
    world.run_loop([SOLVE]).check(0)
    said = json.loads(verify(world).check(0).stdout)
    assert (said["commit"], said["tree"]) == ("", world.git("rev-parse", "HEAD^{tree}"))
    assert said["criteria"][0]["now"] == "PASS"


def test_what_was_judged_in_the_workspace_is_judged_apart(world):
    lie = [{"write": ["tests/test_calc.py", "import unittest\n"]}]
    options = ("--isolation", "same-workspace", "--stop", UNITTEST, "--results", "none")
    world.run_loop(lie, options=options).check(0)
    done = verify(world).check(17)
    said = json.loads(done.stdout)
    assert said["notes"][0].startswith("stop-1 judged where the agent worked")
    assert said["criteria"][0]["now"] == "FAIL"
    assert any("test_double" in line for line in said["criteria"][0]["evidence"])


def test_a_loop_that_met_nothing_has_nothing_to_show_and_some_are_refused(world):
    world.run_loop([{"say": "no"}], options=("--max-rounds", "1")).check(10)
    said = json.loads(verify(world).check(17).stdout)
    assert (said["criteria"][0]["was"], said["criteria"][0]["now"]) == ("FAIL", "FAIL")
    assert "no loop called" in world.run_loopctl("verify", "nobody").check(2).stderr
    inside = world.run_loopctl("verify", "demo", env={"LOOPCTL_LOOP": "demo"}).check(2)
    assert "session of the loop demo" in inside.stderr
    rewrite_state(world, '"status":"stopped"', '"status":"running"')
    assert "has not ended" in world.run_loopctl("verify", "demo").check(2).stderr
