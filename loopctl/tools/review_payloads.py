"""What models write to the tools that keep the findings of audits."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, StringConstraints

from loopctl.domain.handoff import Notes, Payload, Text

FilePath = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]
FindingSeverity = Literal["bug", "warning"]


class ReviewRead(Payload):
    """Which findings to read: by default all that are open."""

    file: FilePath | None = Field(default=None, description="only findings in this file")
    severity: FindingSeverity | None = Field(default=None, description="only findings of this kind")


class ReviewWrite(Payload):
    """One finding."""

    file: FilePath = Field(description="relative to the top of the project")
    line: NonNegativeInt = Field(description="counted from 1; 0 for the file as a whole")
    severity: FindingSeverity = Field(description="a bug keeps the work from being accepted")
    description: Text = Field(description="what is wrong")
    scenario: Notes | None = Field(default=None, description="how it comes to harm")
    section_index: NonNegativeInt | None = Field(
        default=None,
        alias="sectionIndex",
        description="the section of the plan that it belongs to, counted from 0; left out: to all",
    )


class ReviewDelete(Payload):
    """Which finding is resolved."""

    file: FilePath = Field(description="as in the finding")
    line: NonNegativeInt = Field(description="as in the finding")
