"""Doubtful stop commands and shared paths are told as a loop starts, and refuse nothing."""

import json


def test_a_warning_is_no_refusal(world):
    world.write("package.json", json.dumps({"scripts": {"ok": "echo no tests yet"}}))
    world.write(".gitignore", "dist/\n")
    world.commit("a package")
    world.write("dist/index.js", "0\n")
    world.write("loopctl.toml", '[evaluator]\nshare = ["dist"]\n')
    result = world.run_loop(options=("--stop", "true", "--stop", "npm run ok || true")).check(0)
    warnings = [line for line in result.stderr.splitlines() if "warning: " in line]
    assert len(warnings) == 4
    assert "`true`: it always succeeds" in warnings[0]
    assert "`|| true` turns every failure into success" in warnings[1]
    assert "the script `ok` in package.json: it always succeeds" in warnings[2]
    assert "[evaluator] share: dist is copied as it is in your checkout" in warnings[3]
    # What holds already is a goal that is met, without a round.
    assert result.stop["kind"] == "goal-met"
    assert not world.calls()
