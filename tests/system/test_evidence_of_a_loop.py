"""The evidence of a real loop: from the store, with what happened before a restart."""

import json

from harness import SOLVE


def test_what_happened_before_a_restart_is_still_evidence(world):
    left = {"daemon": "sleep 300"}
    options = ("--max-rounds", "1")
    first = world.run_loop([left], [{"write": ["check.sh", "exit 0\n"]}, SOLVE], options=options)
    assert "left running, process" in first.check(10).stderr
    done = world.run_loopctl("status", "demo", "--restart", "--max-rounds", "2").check(0)
    card = done.stderr.rpartition("\n\n")[2]
    assert "ended     round 1: left running, process" in card
    assert "isolation separate-worktree does not promise" in card
    shown = json.loads(world.run_loopctl("show", "demo", "--json").check(0).stdout)["evidence"]
    assert {left["round"] for left in shown["survivors"]} == {1}, shown["survivors"]
    assert len({left["pid"] for left in shown["survivors"]}) == len(shown["survivors"])
    assert [change["path"] for change in shown["restored"]] == ["check.sh"]
    state = world.state()
    assert shown["judged_tree"] == state.snapshot.judged_tree
    assert [(run["evaluator"], run["exit"]) for run in shown["runs"]] == [("stop-1", "exit 0")]
    assert (shown["holdout"], shown["shown"], shown["warnings"]) == ("none", 1, [])
