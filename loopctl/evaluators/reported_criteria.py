"""What the criteria of a command's report come to, beside how the command ended.

Invariant: the end of the command and the floor of its results only ever take a PASS away. A PASS
of the report has no evidence but its own, so that one without any is refused by the ledger.
"""

from collections.abc import Callable, Iterator

from loopctl.domain.criteria import CriterionReport, ExitState, Verdict
from loopctl.domain.written_report import WrittenCriterion
from loopctl.evaluators.evidence import one_line
from loopctl.process.text import plain_text

MAX_LINES = 20
NO_EVIDENCE = "the report gives no evidence"


def reported_criteria(
    reported: tuple[WrittenCriterion, ...],
    *,
    declared: tuple[str, ...] | None,
    state: ExitState,
    breaches: tuple[str, ...],
    run: tuple[str, ...],
    mask: Callable[[str], str],
) -> tuple[CriterionReport, ...]:
    """The criteria with their evidence, in the order of the report.

    Args:
        reported: what the report says.
        declared: the names that were declared; None takes what the report names.
        state: how the command ended; it was seen to run.
        breaches: why an exit status of 0 proves nothing.
        run: what the run itself shows, for the first criterion that has to be explained.
        mask: takes secrets out of a text.
    """
    known = [entry for entry in reported if declared is None or entry.name in declared]
    objection = mask(one_line(_objection(known, state, breaches)))
    explained = False
    criteria = []
    for entry in reported:
        own = tuple(_lines(entry.evidence, mask))
        verdict, why = _outcome(entry.verdict, objection, ended=_ended(state))
        if verdict is Verdict.PASS:
            evidence = own
        else:
            why = why or ("" if own else NO_EVIDENCE)
            evidence = (*((why,) if why else ()), *own)
            evidence += run if why and not explained else ()
            explained = explained or bool(why)
        criteria.append(CriterionReport(name=entry.name, verdict=verdict, evidence=evidence))
    return tuple(criteria)


def _objection(known: list[WrittenCriterion], state: ExitState, breaches: tuple[str, ...]) -> str:
    """Why no PASS of the report stands; ``""`` when they do."""
    if not _ended(state):
        return f"{state}: no PASS stands when the command does not end by itself"
    if breaches:
        return "; ".join(breaches)
    if state.code != 0 and all(entry.verdict is Verdict.PASS for entry in known):
        return f"{state} contradicts the report, in which everything passes"
    return ""


def _ended(state: ExitState) -> bool:
    return state.code is not None and not state.timed_out


def _outcome(verdict: Verdict, objection: str, *, ended: bool) -> tuple[Verdict, str]:
    """The verdict that stands, and why it is another one than the report's."""
    if not objection or verdict is Verdict.FAIL or (verdict is Verdict.ERROR and ended):
        return verdict, ""
    return Verdict.FAIL, objection


def _lines(evidence: tuple[str, ...], mask: Callable[[str], str]) -> Iterator[str]:
    """The lines of the evidence that say something, each on one line, and not too many."""
    plain = (plain_text(text.encode()) for text in evidence)
    lines = [line for text in plain for line in text.splitlines() if line.strip()]
    yield from (one_line(mask(line)) for line in lines[:MAX_LINES])
    if len(lines) > MAX_LINES:
        yield f"and {len(lines) - MAX_LINES} more lines"
