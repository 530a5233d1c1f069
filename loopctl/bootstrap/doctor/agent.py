"""The agent and the caps: who would do the work, and what would end it."""

import shutil
from collections.abc import Mapping

from loopctl.agents.command import CommandAgent
from loopctl.bootstrap import builtins
from loopctl.bootstrap.agent import check_models, make_agent
from loopctl.bootstrap.caps import check_budget, models_of
from loopctl.bootstrap.doctor.diagnosis import Finding, Topic, note, refusal, refused_by
from loopctl.bootstrap.request import StartRequest
from loopctl.domain.budget import Budget
from loopctl.domain.pricing import Rate
from loopctl.domain.usage import to_usd
from loopctl.errors import LoopctlError
from loopctl.git.repository import UserRepository
from loopctl.observe.plain import count, dollars, duration, one_line
from loopctl.ports import AgentRunner
from loopctl.process.toolbox import Toolbox


def agent(
    request: StartRequest, user: UserRepository, tools: Toolbox, environment: Mapping[str, str]
) -> Topic:
    """The agent of the request, and the caps that could be checked with it."""
    shown = request.agent
    try:
        runner = make_agent(
            request.agent,
            request.folder,
            user,
            base_commit=user.head,
            tools=tools,
            environment=environment,
        )
    except LoopctlError as error:
        return Topic("agent", _rows(shown), {"agent": shown, "usable": False}, (refusal(error),))
    findings = refused_by(lambda: check_models(models_of(request), environment))
    budget = None
    prices: dict[str, Rate | None] = {}
    try:
        pricing = builtins.pricing_for(request.plugins.pricing, request.assumed, request.prices)
        prices = {model: pricing.rate(model) for model in models_of(request)}
        budget = check_budget(request, runner, prices.get)
    except LoopctlError as error:
        findings += (refusal(error),)
    facts = {
        "agent": shown,
        "usable": True,
        "program": _program(runner),
        "reports_cost": runner.reports_cost,
        "reports_tokens": runner.reports_tokens,
        "models": [
            {"model": model, "price": None if rate is None else rate.model_dump()}
            for model, rate in prices.items()
        ],
        "caps": None if budget is None else _caps_object(budget),
    }
    rows = (
        *_rows(shown),
        *((("program", program),) if (program := _program(runner)) else ()),
        *(("model", f"{one_line(model)}: {_price(rate)}") for model, rate in prices.items()),
        ("reports", _reports(runner)),
        *((("caps", _caps_text(budget)),) if budget else ()),
    )
    return Topic("agent", rows, facts, (*findings, *_unknown_cost(request, runner)))


def _rows(shown: str) -> tuple[tuple[str, str], ...]:
    return (("agent", one_line(shown)),) if shown else ()


def _program(runner: AgentRunner) -> str | None:
    """The file behind a command agent; None for another kind."""
    return shutil.which(runner.words[0]) if isinstance(runner, CommandAgent) else None


def _reports(runner: AgentRunner) -> str:
    known = [
        name
        for name, is_known in (("cost", runner.reports_cost), ("tokens", runner.reports_tokens))
        if is_known
    ]
    return f"its {' and its '.join(known)}" if known else "neither its cost nor its tokens"


def _price(rate: Rate | None) -> str:
    if rate is None:
        return "its price is unknown, and so is what it costs"
    return f"${rate.input:g} for a million tokens in, ${rate.output:g} out"


def _unknown_cost(request: StartRequest, runner: AgentRunner) -> tuple[Finding, ...]:
    """What a cap means for an agent that does not say what it uses."""
    assumed, budget = request.assumed, request.budget
    capped = budget.max_micro_usd is not None or budget.per_round_micro_usd is not None
    if capped and not runner.reports_cost and assumed.micro_usd is not None:
        return (
            note(
                "the cap in dollars counts what you assume "
                f"({dollars(assumed.micro_usd)} a round), not what the agent uses"
            ),
        )
    if budget.max_tokens is not None and not runner.reports_tokens and assumed.tokens is not None:
        return (
            note(
                "the cap in tokens counts what you assume "
                f"({count(assumed.tokens, 'token')} a round), not what the agent uses"
            ),
        )
    return ()


def _caps_text(budget: Budget) -> str:
    caps = []
    if budget.max_rounds is not None:
        caps.append(count(budget.max_rounds, "round"))
    if budget.max_time_s is not None:
        caps.append(duration(budget.max_time_s))
    if budget.max_micro_usd is not None:
        caps.append(dollars(budget.max_micro_usd))
    if budget.max_tokens is not None:
        caps.append(count(budget.max_tokens, "token"))
    if budget.per_round_micro_usd is not None:
        caps.append(f"{dollars(budget.per_round_micro_usd)} a round")
    return ", ".join(caps)


def _caps_object(budget: Budget) -> dict[str, float | int | None]:
    micro, per_round = budget.max_micro_usd, budget.per_round_micro_usd
    return {
        "max_rounds": budget.max_rounds,
        "max_time_s": budget.max_time_s,
        "max_usd": None if micro is None else to_usd(micro),
        "max_tokens": budget.max_tokens,
        "per_round_usd": None if per_round is None else to_usd(per_round),
    }
