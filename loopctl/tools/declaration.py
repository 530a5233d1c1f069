"""One tool as one role sees it: a name, words for the model, and a strict payload.

Invariant: what the schema shows is what is accepted, and nothing else: no other spelling of a
field, no field beside those, no value of another type that could be converted.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from loopctl.domain.handoff import AuditorHandoff, CoderHandoff, PostActionReport
from loopctl.tools.concern_payload import FlagConcern
from loopctl.tools.plan_payloads import PlanAdjust, SectionRead
from loopctl.tools.problems import InvalidArgumentsError, problems_of
from loopctl.tools.review_payloads import ReviewDelete, ReviewRead, ReviewWrite
from loopctl.tools.schema import OURS, schema_of

AnyPayload = (
    CoderHandoff
    | AuditorHandoff
    | PostActionReport
    | FlagConcern
    | SectionRead
    | PlanAdjust
    | ReviewRead
    | ReviewWrite
    | ReviewDelete
)

MOST_VALUES = 5000
"""More than the longest payload has. Every value that does not fit costs time to say so."""


@dataclass(frozen=True)
class ToolDeclaration:
    """A tool, as one role sees it.

    Attributes:
        name: what models call it.
        description: what models are told of it.
        payload: what its arguments become.
    """

    name: str
    description: str
    payload: type[AnyPayload]

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments, without references."""
        return schema_of(self.payload)

    def validated(self, arguments: Mapping[str, Any]) -> AnyPayload:
        """The payload that a model has written.

        Raises:
            InvalidArgumentsError: it does not fit; each problem is named with its place.
        """
        if _has_too_many_values(arguments):
            many = f"more than {MOST_VALUES} values"
            raise InvalidArgumentsError(self.name, (many,), self.schema)
        ours = OURS & arguments.keys() & self.payload.model_fields.keys()
        problems = tuple(f"{name}: there is no such field" for name in sorted(ours))
        try:
            text = json.dumps(dict(arguments))
            payload = self.payload.model_validate_json(
                text, strict=True, by_alias=True, by_name=False
            )
        except ValidationError as error:
            problems += problems_of(error)
        except (TypeError, ValueError, RecursionError):
            problems += ("the arguments are not JSON, or too deep",)
        if problems:
            raise InvalidArgumentsError(self.name, problems, self.schema)
        return payload


def _has_too_many_values(arguments: Mapping[str, Any]) -> bool:
    waiting: list[Any] = [arguments]
    seen = 0
    while waiting and seen <= MOST_VALUES:
        seen += 1
        match waiting.pop():
            case Mapping() as inside:
                waiting.extend(inside.values())
            case list() as inside:
                waiting.extend(inside)
    return seen > MOST_VALUES
