"""The caps that a user changes on restart."""

from collections.abc import Callable, Mapping
from typing import Any

from loopctl.cli import units
from loopctl.domain.events import CapChanges
from loopctl.errors import UsageError

_UNDERSTOOD: Mapping[str, tuple[str, Callable[[object], int | float]]] = {
    "max_rounds": ("max_rounds", units.count_or_none),
    "max_time": ("max_time_s", units.seconds),
    "max_usd": ("max_micro_usd", units.micro_dollars),
    "max_tokens": ("max_tokens", units.count),
}


def cap_changes(given: Mapping[str, str]) -> CapChanges:
    """Understand the caps that were typed.

    Raises:
        UsageError: one of them means nothing.
    """
    changes: dict[str, Any] = {}
    for name, text in given.items():
        field, understand = _UNDERSTOOD[name]
        try:
            changes[field] = understand(text)
        except ValueError as error:
            raise UsageError(
                f"--{name.replace('_', '-')}: {error}", next_step="loopctl status --help"
            ) from error
    return CapChanges(**changes)
