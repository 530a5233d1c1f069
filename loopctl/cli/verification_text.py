"""What a verification came to, as labelled rows and as JSON."""

from collections.abc import Iterator
from typing import Any

from loopctl.cli.table import labelled
from loopctl.domain.verification import (
    BaselineAgain,
    JudgedAgain,
    Lookup,
    Shown,
    Verification,
)
from loopctl.observe.plain import count, listing, one_line, short
from loopctl.observe.summary import Row

SCHEMA = "loopctl.verify/1"
_OBJECT_ID = 40
_SHOWN_LINES = 20


def verification_text(verification: Verification) -> str:
    """A line for each thing that was looked up or judged again; the outcome at the end."""
    return labelled([*_rows(verification)])


def verification_object(verification: Verification) -> dict[str, Any]:
    """The document of ``verify --json``."""
    document = verification.model_dump(mode="json")
    return {"schema": SCHEMA, "outcome": verification.outcome, **document}


def _rows(verification: Verification) -> Iterator[Row]:
    snapshot = f"snapshot {short(verification.commit)}" if verification.commit else "base commit"
    yield "loop", f"{one_line(verification.loop)}, {snapshot}"
    changed = [lookup for lookup in verification.lookups if not lookup.holds]
    same = [lookup.what for lookup in verification.lookups if lookup.holds]
    yield from (("changed", _changed(lookup)) for lookup in changed)
    if same:
        yield "as stored", ", ".join(same)
    yield from (("baseline", _baseline(run)) for run in verification.baseline)
    for entry in verification.criteria:
        yield from _criterion(entry, verification)
    yield from (("note", one_line(note)) for note in verification.notes)
    yield "outcome", _outcome(verification)


def _changed(lookup: Lookup) -> str:
    why = f" ({one_line(lookup.why)})" if lookup.why else ""
    return f"{lookup.what}: was {_id(lookup.was)}, is {_id(lookup.now)}{why}"


def _id(text: str) -> str:
    is_id = len(text) >= _OBJECT_ID and text.isalnum()
    return short(text) if is_id else one_line(text)


def _baseline(run: BaselineAgain) -> str:
    was = _verdict(run.was, run.suite_was)
    return f"{one_line(run.evaluator)}: {_verdict(run.now, run.suite_now)} (was {was})"


def _verdict(verdict: object, suite: object) -> str:
    figures = "" if suite is None else f", {suite}"
    return f"{verdict or 'not judged'}{figures}"


def _criterion(entry: JudgedAgain, verification: Verification) -> Iterator[Row]:
    was = f"{entry.was or 'not judged'}: {one_line(entry.was_because or '-')}"
    if entry.now is None:
        paid = entry.evaluator in verification.not_asked
        how = "not asked (--judge asks it, and it is paid for)" if paid else "not judged"
    else:
        how = f"{entry.now}: {one_line(entry.now_because or entry.criterion)}"
    label = "shown" if entry.holds else "not shown"
    yield label, f"{one_line(entry.evaluator)}: {how} (was {was})"
    hidden = len(entry.evidence) - _SHOWN_LINES
    for line in entry.evidence[1:_SHOWN_LINES]:
        yield "", one_line(line)
    if hidden > 0:
        yield "", f"and {count(hidden, 'line')} more (--json has all)"


def _outcome(verification: Verification) -> str:
    match verification.outcome:
        case Shown.AGAIN:
            left = verification.not_asked
            but = f", but for {listing(left)}, which was not asked" if left else ""
            return f"{Shown.AGAIN}{but}"
        case Shown.NOT_JUDGED:
            return f"could not be judged again: {one_line(verification.problem)}"
        case Shown.NOT_AGAIN:
            stored = any(not lookup.holds for lookup in verification.lookups)
            if stored and not verification.tree:
                return f"{Shown.NOT_AGAIN}; nothing was run (--keep-going runs it all the same)"
            return str(Shown.NOT_AGAIN)
