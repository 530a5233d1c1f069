"""The row of a loop as it follows from its state: the state itself, and columns to find it by."""

from typing import Any

from loopctl.domain.loop import LoopState
from loopctl.store.payload import PayloadWriter, json_text

_STORED = LoopState.model_fields.keys() - {"spec"}


class Projection:
    """Makes the rows of one loop, state after state.

    A state shares most of its parts with the one before: only the new ones are made text of.
    """

    def __init__(self, payloads: PayloadWriter) -> None:
        self._payloads = payloads
        self._last: LoopState | None = None
        self._document: dict[str, Any] = {}

    def row(self, state: LoopState) -> dict[str, Any]:
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
            "stop_json": None if stop is None else self._payloads.dump(stop),
            "updated_at": state.clock.at,
            "state_json": self._state_json(state),
        }

    def _state_json(self, state: LoopState) -> str:
        new = {name for name in _STORED if self._is_new(name, state)}
        self._document |= self._payloads.masked(state.model_dump(include=new))
        self._last = state
        return json_text(self._document)

    def _is_new(self, name: str, state: LoopState) -> bool:
        return self._last is None or getattr(state, name) is not getattr(self._last, name)
