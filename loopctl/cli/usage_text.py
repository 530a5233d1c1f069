"""What a loop has used, as a table for people and as a document for programs.

Invariant: what is unknown is called so, and what counts toward a cap in its place is said.
"""

from collections.abc import Iterator
from typing import Any

from loopctl.cli.loop_list import driver_object
from loopctl.cli.stored import standing
from loopctl.cli.table import labelled, table
from loopctl.cli.usage_totals import BUCKETS, Total, Totals
from loopctl.domain.budget import Budget, Spent, figures
from loopctl.domain.loop import LoopState
from loopctl.domain.spending import OpenSpend
from loopctl.domain.usage import to_usd
from loopctl.observe.plain import count, dollars, one_line
from loopctl.observe.spent_text import spent_text
from loopctl.observe.used_text import used_text
from loopctl.store.agent_sessions import StoredUsage
from loopctl.store.lease import Owner
from loopctl.store.loops import StoredLoop

SCHEMA = "loopctl.usage/1"
UNKNOWN = "unknown"
_HEAD = (
    "",
    "REQUESTS",
    "INPUT",
    "OUTPUT",
    "REASONING",
    "CACHE READ",
    "CACHE WRITE",
    "COST",
    "SOURCE",
)


def usage_text(loop: StoredLoop, state: LoopState, owner: Owner | None, totals: Totals) -> str:
    """The caps, what is open and unknown, and a table of all totals."""
    rows = [
        ("loop", f"{one_line(loop.name)} ({standing(loop, owner)})"),
        ("spent", spent_text(state)),
    ]
    rows += [("open", _open(spend)) for spend in state.spends]
    if totals.unknown.rows:
        rows.append(("unknown", _flagged(totals.unknown)))
    if not totals.overall.rows:
        return f"{labelled(rows)}\n\nno usage is known yet"
    return f"{labelled(rows)}\n\n{table(_HEAD, list(_lines(totals)))}"


def usage_object(
    loop: StoredLoop,
    state: LoopState,
    owner: Owner | None,
    totals: Totals,
    rows: tuple[StoredUsage, ...],
) -> dict[str, Any]:
    """The document of ``usage --json``."""
    return {
        "schema": SCHEMA,
        "loop": loop.name,
        "id": loop.id,
        "status": loop.status,
        "driver": driver_object(owner),
        "total": _total_object(totals.overall),
        "models": [{"model": each.name, **_total_object(each)} for each in totals.models],
        "roles": [{"role": each.name, **_total_object(each)} for each in totals.roles],
        "rounds": [{"round": int(each.name), **_total_object(each)} for each in totals.rounds],
        "flagged_unknown": _total_object(totals.unknown),
        "open": [_open_object(spend) for spend in state.spends],
        "caps": _caps(state.budget, state.spent),
        "rows": [_row_object(row) for row in rows],
    }


def _lines(totals: Totals) -> Iterator[tuple[str, ...]]:
    yield _line("total", totals.overall)
    for total in totals.models:
        yield _line(f"model {one_line(total.name) or UNKNOWN}", total)
    for total in totals.roles:
        yield _line(f"role {total.name}", total)
    for total in totals.rounds:
        yield _line("baseline" if total.name == "0" else f"round {total.name}", total)


def _line(name: str, total: Total) -> tuple[str, ...]:
    counts = (total.requests, *(total.bucket(bucket) for bucket in BUCKETS))
    shown = (UNKNOWN if number is None else f"{number:,}" for number in counts)
    return (name, *shown, _cost(total), ", ".join(total.sources))


def _cost(total: Total) -> str:
    if total.micro_usd is not None:
        return dollars(total.micro_usd)
    counted = total.counted_micro_usd
    return f"{UNKNOWN} (counted as {dollars(counted)})" if counted else UNKNOWN


def _open(spend: OpenSpend) -> str:
    expected = used_text((spend.estimate.as_usage(),))
    return f"round {spend.round}, {spend.role}, {one_line(spend.model)}: {expected} reserved"


def _flagged(total: Total) -> str:
    if not total.counted_tokens and not total.counted_micro_usd:
        return "of a part nobody can say what it used; it counts as nothing"
    counted = f"{count(total.counted_tokens, 'token')}, {dollars(total.counted_micro_usd)}"
    return f"{counted} are counted for what has no price or was not seen to its end"


def _total_object(total: Total) -> dict[str, Any]:
    micro = total.micro_usd
    return {
        "requests": total.requests,
        **{bucket: total.bucket(bucket) for bucket in BUCKETS},
        "tokens": total.tokens,
        "usd": None if micro is None else to_usd(micro),
        "counted_tokens": total.counted_tokens,
        "counted_usd": to_usd(total.counted_micro_usd),
        "sources": list(total.sources),
    }


def _row_object(row: StoredUsage) -> dict[str, Any]:
    return {
        "session": row.session_id,
        "round": row.round,
        "role": row.role,
        **row.usage.model_dump(mode="json"),
    }


def _open_object(spend: OpenSpend) -> dict[str, Any]:
    return {
        "request": spend.request,
        "session": spend.session_id,
        "round": spend.round,
        "role": spend.role,
        "model": spend.model,
        "reserved_tokens": spend.estimate.tokens,
        "reserved_usd": to_usd(spend.estimate.micro_usd),
    }


def _caps(budget: Budget, spent: Spent) -> list[dict[str, Any]]:
    return [
        {"scope": scope, "observed": observed, "maximum": maximum}
        for scope, observed, maximum in figures(budget, spent)
    ]
