"""The base of everything that the core passes around: immutable, strict, validated.

A value cannot be changed after it was made and refuses unknown fields, so that a stored row
which does not fit its type is noticed on reading instead of being coerced.
"""

from typing import Self

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """An immutable value with no identity of its own."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")

    def evolve(self, **changes: object) -> Self:
        """Return a copy with ``changes``; unknown names are a programming error.

        The changed fields are not validated again: the core builds them from typed values.
        """
        unknown = changes.keys() - type(self).model_fields.keys()
        if unknown:
            raise TypeError(f"{type(self).__name__} has no field {sorted(unknown)}")
        return self.model_copy(update=changes)
