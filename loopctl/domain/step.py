"""Where a loop is: the phase says who is at work, the step what may be under way."""

from enum import StrEnum


class Phase(StrEnum):
    """Who is at work."""

    CODING = "coding"
    AUDITING = "auditing"
    POST_ACTION = "post_action"


class Step(StrEnum):
    """Where inside a phase the loop is; it tells which effect may be under way."""

    BASELINE = "baseline"
    ADMIT = "admit"
    OPEN = "open"
    PROMPT = "prompt"
    DEFERRED = "deferred"
    WAITING = "waiting"
    SETTLE = "settle"
    SNAPSHOT = "snapshot"
    EVALUATE = "evaluate"
    ENDING = "ending"
