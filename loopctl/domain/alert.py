"""Alerts: what a turn changed outside of the tree that is judged, where it would act later.

A hook or a setting of the user's repository, a file of their home. Invariant: an alert is evidence
and never a verdict; what was put back is kept, so that nobody loses what they did themselves.
"""

from enum import StrEnum

from loopctl.domain.value import Value

SHOWN_ALERTS = 50


class Harm(StrEnum):
    """How bad it could be: ``acts`` runs or leads a program later, ``told`` is worth knowing."""

    ACTS = "acts"
    TOLD = "told"


class Alert(Value):
    """One thing that was different after a turn.

    Attributes:
        kind: where, such as ``git-config``, ``git-hook``, ``git-ref`` or ``home``.
        what: the key, path or name that was changed.
        detail: how, in words; without secrets.
        harm: how bad it could be.
        reverted: it was put back as it was.
        kept: file with what was found, when it was put back; ``""`` when nothing was.
        next_step: the command that undoes it, or brings it back; ``""`` for none.
    """

    kind: str
    what: str
    detail: str
    harm: Harm = Harm.ACTS
    reverted: bool = False
    kept: str = ""
    next_step: str = ""


def alert_text(alert: Alert) -> str:
    """The alert as one sentence, without a full stop."""
    text = f"{alert.kind}: {alert.what} {alert.detail}"
    if not alert.reverted:
        return f"{text} (to undo it: {alert.next_step})" if alert.next_step else text
    text += "; it was put back"
    if alert.next_step:
        return f"{text} (if it was you: {alert.next_step})"
    return f"{text} (what was there: {alert.kept})" if alert.kept else text
