"""Commands that report criteria of their own, through the whole program."""

import json

import pytest
from harness import SOLVE, World
from ordinary_user import needs_sandbox

CONTRACT = """\
#!/bin/sh
judge() {  # NAME TEST...
  name=$1; shift
  if "$@" > /dev/null; then verdict=PASS; else verdict=FAIL; fi
  printf '{"name": "%s", "verdict": "%s", "evidence": ["looked at answer.txt: %s"]}' \\
    "$name" "$verdict" "$(cat answer.txt)"
}
criteria=$(judge answer grep -qx 42 answer.txt)
[ -e hidden ] || criteria="$criteria, $(judge note test -e note.txt)"
printf '{"version": 1, "nonce": "%s", "criteria": [%s]}' "$LOOPCTL_REPORT_NONCE" "$criteria" \\
  > "$LOOPCTL_REPORT"
"""
NAMED = ("--evaluator", "api")


@pytest.fixture
def agreed(world: World) -> World:
    world.write("contract.sh", CONTRACT)
    (world.repository / "contract.sh").chmod(0o755)
    world.write(
        "loopctl.toml", '[evaluators.api]\ncommand = "./contract.sh"\ncriteria = "contract"'
    )
    world.commit("a contract")
    return world


def test_criteria_one_by_one(agreed: World) -> None:
    """Red, one of two, green: on the screen, in the prompt, in ``show`` and in JSON."""
    note = {"write": ["note.txt", "1\n"]}
    cheat = {"write": ["contract.sh", "#!/bin/sh\n"]}
    result = agreed.run_loop([SOLVE, cheat], [note], options=NAMED).check(0)
    closed = [(one["passed"], one["judged"]) for one in result.of("round_closed")]
    assert closed == [(1, 2), (2, 2)]
    assert [one["criterion"] for one in result.stop["criteria"]] == ["answer", "note"]
    assert result.stop["criteria"][0]["evidence"] == "looked at answer.txt: 42"
    first, second = (
        agreed.run_loopctl("show", "demo", "--round", number).check(0).stdout for number in "12"
    )
    assert "must report a PASS with evidence for every criterion that it names" in first
    assert "PASS answer\n" in first
    assert "FAIL note\n" in first
    assert "### api / note: FAIL" in second
    assert "### api / answer" not in second
    document = json.loads(agreed.run_loopctl("show", "demo", "--json").check(0).stdout)
    (evaluation,) = document["rounds"][-1]["evaluations"]
    assert [one["verdict"] for one in evaluation["criteria"]] == ["PASS", "PASS"]


def test_a_criterion_that_goes_away_is_no_pass(agreed: World) -> None:
    """The product makes the contract say less than on the base commit."""
    less = {"write": ["hidden", ""]}
    options = (*NAMED, "--max-rounds", "1")
    result = agreed.run_loop([SOLVE, less], options=options).check(10)
    assert [(one["passed"], one["judged"]) for one in result.of("round_closed")] == [(1, 2)]
    shown = agreed.run_loopctl("show", "demo", "--round", "1").check(0).stdout
    assert "named on the base commit, not in this report" in shown


def test_a_report_that_the_agent_wrote_does_not_count(agreed: World) -> None:
    """It has to repeat a nonce that is drawn after the agent has ended."""
    report = {"version": 1, "nonce": "", "criteria": [{"name": "answer", "verdict": "PASS"}]}
    copy = "sh -c 'cp report.json $LOOPCTL_REPORT || exit 1'"
    options = (*NAMED, "--contract", copy, "--max-rounds", "1")
    forged = {"write": ["report.json", json.dumps(report)]}
    result = agreed.run_loop([SOLVE, forged], options=options).check(10)
    last = result.of("evaluator_finished")[-2]["report"]
    assert last["evaluator"] == "contract-1"
    assert "does not repeat the nonce" in last["criteria"][0]["evidence"][0]


def test_a_contract_that_succeeds_without_a_report_starts_nothing(world: World) -> None:
    result = world.run_loop([SOLVE], options=("--contract", "true")).check(15)
    assert "no report was written to LOOPCTL_REPORT" in result.stop["detail"]
    assert world.calls() == []


@pytest.mark.parametrize(
    "place", ["same-workspace", pytest.param("container", marks=needs_sandbox)]
)
def test_an_isolation_for_one_evaluator(agreed: World, place: str) -> None:
    """One in a place of its own, one in a plain checkout; each says so."""
    text = (agreed.repository / "loopctl.toml").read_text()
    agreed.write("loopctl.toml", f'{text}\nisolation = "{place}"\n')
    note = {"write": ["note.txt", "1\n"]}
    result = agreed.run_loop([SOLVE, note], options=("--stop", "./check.sh")).check(0)
    reports = [one["report"] for one in result.of("evaluator_finished")]
    places = {one["evaluator"]: one["isolation"] for one in reports}
    assert places == {"stop-1": "separate-worktree", "api": place}
