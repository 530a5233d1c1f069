"""What the user leaves open is chosen in a fixed order, and told with its reason."""

from pathlib import Path

import pytest

from loopctl.bootstrap.judge_request import JudgeRequest
from loopctl.bootstrap.model_choice import Known, choose
from loopctl.bootstrap.provider_defaults import KEYS, MODELS, default_model, providers_with_key
from loopctl.bootstrap.request import StartRequest
from loopctl.budgets.prices import PriceTable
from loopctl.domain.loop import Assumption
from loopctl.errors import UsageError
from loopctl.store.used_models import UsedModels

USED = UsedModels(coder=("openai:o1", "anthropic:a1", "anthropic:a0"), judge=("google:g1",))
NOBODY = Known()


def request(**fields) -> StartRequest:
    return StartRequest(
        **{"goal": "g", "folder": Path("/f"), "agent": "", "stops": ("x",)} | fields
    )


@pytest.mark.parametrize(
    ("fields", "known", "agent"),
    [
        ({"agent": "cmd:x", "model": "m"}, Known(("cmd:claude",), ("openai",)), "cmd:x"),
        ({"model": "google:g"}, Known(("cmd:claude",)), "google:g"),
        ({}, Known(("cmd:claude", "cmd:codex"), ("openai",)), "cmd:claude"),
        ({}, Known((), ("openai", "google")), default_model("openai")),
    ],
)
def test_the_agent(fields, known, agent):
    chosen, told = choose(request(**fields), known)
    assert chosen.agent == agent
    assert any(line.startswith("agent: ") for line in told) == ("agent" not in fields)


@pytest.mark.parametrize(
    ("fields", "known", "models"),
    [
        ({"agent": "anthropic:a", "model": "openai:b"}, Known(used=USED), ("anthropic:a",)),
        ({"agent": "anthropic", "model": "b"}, Known(used=USED), ("anthropic:b",)),
        ({"agent": "openai", "model": "llama3:8b"}, NOBODY, ("openai:llama3:8b",)),
        ({"agent": "anthropic"}, Known(used=USED), ("anthropic:a1",)),
        ({"agent": "google"}, Known(used=USED), (default_model("google"),)),
        ({"agent": "openai-chat"}, NOBODY, (f"openai-chat:{MODELS['openai']}",)),
        (
            {"agent": "openai:a@http://127.0.0.1:1/v1", "fallback_models": ("b", "google:c", "b")},
            NOBODY,
            ("openai:a@http://127.0.0.1:1/v1", "openai:b", "google:c"),
        ),
        ({"agent": "cmd:x"}, Known(used=USED), ()),
    ],
)
def test_the_models_of_the_coder(fields, known, models):
    chosen, _ = choose(request(**fields), known)
    assert chosen.models == models
    assert chosen.agent == (models or (fields["agent"],))[0]


@pytest.mark.parametrize(
    ("fields", "judge", "known", "model"),
    [
        ({"agent": "cmd:x", "model": "openai:m"}, "anthropic:j", Known(used=USED), "anthropic:j"),
        ({"agent": "cmd:x", "model": "openai:m"}, "", Known(used=USED), "openai:m"),
        ({"agent": "anthropic:a"}, "", Known(used=USED), "google:g1"),
        ({"agent": "anthropic:a"}, "", Known(used=UsedModels(("openai:o",))), "anthropic:a"),
        ({"agent": "cmd:x"}, "", Known(used=UsedModels(("openai:o",))), "openai:o"),
        ({"agent": "cmd:x"}, "", Known(keys=("google",)), default_model("google")),
        ({"agent": "anthropic:a"}, "j", NOBODY, "anthropic:j"),
        ({"agent": "cmd:x"}, "j", Known(keys=("openai",)), "openai:j"),
    ],
)
def test_the_model_of_the_judge(fields, judge, known, model):
    wish = JudgeRequest("R.md", judge, ("f",))
    chosen, told = choose(request(**fields, judge=wish), known)
    assert chosen.judge is not None
    assert chosen.judge.model == model
    assert chosen.judge.fallbacks == (f"{model.partition(':')[0]}:f",)
    assert any(line.startswith(f"judge: {model} (") for line in told) == (not judge)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "no agent is named, and none can be found"),
        ({"model": "gpt"}, "does not say whose it is"),
        ({"agent": "anthropic", "model": "openai:m"}, "is not one of anthropic"),
        ({"agent": "cmd:x", "judge": JudgeRequest("R.md")}, "no model is named for the judge"),
        ({"agent": "cmd:x", "judge": JudgeRequest("R.md", "m")}, "does not say whose it is"),
    ],
)
def test_what_cannot_be_chosen_says_what_to_type(fields, message):
    with pytest.raises(UsageError, match=message) as refused:
        choose(request(**fields), NOBODY)
    assert refused.value.next_step


def test_nobody_at_all_is_offered_the_scripted_agent():
    with pytest.raises(UsageError) as refused:
        choose(request(), NOBODY)
    assert "make demo" in refused.value.next_step
    assert all(name in refused.value.why for names in KEYS.values() for name in names)


def test_what_an_agent_does_not_use_is_told():
    _, told = choose(request(agent="cmd:x", model="m", fallback_models=("n",)), NOBODY)
    assert [line.partition(";")[0] for line in told] == [
        "not used: model m",
        "not used: fall-back models n",
    ]


def test_a_model_beside_an_agent_that_names_its_own_is_told():
    wanted = request(agent="anthropic:a", model="b")
    assert choose(wanted, NOBODY).notices == ("not used: model b; the agent is anthropic:a",)
    assert choose(request(agent="anthropic:a", model="a"), NOBODY).notices == ()
    judged = request(agent="anthropic:a", model="b", judge=JudgeRequest("R.md"))
    (judge,) = choose(judged, NOBODY).notices
    assert judge.startswith("judge: anthropic:b")


def test_a_choice_is_made_once():
    chosen, told = choose(request(judge=JudgeRequest("R.md")), Known(keys=("anthropic",)))
    assert len(told) == 3
    assert choose(chosen, NOBODY) == (chosen, ())


@pytest.mark.parametrize("provider", MODELS)
def test_a_default_model_has_a_price(provider):
    """So that a cap in dollars can be kept by whoever says nothing of models."""
    assert PriceTable(assumed=Assumption(), prices=()).rate(default_model(provider)) is not None


def test_keys_are_looked_for_in_the_order_of_the_table():
    environment = {"GEMINI_API_KEY": "k", "OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": " "}
    assert providers_with_key(environment) == ("openai", "google")
    assert KEYS.keys() == MODELS.keys()
