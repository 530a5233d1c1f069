"""How a loop stands or ended, as labelled rows: the reason, the evidence, the cost, the work."""

import shlex
from collections.abc import Iterator, Sequence

from loopctl.domain.criteria import Verdict
from loopctl.domain.evaluator_spec import SingleMetric
from loopctl.domain.ledger import LedgerEntry
from loopctl.domain.loop import LoopState
from loopctl.domain.stop import GoalMet
from loopctl.observe.plain import one_line, short
from loopctl.observe.spent_text import spent_text
from loopctl.observe.stop_text import next_command, stop_sentence

Row = tuple[str, str]
_AS_LEFT = "# with the restored paths as the agent left them"


def summary_rows(state: LoopState, evidence: Sequence[Row] = ()) -> Iterator[Row]:
    """Why a loop ended, on what evidence, what it used and where the work is.

    Args:
        state: where it stands.
        evidence: rows on what its verdicts stand on.
    """
    if state.stop is not None:
        yield "why", stop_sentence(state.stop)
    if isinstance(state.stop, GoalMet) and not state.last_round:
        yield "note", "the base commit passes already: no round was needed"
    for entry in state.ledger.entries:
        yield "evidence", _evidence(state, entry)
    if state.stop is not None and _is_dirty(state):
        yield "details", f"loopctl show {shlex.quote(state.spec.name)} --round {state.last_round}"
    if state.snapshot is not None:
        for change in state.snapshot.restored:
            yield "restored", f"{one_line(change.path)} ({change.kind}), protected"
    yield from evidence
    yield "spent", spent_text(state)
    yield from _work(state)


def _is_dirty(state: LoopState) -> bool:
    return any(entry.verdict is not Verdict.PASS for entry in state.ledger.entries)


def _evidence(state: LoopState, entry: LedgerEntry) -> str:
    isolation = state.evaluator(entry.evaluator).isolation
    judged = "" if state.ledger.judged else ", not judged"
    headline = one_line(entry.headline or entry.criterion)
    names = [entry.evaluator]
    if not isinstance(state.evaluator(entry.evaluator).criteria, SingleMetric):
        names.append(entry.criterion)
    name = one_line(" / ".join(dict.fromkeys(names)))
    return (
        f"{entry.verdict} {name}: {headline} [{isolation}, tree {short(state.ledger.tree)}{judged}]"
    )


def _work(state: LoopState) -> Iterator[Row]:
    if not state.workspace:
        yield "work", "none: no worktree and no branch are left"
        return
    branch, base = state.spec.branch, short(state.spec.base_commit)
    published = state.published
    commit = f" at {short(published.commit)}" if published and published.commit else ""
    yield "branch", f"{one_line(branch)}{commit}"
    if published and published.note:
        yield "note", one_line(published.note)
    yield "worktree", one_line(state.workspace)
    if published is None or published.commit in {"", state.spec.base_commit}:
        return  # nothing to look at, nothing to merge
    yield "diff", f"git diff {base}..{shlex.quote(branch)}"
    merge = f"git merge {shlex.quote(branch)}"
    if next_command(state) != merge:
        restored = state.snapshot is not None and state.snapshot.restored
        yield "merge", f"{merge}  {_AS_LEFT}" if restored else merge
