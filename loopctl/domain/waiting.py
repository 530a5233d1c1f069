"""A wait for a provider: visible, bounded, and over when its time has come or a user says so."""

from loopctl.domain.value import Value


class Wait(Value):
    """A wait under way.

    Attributes:
        until: when it ends by itself, Unix seconds.
        problem: what the provider said.
    """

    until: float
    problem: str = ""
