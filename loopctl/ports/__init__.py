"""Every seam of loopctl: what the driver needs from the world, as Protocols.

Agents, evaluators, budget policies, pricing and handoff strategies can be replaced by a plug-in.
The others have one implementation each; they are here so that the driver depends on none of
them. Implementations report what happened and decide nothing: policy is the machine's.
"""

from loopctl.ports.agent import Abilities, AgentRunner, AgentSession, SessionRequest, StopSignal
from loopctl.ports.evaluation import (
    Checkout,
    Checkouts,
    EvaluationRequest,
    Evaluator,
    JudgeSession,
    WorkFacts,
)
from loopctl.ports.record import ActivityObserver, Command, Journal, LogEntry, Observer
from loopctl.ports.sandbox import AgentSandbox, SandboxedSession
from loopctl.ports.spending import (
    Admission,
    BudgetPolicy,
    Meter,
    PricingProvider,
    Refusal,
    RoundForecast,
)
from loopctl.ports.tooling import (
    Activity,
    Ask,
    Asked,
    ToolAnswer,
    ToolCaller,
    ToolDesk,
    ToolSeat,
    ignore_activity,
)
from loopctl.ports.work import (
    Difference,
    HandoffStrategy,
    PreparedWorkspace,
    Processes,
    Workspace,
)

__all__ = [
    "Abilities",
    "Activity",
    "ActivityObserver",
    "Admission",
    "AgentRunner",
    "AgentSandbox",
    "AgentSession",
    "Ask",
    "Asked",
    "BudgetPolicy",
    "Checkout",
    "Checkouts",
    "Command",
    "Difference",
    "EvaluationRequest",
    "Evaluator",
    "HandoffStrategy",
    "Journal",
    "JudgeSession",
    "LogEntry",
    "Meter",
    "Observer",
    "PreparedWorkspace",
    "PricingProvider",
    "Processes",
    "Refusal",
    "RoundForecast",
    "SandboxedSession",
    "SessionRequest",
    "StopSignal",
    "ToolAnswer",
    "ToolCaller",
    "ToolDesk",
    "ToolSeat",
    "WorkFacts",
    "Workspace",
    "ignore_activity",
]
