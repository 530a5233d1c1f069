"""What models write to the tool that doubts the goal."""

from pydantic import Field

from loopctl.domain.concern import Severity
from loopctl.domain.handoff import Payload, Text


class FlagConcern(Payload):
    """A doubt about the goal."""

    concern: Text = Field(description="why the goal may be wrong, with the facts that say so")
    severity: Severity = Field(description="how much it matters")
