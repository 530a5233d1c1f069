"""What a plug-in promises, as checks that its own tests can run.

Each function exercises one seam of ``loopctl.ports`` and raises ``AssertionError`` with the
promise that was broken. They run real objects on real folders; none of them needs a repository.
The factories are the ones that a plug-in registers, called as loopctl calls them (see
``loopctl.bootstrap.builtins`` for their arguments).
"""

from loopctl.testing.conformance.agents import check_agent_runner
from loopctl.testing.conformance.evaluators import check_evaluator
from loopctl.testing.conformance.prompts import check_handoff_strategy
from loopctl.testing.conformance.spending import check_budget_policy, check_pricing

__all__ = [
    "check_agent_runner",
    "check_budget_policy",
    "check_evaluator",
    "check_handoff_strategy",
    "check_pricing",
]
