"""Whether the last rounds show that the loop goes nowhere.

Only rounds in which the agent did its work count: a failed agent or a failed evaluator is no
evidence that the goal cannot be reached.
"""

from loopctl.domain.stop import ApprovalRequired, Stuck, StuckPattern
from loopctl.domain.value import Value

UNCHANGED_ROUNDS = 4
RESTORED_ROUNDS = 2
AGENT_ERRORS = 3


class Streaks(Value):
    """How often in a row something happened.

    Attributes:
        agent_errors: turns that failed without a change, or came to nothing.
        unchanged: rounds after which the judged tree was the same as before.
        restored_only: rounds that changed nothing but protected paths.
    """

    agent_errors: int = 0
    unchanged: int = 0
    restored_only: int = 0


def verdict_on(streaks: Streaks, tree: str, failing: str) -> Stuck | ApprovalRequired | None:
    """The reason to stop that ``streaks`` give after a dirty round, if any.

    Args:
        streaks: counted up to and with this round.
        tree: the tree that did not change.
        failing: headline of the evidence that did not change.
    """
    if streaks.restored_only >= RESTORED_ROUNDS:
        return ApprovalRequired(
            reason=f"{streaks.restored_only} rounds in a row changed protected paths alone, "
            "which are restored before every evaluation; open them with --allow GLOB, "
            "or restart to let the agent try again"
        )
    if streaks.unchanged >= UNCHANGED_ROUNDS:
        return Stuck(
            pattern=StuckPattern.NO_PROGRESS,
            detail=f"{streaks.unchanged} rounds left the tree {tree[:12]} as it was; "
            f"still failing: {failing}",
        )
    return None
