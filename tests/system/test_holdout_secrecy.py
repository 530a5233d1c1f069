"""What is held out is in nothing that an agent gets to see: no prompt, no variable, no tool."""

import json

from harness import SOLVE

SECRET = "acceptance-9f3a"
COMMAND = f"sh {SECRET}/last-word.sh"


def _held_out(world, script: str) -> str:
    folder = world.folder / f"kept-{SECRET}"
    (folder / SECRET).mkdir(parents=True)
    (folder / SECRET / "last-word.sh").write_text(script)
    return str(folder)


def test_of_a_failed_hold_out_is_said_that_it_failed(world):
    folder = _held_out(world, "echo the-expected-answer-is-43 >&2; exit 1\n")
    options = ("--holdout", folder, "--holdout-stop", COMMAND, "--max-rounds", "2")
    look = {"run": "env; ls -a; loopctl tool"}
    ended = world.run_loop([SOLVE, look], [look], options=options).check(10)
    shown = world.run_loopctl("show", "demo", "--round", "2", "--json").check(0).stdout
    (second,) = json.loads(shown)["rounds"]
    assert "the hold-out check failed" in second["prompt"]
    seen = [second["prompt"], ended.stdout, shown]
    seen += [log.read_text() for log in world.home.glob("loops/*/logs/round-*.agent*.log")]
    assert len(seen) > 3
    for secret in (SECRET, "last-word", "expected-answer", "kept-"):
        assert not any(secret in text for text in seen)


def test_a_hold_out_that_passes_ends_the_loop(world):
    folder = _held_out(world, "grep -qx 42 answer.txt\n")
    options = ("--holdout", folder, "--holdout-stop", COMMAND)
    ended = world.run_loop([SOLVE], options=options).check(0)
    assert [entry["criterion"] for entry in ended.stop["criteria"]] == ["./check.sh", "hold-out 1"]


def test_where_it_lies_is_not_said_either_when_it_cannot_be_used(world):
    folder = _held_out(world, "grep -qx 42 answer.txt\n")
    options = ("--holdout", folder, "--holdout-stop", COMMAND)
    change = {"run": f"echo true > {folder}/{SECRET}/last-word.sh"}
    ended = world.run_loop([SOLVE, change], options=options).check(15)
    for report in ended.of("evaluator_finished"):
        assert SECRET not in json.dumps(report)
    (log, *_) = world.home.glob("loops/*/logs/*holdout-1*.log")
    assert "is not what it was when the loop was started" in log.read_text()
