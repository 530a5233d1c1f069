"""What the doctor has found, for people and for programs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from loopctl.errors import LoopctlError


class Level(StrEnum):
    """How much a finding matters."""

    REFUSAL = "refusal"
    """A run would not start."""
    WARNING = "warning"
    """A run would start, and may not do what is wanted."""
    NOTE = "note"
    """Worth knowing."""


@dataclass(frozen=True)
class Finding:
    """One thing to know or to change.

    Attributes:
        level: how much it matters.
        text: what it is, one sentence.
        why: the cause; ``""``: none is known.
        next_step: a command to type, or a thing to change.
    """

    level: Level
    text: str
    why: str = ""
    next_step: str = ""


@dataclass(frozen=True)
class Topic:
    """What was found about one thing.

    Attributes:
        name: one word.
        rows: for people: a label and what it says.
        facts: for programs: values of JSON.
        findings: what to know or to change.
    """

    name: str
    rows: tuple[tuple[str, str], ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Diagnosis:
    """All topics."""

    topics: tuple[Topic, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Those of all topics."""
        return tuple(finding for topic in self.topics for finding in topic.findings)

    @property
    def refusals(self) -> tuple[Finding, ...]:
        """What keeps a run from starting."""
        return tuple(each for each in self.findings if each.level is Level.REFUSAL)


def refusal(error: LoopctlError) -> Finding:
    """An error with which a run would end, as a finding."""
    return Finding(Level.REFUSAL, error.message, error.why, error.next_step)


def refused_by(check: Callable[[], object]) -> tuple[Finding, ...]:
    """What ``check`` refuses; empty when it does not."""
    try:
        check()
    except LoopctlError as error:
        return (refusal(error),)
    return ()


def warning(text: str, next_step: str = "", *, why: str = "") -> Finding:
    """Something that a run would not do as it is wanted."""
    return Finding(Level.WARNING, text, why, next_step)


def note(text: str, next_step: str = "") -> Finding:
    """Something worth knowing."""
    return Finding(Level.NOTE, text, "", next_step)
