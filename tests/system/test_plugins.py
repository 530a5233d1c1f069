"""Each seam is replaced: by a dotted path, and by an entry point of an installed distribution."""

import json
import shutil
from pathlib import Path

import pytest
from harness import SOLVE, Result, World

MODULE = "acme_plugins"
ENTRY_POINTS = {
    "agents": ("acme-agent", "Agent"),
    "evaluators": ("acme-evaluator", "AnswerEvaluator"),
    "budget_policies": ("acme-policy", "OneRoundPolicy"),
    "pricing": ("acme-prices", "PriceList"),
    "handoffs": ("acme-handoff", "Terse"),
}
METADATA = "Metadata-Version: 2.1\nName: acme-plugins\nVersion: 1.0\n"


@pytest.fixture
def site(world: World) -> Path:
    """A folder on the program's path that holds the plug-ins' module."""
    folder = world.folder / "site"
    folder.mkdir()
    shutil.copy(Path(__file__).with_name("plugins_for_tests.py"), folder / f"{MODULE}.py")
    world.environment["PYTHONPATH"] += f":{folder}"
    world.environment["PLUGIN_CALLS"] = str(world.folder / "plugin-calls")
    return folder


@pytest.fixture
def named(site: Path) -> dict[str, str]:
    """The dotted path of each plug-in, by its seam."""
    return {seam: f"{MODULE}:{factory}" for seam, (_, factory) in ENTRY_POINTS.items()}


def install(site: Path) -> None:
    """Make the module a distribution whose entry points name the plug-ins."""
    info = site / "acme_plugins-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(METADATA)
    (info / "entry_points.txt").write_text(
        "".join(
            f"[loopctl.{seam}]\n{name} = {MODULE}:{factory}\n"
            for seam, (name, factory) in ENTRY_POINTS.items()
        )
    )


def prompts(world: World) -> list[str]:
    lines = (world.folder / "plugin-calls").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_all_seams_by_entry_points(world: World, site: Path) -> None:
    """An installed distribution replaces all five at once; its policy admits one round."""
    install(site)
    seams = ("agents", "evaluators", "budget_policies", "pricing", "handoffs")
    agent, evaluator, policy, pricing, handoff = (ENTRY_POINTS[seam][0] for seam in seams)
    options = ("--agent", agent, "--evaluator", evaluator, "--budget-policy", policy)
    options = (*options, "--pricing", pricing, "--handoff", handoff)
    result = world.run_loop(options=options).check(10)
    assert result.stop["scope"] == "tokens"
    assert prompts(world) == ["TERSE set the answer"]
    assert world.state().spent.micro_usd == 1_000_000
    refused = world.run_loop(options=("--agent", "nobody")).check(2)
    assert "acme-agent" in refused.stderr


def test_agent_and_pricing(world: World, named: dict[str, str]) -> None:
    """The agent says its tokens, the price list the dollars; both caps can be kept."""
    options = ("--agent", named["agents"], "--pricing", named["pricing"], "--max-usd", "5")
    result = world.run_loop(options=options).check(0)
    assert len(prompts(world)) == 2
    spent = world.state().spent
    assert (spent.micro_usd, spent.tokens) == (2_000_000, 2200)
    assert "$2.00" in result.stderr


def test_an_agent_with_tools_that_is_metered(world: World, named: dict[str, str]) -> None:
    """Its requests are counted one by one, and a turn that it did not hand over is asked for."""
    options = ("--agent", f"{MODULE}:AbleAgent", "--pricing", named["pricing"], "--max-usd", "5")
    result = world.run_loop(options=options).check(0)
    assert len(result.of("handoff_nudged")) == 1
    assert [one["status"] for one in result.of("handoff_resolved")] == ["applied"]
    assert "without calling loop_handoff" in prompts(world)[1]
    spent = world.state().spent
    assert (spent.micro_usd, spent.tokens, spent.unknown_turns) == (1_800_000, 1980, 0)


def test_a2_6_a2_11_what_a_failed_turn_used_is_counted(world: World, named: dict[str, str]) -> None:
    """Garbage and exit 1 after the figures: both are shown, and the cost with them."""
    options = ("--agent", f"{MODULE}:BrokenAgent", "--pricing", named["pricing"])
    result = world.run_loop(options=(*options, "--max-rounds", "1")).check(10)
    assert [one["result"]["outcome"] for one in result.of("turn_ended")] == ["failed"]
    spent = world.state().spent
    assert (spent.micro_usd, spent.tokens, spent.unknown_turns) == (1_000_000, 1100, 0)
    shown = world.run_loopctl("show", "demo").check(0).stdout
    assert "failed" in shown
    assert "$1.00" in shown


def test_evaluator(world: World, named: dict[str, str]) -> None:
    options = ("--evaluator", named["evaluators"])
    result = world.run_loop([{"append": ["notes", "1\n"]}], [SOLVE], options=options).check(0)
    (met,) = result.stop["criteria"]
    assert met["evidence"] == "read 42"
    assert len(world.calls()) == 2


def judged(world: World, name: str, mode: str, code: int) -> Result:
    options = ("--evaluator", name, "--max-rounds", "1", "--baseline", "skip")
    return world.run_loop([SOLVE], options=options, env={"EVALUATOR_MODE": mode}).check(code)


@pytest.mark.parametrize("mode", ["no-evidence", "undeclared"])
def test_a8_8_an_invalid_report_is_no_pass(world: World, named: dict[str, str], mode: str) -> None:
    """A PASS without evidence, or of something that nobody declared, is refused and recorded."""
    result = judged(world, named["evaluators"], mode, 10)
    assert len(result.of("invalid_report")) == 1


def test_a8_8_a_judge_that_breaks_is_no_pass(world: World, named: dict[str, str]) -> None:
    result = judged(world, named["evaluators"], "raise", 15)
    assert "no judge today" in result.stop["detail"]
    assert len(world.calls()) == 1


def test_a_report_cannot_say_where_it_was_made(world: World, named: dict[str, str]) -> None:
    """Tree and isolation label are the driver's facts, whatever the plug-in writes."""
    result = world.run_loop([SOLVE], options=("--evaluator", named["evaluators"])).check(0)
    report = result.of("evaluator_finished")[-1]["report"]
    assert report["isolation"] == "separate-worktree"
    assert report["tree"] == world.git("rev-parse", "loopctl/demo^{tree}")


def test_budget_policy(world: World, named: dict[str, str]) -> None:
    options = ("--budget-policy", named["budget_policies"])
    result = world.run_loop([{"append": ["notes", "1\n"]}], options=options).check(10)
    assert (result.stop["scope"], result.stop["observed"], result.stop["maximum"]) == (
        "tokens",
        2,
        1,
    )
    assert len(world.calls()) == 1


def test_handoff_strategy(world: World, named: dict[str, str]) -> None:
    options = ("--agent", named["agents"], "--handoff", named["handoffs"])
    world.run_loop(options=options).check(0)
    assert prompts(world) == ["TERSE set the answer"] * 2


@pytest.mark.parametrize(
    "option", ["--agent", "--evaluator", "--budget-policy", "--pricing", "--handoff"]
)
def test_an_unknown_name_lists_the_known_ones(world: World, option: str) -> None:
    """And starts nothing."""
    for name in ("nobody", "no_such_module:Factory"):
        refused = world.run_loop([SOLVE], options=(option, name)).check(2)
        assert name in refused.stderr
    assert world.calls() == []
    assert world.branches() == ["main"]


@pytest.mark.parametrize(
    "option", ["--agent", "--evaluator", "--budget-policy", "--pricing", "--handoff"]
)
def test_a_plugin_that_cannot_be_made(world: World, site: Path, option: str) -> None:
    """It is said before anything is created."""
    refused = world.run_loop([SOLVE], options=(option, f"{MODULE}:Unbuildable")).check(2)
    assert "no licence" in refused.stderr
    assert world.branches() == ["main"]
    assert "demo" not in world.run_loopctl("list").stdout


@pytest.mark.parametrize(
    ("option", "factory", "why"),
    [
        ("--budget-policy", "RaisingPolicy", "the policy server is down"),
        ("--handoff", "RaisingHandoff", "the template is gone"),
    ],
)
def test_a_plugin_that_raises_ends_the_loop(
    world: World, site: Path, option: str, factory: str, why: str
) -> None:
    """It is told from a bug of loopctl's own: the loop has ended and can be restarted."""
    result = world.run_loop(options=(option, f"{MODULE}:{factory}")).check(1)
    assert result.stop["reason"] == "driver_error"
    assert why in result.stop["detail"]
    assert world.state().is_over


def test_prices_that_raise_lose_no_tokens(world: World, named: dict[str, str]) -> None:
    """What the agent reported is counted although nobody can say what it cost."""
    options = ("--agent", named["agents"], "--pricing", f"{MODULE}:RaisingPrices")
    world.run_loop(options=options).check(0)
    spent = world.state().spent
    assert (spent.tokens, spent.unknown_turns) == (2200, 2)


def test_a3_2_a_limit_uses_up_no_round(world: World, site: Path) -> None:
    """The same round goes on after each wait, and what was done before it is kept."""
    options = ("--agent", f"{MODULE}:LimitedAgent", "--max-rounds", "1")
    result = world.run_loop(options=options).check(0)
    assert [data["round"] for data in result.of("limit_wait")] == [1, 1]
    assert [data["round"] for data in result.of("round_closed")] == [1]
    kept = world.git("ls-tree", "--name-only", "loopctl/demo").split()
    assert {"limited-1", "limited-2", "limited-3"} <= set(kept)
    assert world.state().spent.waited_s >= 2.0
