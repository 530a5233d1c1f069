"""A2: never more than allowed, and what is unknown is never called zero."""

import pytest
from harness import SOLVE, World, kill, wait_for

USELESS = [{"append": ["notes", "more\n"]}]


def test_a2_2_caps_change_by_a_user_alone(world: World) -> None:
    """A raised cap is an event that says old, new and by whom; nothing else changes a cap."""
    first = world.run_loop(USELESS, options=("--max-rounds", "2")).check(10)
    assert first.stop["maximum"] == 2
    second = world.run_loopctl("status", "demo", "--restart", "--max-rounds", "1", "--json").check(
        10
    )
    (change,) = second.of("cap_changed")
    assert (change["cap"], change["old"], change["new"]) == ("max_rounds", 2, 1)
    assert change["by"]
    assert second.stop["maximum"] == 1
    assert len(world.calls()) == 3


def test_a2_3_dollars_are_counted_over_all_rounds(world: World) -> None:
    options = ("--max-usd", "1", "--assume-usd-per-round", "0.4")
    result = world.run_loop(USELESS, options=options).check(10)
    assert result.stop["scope"] == "usd"
    assert result.stop["observed"] == pytest.approx(1.2)
    assert result.stop["maximum"] == 1
    assert len(world.calls()) == 3


def test_a2_5_a_cap_loses_no_work(world: World) -> None:
    """The time is up in the middle of a turn: tree, transcript and their places are kept."""
    turn = [{"say": "half way"}, {"write": ["half", "work\n"]}, {"sleep": 60}]
    result = world.run_loop(turn, options=("--max-time", "2s")).check(10)
    assert result.stop["scope"] == "time"
    assert world.show("loopctl/demo:half") == "work"
    assert result.ended["branch"] == "loopctl/demo"
    assert "loopctl/demo" in result.stderr
    shown = world.run_loopctl("show", "demo", "--round", "1").check(0)
    assert "half way" in shown.stdout
    world.no_process_left()


@pytest.mark.parametrize("cap", [("--max-usd", "5"), ("--max-tokens", "1000")])
def test_a2_8_a_cap_that_cannot_be_kept_is_refused(world: World, cap: tuple[str, str]) -> None:
    refused = world.run_loop([SOLVE], options=cap).check(2)
    assert "--assume-" in refused.stderr
    assert "--max-rounds" in refused.stderr
    assert world.calls() == []


def test_a2_8_a2_11_unknown_cost_is_called_unknown(world: World) -> None:
    result = world.run_loop([*USELESS, {"exit": 1}], options=("--max-rounds", "1")).check(10)
    assert "unknown" in result.stderr
    shown = world.run_loopctl("status", "demo").check(0)
    assert "unknown" in shown.stdout
    assert "$0.00" not in shown.stdout + result.stderr


def test_a2_21_a_restart_counts_nothing_twice(world: World) -> None:
    """0.6 are spent when the driver is killed between two rounds; 0.6 are the ledger's."""
    options = ("--max-usd", "1.2", "--assume-usd-per-round", "0.6")
    between = ("--stop", f"test -f {world.folder}/go || sleep 60", "--baseline", "skip")
    driver = world.start_loop(USELESS, options=(*options, *between))
    wait_for(lambda: len(world.calls("end")) == 1, "the turn is over")
    wait_for(lambda: world.state().spent.micro_usd == 600_000, "its cost is written")
    kill(driver)
    world.no_process_left()
    (world.folder / "go").touch()
    assert world.state().spent.micro_usd == 600_000
    world.run_loopctl("status", "demo", "--restart", "--json").check(0)
    assert world.state().spent.micro_usd == 600_000
    assert len(world.calls()) == 1


def test_a_refused_round_never_starts(world: World) -> None:
    """The estimate for one round is over its cap: no agent is called."""
    options = ("--per-round-usd", "0.5", "--assume-usd-per-round", "0.6")
    result = world.run_loop([SOLVE], options=options).check(10)
    assert (result.stop["observed"], result.stop["maximum"]) == (0.6, 0.5)
    assert world.calls() == []


@pytest.mark.parametrize(
    "options",
    [
        ("--max-rounds", "0"),
        ("--max-usd", "nan"),
        ("--max-tokens=-1",),
        ("--max-iterations", "3"),
    ],
    ids=" ".join,
)
def test_nonsense_starts_nothing(world: World, options: tuple[str, ...]) -> None:
    """All kinds of nonsense are in the tests of the command line; these go the whole way."""
    refused = world.run_loop([SOLVE], options=options).check(2)
    assert refused.stderr.strip()
    assert refused.stdout == ""
    assert world.calls() == []
    assert world.branches() == ["main"]
