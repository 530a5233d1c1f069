"""The form of a judge's answer. Invariant: what is not exactly of this form is no answer."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

MOST_CITATIONS = 20


class _Answer(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Citation(_Answer):
    """A place in a file of the work."""

    file: Annotated[str, Field(description="path below the folder")]
    line: Annotated[int, Field(ge=1, description="number of the first quoted line")]
    quote: Annotated[str, Field(description="one or a few whole lines, as they stand in the file")]


class JudgedCriterion(_Answer):
    """The verdict on one criterion."""

    name: Annotated[str, Field(description="the criterion's name, exactly")]
    verdict: Literal["PASS", "FAIL"]
    reason: Annotated[
        str, Field(description="why; of a FAIL: what is missing, in a sentence or two")
    ]
    evidence: Annotated[
        list[Citation],
        Field(max_length=MOST_CITATIONS, description="places that show it"),
    ] = []
    search: Annotated[
        str | None,
        Field(description="identifier of the search that found nothing, such as S1"),
    ] = None


class Verdicts(_Answer):
    """The verdicts on all criteria. Call this once, alone, at the end."""

    criteria: Annotated[list[JudgedCriterion], Field(description="one entry for each criterion")]
