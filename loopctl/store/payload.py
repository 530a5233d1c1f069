"""Documents in columns: written from a model without secrets, read back as the same model.

Invariant: what does not fit its model is reported and left out, never coerced into something
else.
"""

import logging
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import to_json

from loopctl.domain.value import Value
from loopctl.process.masking import Masker

_log = logging.getLogger(__name__)

_IDENTIFIERS = frozenset(
    {"criterion", "evaluator", "kind", "name", "pending", "session_id", "workspace"}
)
"""Fields that are compared with the specification or the disk: masking would break the loop."""

_CACHED_TEXTS = 1024
_SHORT = 256


class PayloadWriter:
    """Turns values into text for the database, without secrets."""

    def __init__(self, masker: Masker) -> None:
        self._mask = masker.mask
        self._mask_short = lru_cache(_CACHED_TEXTS)(masker.mask)

    def text(self, text: str) -> str:
        """A text without secrets."""
        # Most short texts of a state are in the next one as well.
        return self._mask_short(text) if len(text) <= _SHORT else self._mask(text)

    def dump(self, value: Value, *, lean: bool = False, beside: str = "") -> str:
        """The JSON text of ``value``.

        Args:
            value: what to write.
            lean: leaves out what is as by default.
            beside: a field that has a column of its own.
        """
        return self.json(value.model_dump(exclude_defaults=lean, exclude={beside}))

    def json(self, content: object) -> str:
        """The JSON text of plain data."""
        return json_text(self.masked(content))

    def masked(self, content: object) -> Any:
        """Plain data without secrets."""
        # Strings are masked one by one: a match must not reach over the quotes around one.
        if type(content) is str:
            return self.text(content)
        if isinstance(content, dict):
            return {
                key: item if key in _IDENTIFIERS else self.masked(item)
                for key, item in content.items()
            }
        if isinstance(content, list | tuple):
            return [self.masked(item) for item in content]
        return content


def json_text(content: object) -> str:
    """The JSON text of plain data that holds no secrets."""
    return to_json(content, inf_nan_mode="strings").decode()


_V = TypeVar("_V", bound=Value)


def load(model: type[_V], text: str, what: str) -> _V | None:
    """Read a document back.

    Returns:
        ``None`` when it does not fit; ``what`` names it in the program's log.
    """
    try:
        return model.model_validate_json(text, strict=True)
    except ValidationError as error:
        log_invalid(what, error)
        return None


def log_invalid(what: str, error: object) -> None:
    """Say in the program's log that a row is left out."""
    _log.warning("%s is left out: it does not fit its type: %s", what, error)
