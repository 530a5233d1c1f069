"""From a judge's answer to the verdicts that count.

Invariant: a criterion is PASS only by exactly one entry under its exact name that says so and rests
on a citation that holds, or on a search that shows that there is nothing. A FAIL needs no evidence.
Contradictions are ERROR: they are the judge's fault and not the work's.
"""

from dataclasses import dataclass

from loopctl.domain.criteria import CriterionReport, Verdict
from loopctl.domain.evaluator_spec import Rubric
from loopctl.evaluators.llm_judge.citations import CitedFiles, LookedUp
from loopctl.evaluators.llm_judge.searches import Searches
from loopctl.evaluators.llm_judge.verdicts import JudgedCriterion, Verdicts
from loopctl.prompts.revealing import revealed


@dataclass(frozen=True)
class Ruling:
    """The verdicts that count, and what is wrong with the answer that they were made of.

    Attributes:
        criteria: a report for each criterion of the rubric, in its order; neither masked nor cut.
        faults: what the judge could still put right, in words for it.
        unknown: names in the answer that are no criteria.
    """

    criteria: tuple[CriterionReport, ...]
    faults: tuple[str, ...]
    unknown: tuple[str, ...]


def rule(rubric: Rubric, answer: Verdicts, files: CitedFiles, searches: Searches) -> Ruling:
    """The ruling on an answer."""
    names = rubric.declared or ()
    criteria, faults = [], []
    for name in names:
        entries = [entry for entry in answer.criteria if entry.name == name]
        report, fault = _ruled(name, entries, files, searches)
        criteria.append(report)
        faults += [f"{name}: {fault}"] if fault else []
    unknown = tuple(entry.name for entry in answer.criteria if entry.name not in names)
    faults += [f"there is no criterion {name!r}" for name in unknown]
    return Ruling(tuple(criteria), tuple(faults), unknown)


def _ruled(
    name: str, entries: list[JudgedCriterion], files: CitedFiles, searches: Searches
) -> tuple[CriterionReport, str]:
    """The report on one criterion, and the fault in its entries."""
    if not entries:
        fault = "the judge gave no verdict on it"
        return CriterionReport(name=name, verdict=Verdict.FAIL, evidence=(fault,)), fault
    if len(entries) > 1:
        said = ", ".join(entry.verdict for entry in entries)
        fault = f"the judge gave {len(entries)} verdicts on it: {said}"
        return CriterionReport(name=name, verdict=Verdict.ERROR, evidence=(fault,)), fault
    entry = entries[0]
    places = tuple(map(files.look_up, entry.evidence))
    lines = tuple(map(_shown, places))
    if entry.verdict == "FAIL":
        evidence = (_text(entry.reason), *(line for line in lines if line))
        return CriterionReport(name=name, verdict=Verdict.FAIL, evidence=evidence), ""
    holding = [line for line, place in zip(lines, places, strict=True) if not place.problem]
    weak = [line for line, place in zip(lines, places, strict=True) if place.problem]
    absence, weakness = _absence(entry.search, searches)
    weak += [weakness] if weakness else []
    if holding or absence:
        evidence = (*holding, *absence, f"the judge's words: {_text(entry.reason)}", *weak)
        return CriterionReport(name=name, verdict=Verdict.PASS, evidence=evidence), ""
    problem = "; ".join(weak) or "it has none"
    fault = f"the judge said PASS, and its evidence does not hold: {problem}"
    evidence = (fault, f"the judge's words: {_text(entry.reason)}", *weak)
    return CriterionReport(name=name, verdict=Verdict.FAIL, evidence=evidence), fault


def _absence(identifier: str | None, searches: Searches) -> tuple[list[str], str]:
    """The search that shows that there is nothing, or why it does not."""
    if not identifier:
        return [], ""
    kept = searches.get(identifier)
    if kept is None:
        return [], f"there was no search {_text(identifier)!r}"
    if kept.weakness:
        return [], f"{_text(kept.summary)}: {kept.weakness}"
    return [_text(kept.summary)], ""


def _shown(place: LookedUp) -> str:
    """A citation as a line of evidence; what does not hold is not quoted."""
    file = _text(place.citation.file)
    if place.problem:
        return f"{file}:{place.citation.line} does not hold: {_text(place.problem)}"
    return f"{file}:{place.line}: {_text(place.citation.quote)}"


def _text(text: str) -> str:
    """The text on one line, whole: what is cut could no more be recognised as a secret."""
    return " ".join(revealed(text).split())
