"""One conversation with an agent in one role, and what a turn of it came to."""

from enum import StrEnum
from typing import Self

from pydantic import NonNegativeFloat, NonNegativeInt

from loopctl.domain.usage import Usage
from loopctl.domain.value import Value

CLAIM_CHARACTERS = 1000


class Role(StrEnum):
    """What an agent session is for."""

    CODER = "coder"
    AUDITOR = "auditor"
    JUDGE = "judge"
    REFLECTOR = "reflector"
    COMPACTION = "compaction"
    POST_ACTION = "post_action"


class TurnOutcome(StrEnum):
    """How a turn ended.

    ``finished``: the agent ended it and reports success. ``failed``: it reports failure or was
    killed. ``not_started``: nothing was run. ``timed_out``, ``aborted``: loopctl ended it.
    ``limited``: the provider refuses further work for now. ``unavailable``: the model could not
    be reached, or could not be used; nothing is the work's fault. ``capped``: a request was not
    granted, because a cap is used up. ``interrupted``: its driver died.
    """

    FINISHED = "finished"
    FAILED = "failed"
    NOT_STARTED = "not_started"
    TIMED_OUT = "timed_out"
    ABORTED = "aborted"
    LIMITED = "limited"
    UNAVAILABLE = "unavailable"
    CAPPED = "capped"
    INTERRUPTED = "interrupted"


class Survivor(Value):
    """A process that the agent left running when its turn ended.

    Attributes:
        pid: its process id.
        command: its command line.
        found: how it was found, when it was no descendant any more: ``by its variables`` or ``in
            the control group``.
    """

    pid: int
    command: str
    found: str = ""


class TurnResult(Value):
    """Everything that an agent runner knows about a turn that is over.

    Attributes:
        outcome: how it ended.
        exit: the exit state in words, such as ``exit 1`` or ``ended by signal 9``.
        said: the last part of what the agent said, as plain text.
        duration_s: seconds from prompt to end.
        usage: what it used, a row for each model; empty when nobody can say.
        log: name of the log file in the loop's folder.
        survivors: processes that were left running and have been ended.
        busy: agent sessions of the loop that are still at work.
        limit_resets_in_s: seconds until a provider's limit is lifted, when it says so.
        replied: the agent said or did anything at all.
        failed_model: the model that could not be used, as ``PROVIDER:MODEL``; ``""`` for none.
        problem: what went wrong, for people.
    """

    outcome: TurnOutcome
    exit: str = ""
    said: str = ""
    duration_s: NonNegativeFloat = 0.0
    usage: tuple[Usage, ...] = ()
    log: str = ""
    survivors: tuple[Survivor, ...] = ()
    busy: tuple[str, ...] = ()
    limit_resets_in_s: NonNegativeFloat | None = None
    replied: bool = True
    failed_model: str = ""
    problem: str = ""

    def shortened(self) -> Self:
        """With the end of what the agent said, enough for its handoff; blank stays blank."""
        return self.evolve(said=self.said.rstrip()[-CLAIM_CHARACTERS:])


class OpenTurn(Value):
    """A prompt that was sent and whose end has not been seen."""

    session_id: str
    started_at: float
    number: NonNegativeInt = 1
