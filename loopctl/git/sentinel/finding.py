"""Findings: what differs between two pictures, and what would put it back.

Invariant: a remedy names what to restore and holds no decision; whether it is carried out, and
what became of it, is in the alert that is made of the finding.
"""

from dataclasses import dataclass

from loopctl.domain.alert import Alert


@dataclass(frozen=True, slots=True)
class PutBack:
    """Restore a path of the git folder as the earlier picture has it."""

    name: str


@dataclass(frozen=True, slots=True)
class WriteSettings:
    """Replace a file of settings by this content."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class SetRef:
    """Let a ref have its earlier value; ``""`` removes it."""

    ref: str
    value: str


Remedy = PutBack | WriteSettings | SetRef


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference.

    Attributes:
        alert: what is said of it, before anything is put back.
        remedy: what puts it back; ``None`` where that is the user's to decide.
        undo: the command that puts it back, when loopctl does not.
        redo: the command that brings it back, when loopctl has put it back; ``{kept}`` stands for
            the file with what was found.
    """

    alert: Alert
    remedy: Remedy | None = None
    undo: str = ""
    redo: str = ""
