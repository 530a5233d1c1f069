"""A cap that could never be checked is refused before anything starts."""

from pathlib import Path

import pytest

from loopctl.bootstrap.caps import check_budget
from loopctl.bootstrap.judge_request import JudgeRequest
from loopctl.bootstrap.request import StartRequest
from loopctl.domain.budget import Budget
from loopctl.domain.loop import Assumption
from loopctl.domain.pricing import Rate
from loopctl.errors import UsageError

KNOWN = {"anthropic:a": Rate(input=3, output=15)}
DOLLARS = Budget(max_micro_usd=1_000_000)


class Agent:
    """As much of an agent as a cap has to know."""

    has_tools = remembers = False

    def __init__(self, *, metered: bool) -> None:
        self.is_metered = self.reports_tokens = self.reports_cost = metered

    def check(self) -> None:
        """It can be used."""

    async def open_session(self, request):
        raise AssertionError(request)


METERED, COMMAND = Agent(metered=True), Agent(metered=False)


def request(*models: str, judge: JudgeRequest | None = None, **fields) -> StartRequest:
    return StartRequest(
        **{
            "goal": "g",
            "folder": Path("/f"),
            "agent": models[0] if models else "cmd:x",
            "models": models,
            "judge": judge,
            "budget": DOLLARS,
        }
        | fields
    )


@pytest.mark.parametrize(
    ("asked", "agent", "model"),
    [
        (request("anthropic:a", "anthropic:b"), METERED, "anthropic:b"),
        (request("openai:x"), METERED, "openai:x"),
        (
            request("anthropic:a", judge=JudgeRequest("R.md", "anthropic:a", ("google:f",))),
            METERED,
            "google:f",
        ),
        (
            request("openai:x", budget=Budget(per_round_micro_usd=1_000_000)),
            METERED,
            "openai:x",
        ),
        (request("openai:x", assumed=Assumption(micro_usd=5)), METERED, "openai:x"),
    ],
)
def test_a_cap_in_dollars_needs_every_price(asked, agent, model):
    with pytest.raises(UsageError, match=f"unknown price of the model {model}$") as refused:
        check_budget(asked, agent, KNOWN.get)
    assert f'prices."{model}" = {{ input = X, output = Y }}' in refused.value.next_step


@pytest.mark.parametrize(
    ("asked", "agent"),
    [
        (request("anthropic:a"), METERED),
        (request("openai:x", budget=Budget(max_tokens=5)), METERED),
        (request("anthropic:a", judge=JudgeRequest("R.md", "anthropic:a")), METERED),
        (request(assumed=Assumption(micro_usd=5)), COMMAND),
        (
            request(judge=JudgeRequest("R.md", "openai:x"), budget=Budget(), max_rounds=3),
            COMMAND,
        ),
    ],
)
def test_caps_that_can_be_kept(asked, agent):
    assert check_budget(asked, agent, KNOWN.get).max_rounds


def test_a_judge_with_a_price_does_not_price_the_agent():
    with pytest.raises(UsageError, match="this agent does not report what it costs"):
        check_budget(request(judge=JudgeRequest("R.md", "anthropic:a")), COMMAND, KNOWN.get)
