"""Gathers what loopctl itself knows of the work that a judge is shown."""

from loopctl.domain.loop import LoopState
from loopctl.ports import WorkFacts, Workspace


async def work_facts(state: LoopState, tree: str, workspace: Workspace, most: int) -> WorkFacts:
    """The facts about ``tree``, the judged one.

    A patch of more than ``most`` bytes is cut; a judge that is shown a cut one cannot say PASS.
    """
    difference = await workspace.difference(tree, most)
    restored = () if state.snapshot is None else state.snapshot.restored
    reports = () if state.evaluation is None else state.evaluation.reports
    return WorkFacts(
        goal=state.spec.goal,
        changes=difference.overview,
        restored=tuple(f"{change.path} ({change.kind})" for change in restored),
        results=tuple(
            f"{entry.verdict} {entry.name}: {' '.join(entry.headline)}"
            for report in reports
            for entry in report.criteria
        ),
        diff=difference.patch,
        diff_cut=difference.is_cut,
    )
