"""The evidence behind a result as labelled rows: the plain facts, then what was odd.

Invariant: a row is there only when it says something, and a list says how much it leaves out.
"""

from collections.abc import Iterable, Iterator

from loopctl.domain.alert import Harm, alert_text
from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.evidence import Evidence, HeldOut, LeftRunning, Run
from loopctl.domain.hardening import Hardening
from loopctl.domain.promises import PROMISES
from loopctl.domain.stage import Stage
from loopctl.observe.plain import count, duration, listing, one_line, short
from loopctl.observe.stage_text import STAGES
from loopctl.observe.summary import Row

_SHOWN = 5
_HELD_OUT = {
    HeldOut.NOT_RUN: "was not run: it waits until all else has passed",
    HeldOut.PASSED: "passed: checks that the agent never saw",
    HeldOut.FAILED: "failed: checks that the agent never saw",
    HeldOut.NOT_JUDGED: "could not be run; its log says why",
}


def evidence_rows(evidence: Evidence) -> Iterator[Row]:
    """What the end card says beside the verdicts."""
    snapshot = f"snapshot {short(evidence.commit)}, " if evidence.commit else ""
    if evidence.judged_tree:
        base = short(evidence.base_commit)
        yield "judged", f"{snapshot}tree {short(evidence.judged_tree)}, base commit {base}"
    yield from _counts(evidence)
    yield from isolation_rows(evidence.isolations)
    if evidence.sandbox is not None:
        yield "sandbox", f"the agent worked in one ({evidence.sandbox})"
    elif Isolation.CONTAINER in evidence.isolations:
        yield "sandbox", "none: the agent worked outside of the container, as you"
    yield from _how_surely(evidence)
    yield from _oddities(evidence)


def isolation_rows(isolations: Iterable[Isolation]) -> Iterator[Row]:
    """What each place in which verdicts were made does not promise."""
    for isolation in dict.fromkeys(isolations):
        yield "isolation", f"{isolation} does not promise: {PROMISES[isolation].in_short}"


def whole_card(evidence: Evidence) -> Iterator[Row]:
    """Every run on the tree that counts, and all that the end card says of them."""
    for run in evidence.runs:
        yield "ran", _ran(run)
    for tool in evidence.tools[:_SHOWN]:
        where = "" if tool.name == tool.real else f"{one_line(tool.real)}, "
        yield "program", f"{one_line(tool.name)}: {where}SHA-256 {short(tool.digest)}"
    yield from _more("program", evidence.tools)
    for change in evidence.restored:
        yield "restored", f"{one_line(change.path)} ({change.kind}), protected"
    yield from evidence_rows(evidence)


def _ran(run: Run) -> str:
    how = f"{one_line(run.exit)} after " if run.exit else ""
    log = f", log {one_line(run.log)}" if run.log else ""
    return (
        f"{run.verdict} {one_line(run.evaluator)}{STAGES[run.stage]}: {how}"
        f"{duration(run.duration_s)}: {listing(run.criteria)} [{run.isolation}{log}]"
    )


def _counts(evidence: Evidence) -> Iterator[Row]:
    last = {
        (run.evaluator, run.stage): run for run in evidence.runs if run.stage is not Stage.AGAIN
    }
    for run in last.values():
        if run.suite is not None:
            base = "" if run.base_suite is None else f"; base commit {run.base_suite}"
            yield "tests", f"{one_line(run.evaluator)}{STAGES[run.stage]}: {run.suite}{base}"


def _how_surely(evidence: Evidence) -> Iterator[Row]:
    if evidence.confirm > 1:
        times = f"{evidence.shown} of {count(evidence.confirm, 'time')}"
        yield "confirmed", f"everything has passed {times} on this tree"
    if evidence.holdout is not HeldOut.NONE:
        yield "hold-out", _HELD_OUT[evidence.holdout]
    levels = dict.fromkeys(run.hardening for run in evidence.runs)
    for level in levels:
        if level is not Hardening.NONE:
            yield "hardened", level
    if evidence.environment:
        yield "passed on", f"variables of yours: {listing(evidence.environment)}"


def _oddities(evidence: Evidence) -> Iterator[Row]:
    if evidence.new_tests:
        use = "run as well" if evidence.new_tests_run else "not used"
        yield "new tests", f"{use}: {listing(evidence.new_tests)}"
    for path, reason in ((left.path, left.reason) for left in evidence.left_out[:_SHOWN]):
        yield "left out", f"{one_line(path)} ({one_line(reason)})"
    yield from _more("left out", evidence.left_out)
    yield from (("ended", _left(left)) for left in evidence.survivors[:_SHOWN])
    yield from _more("ended", evidence.survivors)
    if evidence.late:
        late = [f"{one.path} (round {one.round})" for one in evidence.late]
        yield "late", f"still written to when a turn had ended: {listing(late)}"
    moved = dict.fromkeys(path for run in evidence.runs for path in run.moved)
    if moved:
        yield "moved", f"written to while it was judged: {listing(tuple(moved))}"
    for harm, label in ((Harm.ACTS, "alert"), (Harm.TOLD, "meanwhile")):
        alerts = [raised for raised in evidence.alerts if raised.alert.harm is harm]
        for raised in alerts[:_SHOWN]:
            yield label, f"round {raised.round}: {one_line(alert_text(raised.alert))}"
        yield from _more(label, alerts)
    for sign in evidence.signs[:_SHOWN]:
        line = f":{sign.line}" if sign.line else ""
        text = f": {one_line(sign.text)}" if sign.text else ""
        yield "sign", f"{sign.kind} in {one_line(sign.path)}{line}{text}"
    yield from _more("sign", evidence.signs)
    yield from (("note", one_line(note)) for note in evidence.notes[:_SHOWN])
    yield from _more("note", evidence.notes)
    yield from (("warning", one_line(line)) for line in evidence.warnings[:_SHOWN])
    yield from _more("warning", evidence.warnings)


def _left(left: LeftRunning) -> str:
    found = f", found {one_line(left.found)}" if left.found else ""
    command = one_line(left.command)
    return f"round {left.round}: left running, process {left.pid}{found}: {command}"


def _more(label: str, items: Iterable[object]) -> Iterator[Row]:
    hidden = len(tuple(items)) - _SHOWN
    if hidden > 0:
        yield label, f"and {hidden} more (loopctl show NAME --json has all)"
