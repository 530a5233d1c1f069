"""Doubtful stop commands are told as a loop starts, and refuse nothing."""

import json


def test_a_warning_is_no_refusal(world):
    world.write("package.json", json.dumps({"scripts": {"test": "echo no tests yet"}}))
    world.commit("a package")
    result = world.run_loop(options=("--stop", "true", "--stop", "npm test", "--baseline", "skip"))
    warnings = [line for line in result.stderr.splitlines() if "warning: " in line]
    assert ["`true`: it always succeeds" in line for line in warnings] == [True, False]
    assert "`npm test`: the script `test` in package.json: it always" in warnings[1]


def test_what_already_holds_needs_no_round(world):
    result = world.run_loop(options=("--stop", "true")).check(0)
    assert "warning: `true`" in result.stderr
    assert not world.calls()
    assert result.stop["kind"] == "goal-met"
