"""The rounds of a loop as the document of ``show --json``."""

from typing import Any

from loopctl.cli.rounds import History, ShownRound
from loopctl.domain.evidence import Evidence
from loopctl.domain.usage import to_usd
from loopctl.observe.plain import iso_time
from loopctl.store.agent_sessions import StoredConcern, StoredSession
from loopctl.store.evaluations import StoredEvaluation
from loopctl.store.rounds import StoredRound

SCHEMA = "loopctl.show/1"


def rounds_object(history: History, evidence: Evidence) -> dict[str, Any]:
    """The document of ``show --json``."""
    return {
        "schema": SCHEMA,
        "loop": history.loop.name,
        "id": history.loop.id,
        "logs": str(history.logs),
        "evidence": evidence.model_dump(mode="json"),
        "rounds": [_round_object(entry) for entry in history.rounds],
    }


def _round_object(entry: ShownRound) -> dict[str, Any]:
    return {
        "round": entry.number,
        **({} if entry.stored is None else _row_object(entry.stored)),
        "duration_s": entry.duration_s,
        "usd": None if entry.micro_usd is None else to_usd(entry.micro_usd),
        "usage": [usage.model_dump(mode="json") for usage in entry.usage],
        "turns": [_session_object(session) for session in entry.sessions],
        "handoffs": [
            {"status": handoff.status, **handoff.payload.model_dump(mode="json")}
            for handoff in entry.handoffs
        ],
        "concerns": [_concern_object(raised) for raised in entry.concerns],
        "evaluations": [_evaluation_object(evaluation) for evaluation in entry.evaluations],
        **({} if entry.prompt is None else {"prompt": entry.prompt}),
    }


def _concern_object(raised: StoredConcern) -> dict[str, Any]:
    return {
        "session": raised.session_id,
        "at": iso_time(raised.at),
        "source": raised.source,
        "severity": raised.severity,
        "policy": raised.policy,
        "concern": raised.concern,
    }


def _evaluation_object(evaluation: StoredEvaluation) -> dict[str, Any]:
    return {
        "attempt": evaluation.attempt,
        "at": iso_time(evaluation.at),
        "verdict": evaluation.report.verdict,
        **evaluation.report.model_dump(mode="json"),
    }


def _session_object(session: StoredSession) -> dict[str, Any]:
    return {
        "session": session.id,
        "role": session.role,
        "prompt_digest": session.digest,
        "prompted_at": iso_time(session.prompted_at),
        "result": None if session.result is None else session.result.model_dump(mode="json"),
    }


def _row_object(row: StoredRound) -> dict[str, Any]:
    return {
        "outcome": row.outcome,
        "verdict": row.verdict,
        "passed": row.passed,
        "judged": row.judged,
        "changed": row.changed,
        "tests_passed": row.tests_passed,
        "tests_total": row.tests_total,
        "partial": row.partial,
        "prompted_at": iso_time(row.prompted_at),
        "closed_at": None if row.closed_at is None else iso_time(row.closed_at),
        "snapshot": None if row.snapshot is None else row.snapshot.model_dump(mode="json"),
    }
