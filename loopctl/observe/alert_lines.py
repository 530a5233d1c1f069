"""Alerts as people see them: loud where something would act later, one quiet part for the rest.

Invariant: what the user may have done themselves, such as a commit or a new branch, alarms nobody.
"""

from collections.abc import Sequence

from loopctl.domain.alert import Alert, Harm, alert_text
from loopctl.observe.plain import listing, one_line


def alert_parts(alerts: Sequence[Alert]) -> list[str]:
    """The parts of a sentence: what would act, and what else was different."""
    acting = [
        f"{each.kind} {each.what} ({'put back' if each.reverted else 'still there'})"
        for each in alerts
        if each.harm is Harm.ACTS
    ]
    told = [f"{each.kind} {each.what} {each.detail}" for each in alerts if each.harm is Harm.TOLD]
    return [
        *([f"ALERT: changed where it acts later: {listing(acting)}"] if acting else []),
        *([f"also changed meanwhile: {listing(told)}"] if told else []),
    ]


def loud_lines(alerts: Sequence[Alert]) -> list[str]:
    """A line for each alert that would act, with the command that undoes it or brings it back."""
    return [f"ALERT: {one_line(alert_text(each))}" for each in alerts if each.harm is Harm.ACTS]
