"""The typed record that ends a turn.

Agents that can call loopctl's tools write it themselves, in the shape that their role has; for
those that cannot it is observed: put together from the exit state, the end of the output and the
difference of the trees. Whoever wrote it, it is a claim: it decides that a turn is over, and
never a verdict.
"""

from typing import Annotated, Literal

from pydantic import (
    ConfigDict,
    Field,
    NonNegativeInt,
    StrictBool,
    StringConstraints,
    TypeAdapter,
)

from loopctl.domain.agent_session import TurnOutcome, TurnResult
from loopctl.domain.snapshot import Snapshot
from loopctl.domain.value import Value

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]
Notes = Annotated[str, StringConstraints(max_length=8000)]
MOST_ENTRIES = 100


class Payload(Value):
    """What a model writes: nothing beside the fields is allowed, nothing is converted."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)


class Change(Payload):
    """One change that the turn made."""

    summary: Text = Field(description="what was changed")
    reason: Text = Field(description="why")


class Deviation(Payload):
    """Where the work differs from what was asked."""

    plan_item: Text = Field(alias="planItem", description="what was asked")
    actual: Text = Field(description="what was done instead")
    reason: Text = Field(description="why")


class Verification(Payload):
    """One check that the agent says it ran."""

    command: Text
    cwd: Text = Field(description="the folder that it was run in, . for the working folder")
    outcome: Literal["pass", "fail", "not-run"]
    changed_after: StrictBool = Field(
        alias="changedAfter", description="whether anything was changed after the check"
    )


class CoderHandoff(Payload):
    """What a coder hands over at the end of its turn."""

    kind: Literal["coder"] = "coder"
    changes: tuple[Change, ...] = Field(min_length=1, max_length=MOST_ENTRIES)
    deviations: tuple[Deviation, ...] = Field(default=(), max_length=MOST_ENTRIES)
    verification: tuple[Verification, ...] = Field(min_length=1, max_length=MOST_ENTRIES)
    notes: Notes = ""

    @property
    def claim(self) -> str:
        """What the agent says, as lines of text."""
        lines = [f"{each.summary}: {each.reason}" for each in self.changes]
        lines += [
            f"not as asked: {each.plan_item}: {each.actual} ({each.reason})"
            for each in self.deviations
        ]
        for each in self.verification:
            later = ", changed something after it" if each.changed_after else ""
            lines.append(f"ran {each.command} in {each.cwd}: {each.outcome}{later}")
        return "\n".join((*lines, *([self.notes] if self.notes else [])))


class AuditSummary(Payload):
    """What an auditor says of a section that is clean."""

    done: Text
    deviations: Notes = ""
    follow_ups: Notes = Field(default="", alias="followUps")


class AuditorHandoff(Payload):
    """What an auditor hands over; the findings themselves are in their own store."""

    kind: Literal["auditor"] = "auditor"
    summary: AuditSummary | None = None
    notes: Notes = ""

    @property
    def claim(self) -> str:
        """What the agent says, as lines of text."""
        done = () if self.summary is None else (self.summary.done,)
        return "\n".join(line for line in (*done, self.notes) if line)


class ActionStep(Payload):
    """One step of an action after completion."""

    name: Text
    status: Literal["done", "skipped", "failed"]
    detail: Notes = ""


class PostActionReport(Payload):
    """What an action after completion has come to."""

    kind: Literal["post_action"] = "post_action"
    outcome: Literal["completed", "completed_with_issues", "failed"]
    steps: tuple[ActionStep, ...] = Field(min_length=1, max_length=MOST_ENTRIES)
    follow_ups: tuple[Text, ...] = Field(default=(), alias="followUps", max_length=MOST_ENTRIES)
    notes: Notes = ""

    @property
    def claim(self) -> str:
        """What the agent says, as lines of text."""
        steps = [f"{each.name}: {each.status} {each.detail}".rstrip() for each in self.steps]
        return "\n".join((*steps, *self.follow_ups, *([self.notes] if self.notes else [])))


class ObservedHandoff(Value):
    """What could be seen of a turn from outside.

    ``claim`` is what the agent said last. It is a claim, never a fact, and decides nothing.
    """

    kind: Literal["observed"] = "observed"
    outcome: TurnOutcome
    exit: str
    claim: str
    changed: NonNegativeInt
    paths: tuple[str, ...]


WrittenHandoff = CoderHandoff | AuditorHandoff | PostActionReport
Handoff = WrittenHandoff | ObservedHandoff
HANDOFF: TypeAdapter[Handoff] = TypeAdapter(Handoff)


def observe_handoff(result: TurnResult, snapshot: Snapshot) -> ObservedHandoff:
    """The handoff of an agent that cannot write one."""
    return ObservedHandoff(
        outcome=result.outcome,
        exit=result.exit,
        claim=result.said,
        changed=snapshot.changed,
        paths=tuple(change.path for change in snapshot.changes[:20]),
    )
