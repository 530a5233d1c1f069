"""The registries of the replaceable seams, with what ships with loopctl.

The factories are called with keyword arguments; a plug-in's factory takes the same ones:

    agents            ``argument``, ``folder``, ``is_tracked``, ``tools`` -> ``AgentRunner``
    evaluators        ``config``, ``tools`` -> ``Evaluator``
    budget_policies   -> ``BudgetPolicy``
    pricing           ``assumed`` -> ``PricingProvider``
    handoffs          -> ``HandoffStrategy``
"""

from loopctl.agents.command import CommandAgent
from loopctl.budgets.assumed_pricing import AssumedPricing
from loopctl.budgets.preflight import PreflightPolicy
from loopctl.domain.evaluator_spec import Executor, ProviderExecutor, ShellExecutor
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
PRICING: Registry[PricingProvider] = Registry("pricing", {"assumed": AssumedPricing})
HANDOFFS: Registry[HandoffStrategy] = Registry("handoffs", {"fresh-with-summary": FreshWithSummary})


def evaluator_for(executor: Executor, tools: Toolbox) -> Evaluator:
    """The evaluator that carries ``executor`` out.

    Raises:
        UsageError: this version has none.
    """
    match executor:
        case ShellExecutor():
            return ShellEvaluator(tools)
        case ProviderExecutor(name=name, config=config):
            return EVALUATORS.make(name, config=config, tools=tools)
        case _:
            raise UsageError(
                f"evaluators of the kind {executor.kind} are not available in this version",
                next_step='use --stop "COMMAND"',
            )
