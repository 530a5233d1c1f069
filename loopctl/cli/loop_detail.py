"""One loop in full: as labelled rows, and as JSON."""

import posixpath
import shlex
import time
from typing import Any

from loopctl.cli.loop_list import summary_object
from loopctl.cli.remains import Remains
from loopctl.cli.stored import is_abandoned, standing
from loopctl.cli.table import labelled
from loopctl.domain.loop import LoopState
from loopctl.domain.usage import to_usd
from loopctl.domain.waiting import Wait
from loopctl.observe.evidence_card import isolation_rows
from loopctl.observe.plain import duration, iso_time, one_line, wall_clock
from loopctl.observe.summary import summary_rows
from loopctl.store.lease import Owner
from loopctl.store.loops import StoredLoop

SCHEMA = "loopctl.status/1"


def detail_text(loop: StoredLoop, state: LoopState, owner: Owner | None) -> str:
    """Everything that is known of where a loop stands."""
    rows = [
        ("loop", f"{one_line(loop.name)} ({standing(loop, owner)})"),
        ("goal", one_line(loop.goal)),
        ("in", one_line(posixpath.join(loop.repository, state.spec.cwd).removesuffix("/"))),
    ]
    if not state.is_over:
        rows.append(("at", f"round {state.round_number}, {state.phase}, {state.step}"))
    if state.waiting is not None and not is_abandoned(loop, owner):
        rows.append(("limit", _waiting(loop, state.waiting)))
    rows += [("model", _model(model, state)) for model in state.spec.models]
    if owner is not None:
        identity = owner.identity
        seen = f"last sign of life {iso_time(owner.heartbeat_at)}"
        rows.append(("driver", f"process {identity.pid} on {one_line(identity.host)}, {seen}"))
    remains = Remains(loop, state)
    judged_in = (state.evaluator(entry.evaluator).isolation for entry in state.ledger.entries)
    rows += remains.rows(summary_rows(state, tuple(isolation_rows(judged_in))))
    command = _next(loop, remains, owner)
    if command:
        rows.append(("next", command))
    return labelled(rows)


def detail_object(loop: StoredLoop, state: LoopState, owner: Owner | None) -> dict[str, Any]:
    """The document of ``status NAME --json``."""
    published = state.published
    return {
        "schema": SCHEMA,
        **summary_object(loop, owner),
        "cwd": state.spec.cwd,
        "agent": state.spec.agent,
        "models": list(state.spec.models),
        "failed_models": list(state.failed_models),
        "waiting": None if state.waiting is None else _waiting_object(state.waiting),
        "open_requests": len(state.spends),
        "budget": _budget(state),
        "spent": _spent(state),
        "evaluators": [
            {"name": spec.name, "isolation": spec.isolation} for spec in state.spec.evaluators
        ],
        "ledger": state.ledger.model_dump(mode="json"),
        "snapshot": None if state.snapshot is None else state.snapshot.model_dump(mode="json"),
        "commit": published.commit if published else "",
        "note": published.note if published else "",
        "next": _next(loop, Remains(loop, state), owner),
    }


def _next(loop: StoredLoop, remains: Remains, owner: Owner | None) -> str:
    if is_abandoned(loop, owner):
        return f"loopctl status {shlex.quote(loop.name)} --restart"
    return remains.next_command()


def _waiting(loop: StoredLoop, wait: Wait) -> str:
    left = wait.until - time.time()
    when = f"in {duration(left)}" if left > 0 else "any moment"
    problem = f": {one_line(wait.problem)}" if wait.problem else ""
    retry = f"loopctl retry-now {shlex.quote(loop.name)}"
    return f"waiting until {wall_clock(wait.until)} ({when}){problem}; now: {retry}"


def _waiting_object(wait: Wait) -> dict[str, Any]:
    return {"until": iso_time(wait.until), "problem": wait.problem}


def _model(model: str, state: LoopState) -> str:
    return f"{one_line(model)}{' (cannot be used)' if model in state.failed_models else ''}"


def _budget(state: LoopState) -> dict[str, Any]:
    budget = state.budget
    return {
        "max_rounds": budget.max_rounds,
        "max_tokens": budget.max_tokens,
        "max_usd": _usd(budget.max_micro_usd),
        "max_time_s": budget.max_time_s,
        "per_round_usd": _usd(budget.per_round_micro_usd),
    }


def _spent(state: LoopState) -> dict[str, Any]:
    """``usd`` is ``null`` when the cost of a turn is unknown, ``known_usd`` what is known of it."""
    spent = state.spent
    return {
        "rounds": state.last_round,
        "rounds_since_restart": spent.rounds,
        "tokens": spent.tokens,
        "usd": None if spent.unknown_turns else to_usd(spent.micro_usd),
        "known_usd": to_usd(spent.micro_usd),
        "unknown_turns": spent.unknown_turns,
        "worked_s": spent.worked_s,
        "waited_s": spent.waited_s,
    }


def _usd(micro: int | None) -> float | None:
    return None if micro is None else to_usd(micro)
