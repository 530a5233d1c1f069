"""What the evaluators said: one row for each run, with its criteria and their evidence.

Invariant: a report is read back whole or not at all; a report with a criterion that does not
fit is left out, so that no verdict can get better by losing a row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json
from sqlalchemy import Connection, Row, bindparam, select

from loopctl.domain.criteria import EvaluatorReport, Verdict
from loopctl.domain.evaluator_spec import EvaluatorSpec
from loopctl.domain.hardening import Hardening
from loopctl.domain.stage import Stage
from loopctl.store.database import Database
from loopctl.store.payload import log_invalid
from loopctl.store.tables import criteria, evaluations

_OF_LOOP = evaluations.c.loop_id == bindparam("of_loop")
_OF_ROUND = (
    select(evaluations)
    .where(_OF_LOOP, evaluations.c.round == bindparam("of_round"))
    .order_by(evaluations.c.id)
)
_ON_TREE = (
    select(evaluations)
    .where(
        _OF_LOOP,
        evaluations.c.tree == bindparam("tree"),
        evaluations.c.digest == bindparam("digest"),
        evaluations.c.verdict != Verdict.ERROR,
    )
    .order_by(evaluations.c.id.desc())
    .limit(1)
)
_CRITERIA = (
    select(criteria)
    .where(criteria.c.evaluation_id == bindparam("of_evaluation"))
    .order_by(criteria.c.position)
)


@dataclass(frozen=True)
class StoredEvaluation:
    """One run of one evaluator.

    Attributes:
        round: 0 for the baseline.
        attempt: counted from 1.
        at: when it was reported, Unix seconds.
        report: what it said, with the whole evidence.
    """

    round: int
    attempt: int
    at: float
    report: EvaluatorReport


def evaluations_of(
    database: Database, loop_id: str, round_number: int
) -> tuple[StoredEvaluation, ...]:
    """All runs of a round, oldest first; those of the baseline are in round 0."""
    with database.read() as connection:
        return _read(connection, _OF_ROUND, {"of_loop": loop_id, "of_round": round_number})


def newest_reports(
    connection: Connection, loop_id: str, round_number: int
) -> tuple[EvaluatorReport, ...]:
    """The last word of each evaluator on a round; with new tests it has one more."""
    key = {"of_loop": loop_id, "of_round": round_number}
    reports = [entry.report for entry in _read(connection, _OF_ROUND, key)]
    newest = {(report.evaluator, report.stage is Stage.NEW_TESTS): report for report in reports}
    return tuple(newest.values())


def newest_verdicts(
    database: Database, loop_id: str, tree: str, specs: Sequence[EvaluatorSpec]
) -> tuple[EvaluatorReport, ...]:
    """The newest PASS or FAIL of each evaluator on ``tree``, with the round it came from."""
    found: list[EvaluatorReport] = []
    with database.read() as connection:
        for spec in specs:
            key = {"of_loop": loop_id, "tree": tree, "digest": spec.digest}
            for entry in _read(connection, _ON_TREE, key):
                first = entry.report.reused_from
                origin = entry.round if first is None else first
                found.append(entry.report.evolve(evaluator=spec.name, reused_from=origin))
    return tuple(found)


def _read(
    connection: Connection, statement: Any, key: dict[str, Any]
) -> tuple[StoredEvaluation, ...]:
    entries = []
    for row in connection.execute(statement, key).all():
        judged = connection.execute(_CRITERIA, {"of_evaluation": row.id}).all()
        report = _report(row, judged)
        if report is not None:
            entries.append(StoredEvaluation(row.round, row.attempt, row.at, report))
    return tuple(entries)


def _report(row: Row[Any], judged: Sequence[Row[Any]]) -> EvaluatorReport | None:
    try:
        report = EvaluatorReport.model_validate(
            {
                "evaluator": row.evaluator,
                "digest": row.digest,
                "tree": row.tree,
                "isolation": row.isolation,
                "exit": row.exit,
                "duration_s": row.duration_s,
                "log": row.log,
                "reused_from": row.reused_from,
                "suite": None if row.suite_json is None else from_json(row.suite_json),
                "hardening": row.hardening or Hardening.NONE,
                "provisional": bool(row.provisional),
                "stage": row.stage or Stage.FIRST,
                "moved": () if row.moved_json is None else from_json(row.moved_json),
                "judged": None if row.judged_json is None else from_json(row.judged_json),
                "warnings": from_json(row.warnings_json),
                "criteria": [
                    {
                        "name": criterion.name,
                        "verdict": criterion.verdict,
                        "evidence": from_json(criterion.evidence_json),
                    }
                    for criterion in judged
                ],
            }
        )
    except ValueError as error:
        log_invalid(f"evaluation {row.id}", error)
        return None
    if report.verdict != row.verdict:
        log_invalid(f"evaluation {row.id}", f"it says {row.verdict}, its criteria {report.verdict}")
        return None
    return report
