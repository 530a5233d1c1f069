"""What models write to the tools that read and amend a plan."""

from typing import Annotated, Self

from pydantic import Field, NonNegativeInt, StringConstraints, model_validator

from loopctl.domain.handoff import Payload, Text

MOST_SECTIONS = 24
SectionBody = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)
]


class SectionRead(Payload):
    """Which sections of the plan to read: by default the current one."""

    section_index: NonNegativeInt | None = Field(
        default=None,
        alias="sectionIndex",
        description="the section to read, counted from 0; the current one when it is left out",
    )
    pending_suffix: bool = Field(
        default=False, description="true: all sections after the current one, in their order"
    )


class SectionText(Payload):
    """One section as it is to be from now on."""

    title: Text = Field(description="a label for people")
    content: SectionBody = Field(description="what is to be done, and how it is verified")


class PlanAdjust(Payload):
    """Changes of the current section, of all that follow it, or of both."""

    current_section: SectionText | None = Field(
        default=None, alias="currentSection", description="the section under audit, as it is to be"
    )
    sections: tuple[SectionText, ...] | None = Field(
        default=None,
        max_length=MOST_SECTIONS,
        description="replaces every section after the current one: what is left out is deleted",
    )
    rationale: Text = Field(description="why the plan has to change")

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.current_section is None and self.sections is None:
            raise ValueError("one of currentSection and sections has to be given")
        return self
