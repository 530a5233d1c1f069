"""Doubtful stop commands are told as a loop starts, and refuse nothing."""

import json


def test_a_warning_is_no_refusal(world):
    world.write("package.json", json.dumps({"scripts": {"ok": "echo no tests yet"}}))
    world.commit("a package")
    result = world.run_loop(options=("--stop", "true", "--stop", "npm run ok || true")).check(0)
    warnings = [line for line in result.stderr.splitlines() if "warning: " in line]
    assert len(warnings) == 3
    assert "`true`: it always succeeds" in warnings[0]
    assert "`|| true` turns every failure into success" in warnings[1]
    assert "the script `ok` in package.json: it always succeeds" in warnings[2]
    # What holds already is a goal that is met, without a round.
    assert result.stop["kind"] == "goal-met"
    assert not world.calls()
