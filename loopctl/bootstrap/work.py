"""The work of a loop: which tree it is, and how far it is proved."""

from loopctl.domain.criteria import Verdict
from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.loop import LoopState
from loopctl.domain.snapshot import Snapshot
from loopctl.domain.stop import Status


def seen_tree(state: LoopState, snapshot: Snapshot) -> str:
    """The tree that the evaluators saw, which is what a verdict is about.

    Protected paths are as at the base commit in it, unless every evaluator ran where the agent
    works.
    """
    in_place = all(spec.isolation is Isolation.SAME_WORKSPACE for spec in state.spec.evaluators)
    return snapshot.tree if in_place else snapshot.judged_tree


def doubt(state: LoopState) -> str:
    """What must be said of work that is not proved; ``""`` when it is."""
    if state.status is Status.COMPLETED:
        return ""
    if state.snapshot is None:
        return "no round has left a snapshot"
    what = f"the tree after round {state.snapshot.round}"
    ledger = state.ledger
    if not ledger.judged or ledger.tree != state.snapshot.judged_tree:
        return f"{what} was not judged"
    passed = sum(entry.verdict is Verdict.PASS for entry in ledger.entries)
    return f"{what} was judged: {passed} of {len(ledger.entries)} criteria passed"
