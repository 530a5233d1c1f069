"""The row of a loop as it follows from its state: the state itself, and columns to find it by."""

from typing import Any

from loopctl.domain.loop import LoopState
from loopctl.store.payload import PayloadWriter


def projection(state: LoopState, payloads: PayloadWriter) -> dict[str, Any]:
    """The columns of ``loops`` that follow from the state, and the state itself."""
    stop = state.stop if state.is_over else None
    return {
        "status": state.status,
        "phase": state.phase,
        "step": state.step,
        "round": state.round_number,
        "rounds_in_run": state.spent.rounds,
        "tokens": state.spent.tokens,
        "micro_usd": state.spent.micro_usd,
        "worked_s": state.spent.worked_s,
        "worktree": state.workspace,
        "stop_kind": None if stop is None else stop.kind,
        "stop_json": None if stop is None else payloads.dump(stop),
        "updated_at": state.clock.at,
        "state_json": payloads.json(state.model_dump(exclude={"spec"})),
    }
