"""The rounds of a loop as a table, and one of them in full."""

from collections.abc import Iterator

from loopctl.cli.rounds import History, ShownRound
from loopctl.cli.table import labelled, table
from loopctl.domain.agent_session import TurnResult
from loopctl.domain.alert import Harm, alert_text
from loopctl.domain.criteria import EvaluatorReport
from loopctl.domain.handoff import Handoff, ObservedHandoff
from loopctl.domain.snapshot import PathChange, Snapshot
from loopctl.observe.plain import block, count, dollars, duration, iso_time, one_line, short
from loopctl.observe.signs_text import sign_text
from loopctl.store.evaluations import StoredEvaluation

_HEAD = ("ROUND", "TURN", "CHANGED", "VERDICT", "PASSED", "TESTS", "COST", "TIME")


def rounds_table(history: History) -> str:
    """One line for each round, the baseline first."""
    return table(_HEAD, [_cells(entry) for entry in history.rounds])


def round_text(entry: ShownRound) -> str:
    """One round in full: turn, snapshot, evaluations with their evidence, prompt."""
    parts = [labelled([*_turn_rows(entry)])]
    parts += [_evaluation_text(evaluation) for evaluation in entry.evaluations]
    if entry.prompt:
        parts.append(f"prompt:\n{_indented(entry.prompt)}")
    return "\n\n".join(part for part in parts if part)


def _cells(entry: ShownRound) -> tuple[str, ...]:
    row = entry.stored
    time = "-" if entry.duration_s is None else duration(entry.duration_s)
    if row is None:
        passed = sum(evaluation.report.verdict == "PASS" for evaluation in entry.evaluations)
        judged = f"{passed}/{len(entry.evaluations)}" if entry.evaluations else "-"
        return ("baseline", "-", "-", "-", judged, _tests(entry) or "-", "-", "-")
    cost = "unknown" if entry.micro_usd is None else dollars(entry.micro_usd)
    passed_of = f"{row.passed}/{row.judged}" if row.judged else "-"
    changed = "-" if row.snapshot is None else str(row.changed)
    verdict = row.verdict or "-"
    tests = row.tests or "-"
    return (str(row.number), row.outcome or "open", changed, verdict, passed_of, tests, cost, time)


def _tests(entry: ShownRound) -> str:
    """The baseline's tests in figures."""
    suites = [each.report.suite for each in entry.evaluations if each.report.suite is not None]
    if not suites:
        return ""
    return f"{sum(each.passed for each in suites)}/{sum(each.total for each in suites)}"


def _turn_rows(entry: ShownRound) -> Iterator[tuple[str, str]]:
    row = entry.stored
    if row is None:
        yield "round", "0 (the baseline: the base commit as it is)"
        return
    yield "round", f"{row.number}{' (cut short)' if row.partial else ''}"
    for session in entry.sessions:
        if not session.digest:  # a judge's: the loop does not prompt it
            continue
        yield "prompt", f"{short(session.digest)}, stored {iso_time(session.prompted_at)}"
        if session.result is not None:
            yield "turn", _turn(session.result)
    if row.snapshot is not None:
        yield from _snapshot_rows(row.snapshot)
    for handoff in entry.handoffs:
        yield "handoff", f"{handoff.payload.kind}, {handoff.status}"
        for claim in _claims(handoff.payload):
            yield "claim", one_line(claim)
    for raised in entry.concerns:
        yield "concern", f"{raised.source}, {raised.severity}: {one_line(raised.concern)}"
    yield "cost", "unknown" if entry.micro_usd is None else dollars(entry.micro_usd)
    if row.verdict is not None:
        tests = f", {row.tests} tests" if row.tests else ""
        yield "verdict", f"{row.verdict}, {row.passed} of {row.judged} passed{tests}"


def _turn(turn: TurnResult) -> str:
    parts = [one_line(turn.exit)] if turn.exit else []
    text = f"{turn.outcome} ({', '.join([*parts, duration(turn.duration_s)])})"
    text += f": {one_line(turn.problem)}" if turn.problem else ""
    return f"{text}, log {one_line(turn.log)}" if turn.log else text


def _claims(handoff: Handoff) -> list[str]:
    """What the agent says: a line for each thing that it wrote itself; the output is one text."""
    if isinstance(handoff, ObservedHandoff):
        return [handoff.claim] if handoff.claim else []
    return handoff.claim.splitlines()


def _snapshot_rows(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    yield "snapshot", f"commit {short(snapshot.commit)}, tree {short(snapshot.tree)}"
    yield "judged", f"tree {short(snapshot.judged_tree)}"
    for change in snapshot.changes:
        yield "changed", _change(change)
    unlisted = snapshot.changed - len(snapshot.changes)
    if unlisted > 0:
        yield "changed", f"and {count(unlisted, 'path')} more"
    for change in snapshot.restored:
        yield "restored", f"{_change(change)}, protected"
    for left in snapshot.left_out:
        yield "left out", f"{one_line(left.path)} ({one_line(left.reason)})"
    for sign in snapshot.signs:
        yield "sign", sign_text(sign)
    for alert in snapshot.alerts:
        yield "alert" if alert.harm is Harm.ACTS else "meanwhile", one_line(alert_text(alert))
    for path in snapshot.late:
        yield "late", one_line(path)
    for note in snapshot.notes:
        yield "note", one_line(note)


def _change(change: PathChange) -> str:
    lines = "" if change.added is None else f" (+{change.added} -{change.deleted or 0})"
    return f"{change.kind} {one_line(change.path)}{lines}"


def _evaluation_text(evaluation: StoredEvaluation) -> str:
    report = evaluation.report
    reused = "" if report.reused_from is None else f", as in round {report.reused_from}"
    log = f", log {one_line(report.log)}" if report.log else ""
    judge = "" if report.judged is None else f" ({one_line(report.judged.model)})"
    how = f"{one_line(report.exit)} after " if report.exit else ""
    head = (
        f"{report.verdict} {one_line(report.evaluator)}{judge}: {how}"
        f"{duration(report.duration_s)} [{report.isolation}, tree {short(report.tree)}, "
        f"attempt {evaluation.attempt}{reused}{log}]"
    )
    return "\n".join([head, *_evidence(report)])


def _evidence(report: EvaluatorReport) -> Iterator[str]:
    for warning in report.warnings:
        yield _indented(f"warning: {warning}")
    for criterion in report.criteria:
        yield _indented(f"{criterion.verdict} {criterion.name}")
        for line in criterion.evidence:
            yield _indented(_indented(line))


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in block(text).split("\n"))
