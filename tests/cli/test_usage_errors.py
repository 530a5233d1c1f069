"""What cannot be done is refused with exit code 2 and a way out, and nothing is started."""

import pytest
from invocation import filtered

RUN = ("run", "do it", "--stop", "test -e done", "--agent", "cmd:touch called; touch done")
REFUSED = {
    "no command": (),
    "unknown command": ("stauts",),
    "unknown option": ("run", "x", "--max-round", "3"),
    "option without a value": ("run", "x", "--stop"),
    "no goal": ("run",),
    "empty goal": ("run", " ", *RUN[2:]),
    "two goals": ("run", "a", "b", *RUN[2:]),
    "goal from a missing file": ("run", "@goal.txt", *RUN[2:]),
    "no evaluator": ("run", "do it", "--agent", "cmd:touch called"),
    "empty stop": ("run", "do it", "--stop", "", "--agent", "cmd:touch called"),
    "no agent": ("run", "do it", "--stop", "test -e done"),
    "unknown agent": (*RUN[:4], "--agent", "nobody"),
    "unknown provider": (*RUN[:4], "--agent", "nobody:large"),
    "unknown provider and odd model": (*RUN[:4], "--agent", "nobody:large-1"),
    "agent of a vendor": (*RUN[:4], "--agent", "claude"),
    "unknown evaluator": (*RUN, "--evaluator", "nobody"),
    "unknown policy": (*RUN, "--budget-policy", "nobody"),
    "unknown pricing": (*RUN, "--pricing", "nobody"),
    "unknown handoff": (*RUN, "--handoff", "nobody"),
    "unknown isolation": (*RUN, "--isolation", "none"),
    "isolation of a later version": (*RUN, "--isolation", "remote"),
    "unknown baseline": (*RUN, "--baseline", "maybe"),
    "unknown detail": (*RUN, "--log-detail", "some"),
    "bad name": (*RUN, "--name", "../x"),
    "model of no judge": (*RUN, "--judge-model", "openai:j"),
    "fall-back of no judge": (*RUN, "--judge-fallback-model", "openai:j"),
    "empty hold-out command": (*RUN, "--holdout-stop", " "),
    "hold-out alone": (*RUN[:2], *RUN[4:], "--holdout-stop", "true"),
    "hold-out in the workspace": (
        *(*RUN, "--holdout-stop", "true"),
        *("--isolation", "same-workspace"),
    ),
    "hold-out without a command": (
        *(*RUN[:2], *RUN[4:], "--evaluator", "plug"),
        *("--holdout", "../held"),
    ),
    "hold-out that is missing": (*RUN, "--holdout", "../held"),
    "hold-out in the repository": (*RUN, "--holdout", "."),
    "hold-out of an unknown program": (*RUN, "--holdout-stop", "no-such-program --all"),
    "confirmed never": (*RUN, "--confirm", "0"),
    "no cap at all": (*RUN, "--max-rounds", "0"),
    "dollars that nobody counts": (*RUN, "--max-usd", "1"),
    "dollars a round that nobody counts": (*RUN, "--per-round-usd", "1"),
    "tokens that nobody counts": (*RUN, "--max-tokens", "1"),
    "cap without restart": ("status", "x", "--max-rounds", "3"),
    "quiet without restart": ("status", "--quiet"),
    "bad cap at restart": ("status", "x", "--restart", "--max-usd", "inf"),
    "unknown loop at restart": ("status", "nobody", "--restart"),
    "unknown loop": ("status", "nobody"),
    "unknown loop to show": ("show", "nobody"),
    "unknown loop to cancel": ("cancel", "nobody"),
    "nothing to cancel": ("cancel",),
    "bad round": ("show", "x", "--round", "one"),
    "no name": ("logs",),
}
NUMBERS = {
    "--max-rounds": ("x", "-1", "1.5", "nan", "inf", "", "1e99", "٣"),
    "--max-tokens": ("x", "-1", "0", "1.5", "nan", "inf", "1_0", "9" * 400),
    "--max-usd": ("x", "-1", "0", "nan", "inf", "-inf", "$", "1,5"),
    "--per-round-usd": ("x", "-1", "0", "nan"),
    "--assume-usd-per-round": ("x", "-1", "0", "nan"),
    "--assume-tokens-per-round": ("x", "-1", "0", "nan"),
    "--max-time": ("x", "-1", "0", "nan", "inf", "1x", "m", "-5m", "1..5s", "0h0m"),
    "--round-timeout": ("x", "-1", "0", "nan"),
    "--eval-timeout": ("x", "-1", "0", "nan"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case, repository, typed, text_snapshot):
    text = filtered(typed(*REFUSED[case]), str(repository.parent))
    assert text == text_snapshot
    head, _, complaint = text.partition("--- stdout\n--- stderr\n")
    assert head == "exit 2\n"
    first, *others = [line[:7] for line in complaint.splitlines()]
    assert first == "loopctl"
    assert set(others) <= {"  why: ", "  next:"}
    assert not (repository / "called").exists()
    assert (repository / "a.txt").read_text() == "a\n"


@pytest.mark.parametrize(
    ("option", "value"), [(option, value) for option in NUMBERS for value in NUMBERS[option]]
)
def test_numbers_that_mean_nothing(option, value, repository, typed):
    text = typed(*RUN, f"{option}={value}")
    assert text.startswith(f"exit 2\n--- stdout\n--- stderr\nloopctl: {option}: ")
    assert [path.name for path in repository.iterdir() if path.name != ".git"] == ["a.txt"]


def test_outside_a_repository(nowhere, typed):
    text = typed(*RUN)
    assert text.startswith("exit 2\n")
    assert not list(nowhere.iterdir())


@pytest.mark.parametrize(
    "command",
    [
        RUN,
        ("cancel",),
        ("status", "x", "--restart"),
        ("apply", "x"),
        ("discard", "x", "--yes"),
        ("sweep",),
    ],
)
def test_an_agent_may_not_steer_its_loop(command, repository, typed, monkeypatch):
    monkeypatch.setenv("LOOPCTL_LOOP", "mine")
    text = typed(*command)
    assert text.startswith("exit 2\n")
    assert "this is a session of the loop mine" in text
    assert not (repository / "called").exists()


@pytest.mark.parametrize("command", ["status", "list"])
def test_an_agent_may_look(command, typed, monkeypatch):
    monkeypatch.setenv("LOOPCTL_LOOP", "mine")
    assert typed(command).startswith("exit 0\n")
