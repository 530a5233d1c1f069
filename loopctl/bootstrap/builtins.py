"""The registries of the replaceable seams, with what ships with loopctl.

The factories are called with keyword arguments; a plug-in's factory takes the same ones:

    agents            ``argument``, ``folder``, ``is_tracked``, ``tools`` -> ``AgentRunner``
    evaluators        ``config``, ``tools`` -> ``Evaluator``
    budget_policies   -> ``BudgetPolicy``
    pricing           ``assumed``, ``prices`` -> ``PricingProvider``
    handoffs          -> ``HandoffStrategy``
"""

from collections.abc import Mapping
from pathlib import Path
from typing import assert_never

from loopctl.agents.command import CommandAgent
from loopctl.budgets.assumed_pricing import AssumedPricing
from loopctl.budgets.preflight import PreflightPolicy
from loopctl.budgets.prices import PriceTable
from loopctl.domain.evaluator_spec import (
    Executor,
    JudgeExecutor,
    ProviderExecutor,
    ShellExecutor,
)
from loopctl.domain.loop import Assumption
from loopctl.domain.pricing import ModelPrice
from loopctl.errors import UsageError
from loopctl.evaluators.shell import ShellEvaluator
from loopctl.handoffs.fresh_with_summary import FreshWithSummary
from loopctl.plugins import Registry
from loopctl.ports import (
    AgentRunner,
    BudgetPolicy,
    Evaluator,
    HandoffStrategy,
    PricingProvider,
)
from loopctl.process.toolbox import Toolbox

AGENTS: Registry[AgentRunner] = Registry("agents", {"cmd": CommandAgent})
EVALUATORS: Registry[Evaluator] = Registry("evaluators", {})
BUDGET_POLICIES: Registry[BudgetPolicy] = Registry(
    "budget_policies", {"preflight": PreflightPolicy}
)
PRICING: Registry[PricingProvider] = Registry(
    "pricing", {"assumed": AssumedPricing, "prices": PriceTable}
)
HANDOFFS: Registry[HandoffStrategy] = Registry("handoffs", {"fresh-with-summary": FreshWithSummary})


def evaluator_for(executor: Executor, tools: Toolbox) -> Evaluator:
    """The evaluator that carries ``executor`` out.

    Raises:
        UsageError: the plug-in cannot be used.
    """
    match executor:
        case ShellExecutor():
            return ShellEvaluator(tools)
        case ProviderExecutor(name=name, config=config):
            return EVALUATORS.make(name, config=config, tools=tools)
        case JudgeExecutor():
            # The libraries of the providers take a second: only a loop with a judge needs them.
            from loopctl.evaluators.llm_judge.judge import LlmJudge  # noqa: PLC0415

            return LlmJudge(executor, tools)
        case _:
            assert_never(executor)


def pricing_for(name: str, assumed: Assumption, prices: tuple[ModelPrice, ...]) -> PricingProvider:
    """Who knows what tokens cost.

    Raises:
        UsageError: there is no such plug-in, or it does not know how to be asked.
    """
    pricing = PRICING.make(name, assumed=assumed, prices=prices)
    if not callable(getattr(pricing, "rate", None)):
        raise UsageError(
            f"the pricing plug-in {name!r} cannot be used",
            why="it has no method rate, which tells the price of a model",
            next_step="correct it, or use another one",
        )
    return pricing


def built_in_agent(
    provider: str, model: str, folder: Path, tools: Toolbox, environment: Mapping[str, str]
) -> AgentRunner:
    """The built-in agent over a model of ``provider``."""
    # As for a judge: a command as the agent needs none of these libraries.
    from loopctl.agents.builtin.runner import BuiltinAgent  # noqa: PLC0415

    return BuiltinAgent(
        provider=provider, argument=model, folder=folder, tools=tools, environment=environment
    )
