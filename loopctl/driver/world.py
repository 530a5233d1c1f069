"""Everything outside the machine that one driver works with, put together by ``bootstrap``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.ports import (
    Activity,
    ActivityObserver,
    AgentRunner,
    AgentSandbox,
    BudgetPolicy,
    Checkouts,
    Evaluator,
    HandoffStrategy,
    Journal,
    Observer,
    PricingProvider,
    Processes,
    ToolDesk,
    Workspace,
)


@dataclass(frozen=True)
class World:
    """The ports of one loop.

    Attributes:
        journal: where decisions are written.
        workspace: the worktree and its snapshots.
        checkouts: the places where evaluators run.
        processes: what was started and must end.
        agent: who does the work.
        evaluators: who judges it, by the name in the specification.
        policy: who admits rounds.
        pricing: who knows what a turn cost.
        strategy: who writes the next prompt.
        observers: who sees what was committed.
        desk: where agent sessions reach loopctl's tools.
        environment: the agent's variables for a round.
        own_environment: loopctl's own variables, with the keys of providers.
        logs: folder of the loop's log files.
        sandbox: what the agent's sessions can see; ``None`` runs them as they are.
    """

    journal: Journal
    workspace: Workspace
    checkouts: Checkouts
    processes: Processes
    agent: AgentRunner
    evaluators: Mapping[str, Evaluator]
    policy: BudgetPolicy
    pricing: PricingProvider
    strategy: HandoffStrategy
    observers: tuple[Observer, ...]
    desk: ToolDesk
    environment: Callable[[int], Mapping[str, str]]
    own_environment: Mapping[str, str]
    logs: Path
    sandbox: AgentSandbox | None = None

    def show(self, activity: Activity) -> None:
        """Let whoever watches see what an agent session does."""
        for observer in self.observers:
            if isinstance(observer, ActivityObserver):
                observer.show(activity)
