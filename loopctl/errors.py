"""Every error that loopctl raises on purpose, and the exit codes of the program.

    LoopctlError                    1   loopctl could not do its work
    |- UsageError                   2   what the user typed or configured; nothing was started
    |  |- UnknownNameError          2   no loop, plug-in or option of that name
    |- RepositoryError              2   the repository cannot be used as it is
    |- StoreError                   1   the database: unreadable, too new, busy, disk full
    |- LeaseError                   2   another driver owns the loop
    |  |- LeaseLostError            1   the loop was taken over while this driver ran
    |- GitError                     1   a git command failed
    |- SupplyError                  1   a shared folder or a setup command, while a loop runs
    |- WorkGoneError                1   the folder in which commands run, removed by the work
    |- SpendRefusedError            1   a request may not be sent: a cap is used up
    |- GuardError                   1   the process guard failed
    |- IllegalEventError            1   the driver broke the machine's rules: a bug

Each says what happened, why, and the next command to type. The package's own errors subclass
one of these, so that one boundary (the command line) can print them all.
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the program's exit status means. The numbers are a public contract."""

    GOAL_MET = 0
    FAILED = 1
    USAGE = 2
    BUDGET_CAP = 10
    STUCK = 11
    APPROVAL_REQUIRED = 12
    STALLED = 13
    ERRORED = 14
    EVALUATOR_ERROR = 15
    PROVIDER_LIMIT = 16
    NOT_SHOWN_AGAIN = 17
    HUNG_UP = 129
    CANCELLED = 130
    TERMINATED = 143


class LoopctlError(Exception):
    """Something went wrong that the user should read about.

    Args:
        message: what happened, one sentence.
        why: the cause, when it is known.
        next_step: a command to type, or a thing to change.
    """

    exit_code = ExitCode.FAILED

    def __init__(self, message: str, *, why: str = "", next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.why = why
        self.next_step = next_step


class UsageError(LoopctlError):
    """What the user typed or configured cannot be done; nothing was started."""

    exit_code = ExitCode.USAGE


class UnknownNameError(UsageError):
    """Nothing of that name exists; the message lists what does."""


class RepositoryError(LoopctlError):
    """The repository cannot be used as it is."""

    exit_code = ExitCode.USAGE


class StoreError(LoopctlError):
    """The database cannot be read or written."""


class LeaseError(LoopctlError):
    """Another driver owns the loop."""

    exit_code = ExitCode.USAGE


class LeaseLostError(LeaseError):
    """The loop was taken over by another driver: nothing more may be written."""

    exit_code = ExitCode.FAILED


class GitError(LoopctlError):
    """A git command failed."""


class SupplyError(LoopctlError):
    """A worktree or a checkout could not be supplied with what the configuration says.

    Args:
        message: what happened, one sentence.
        why: the cause, when it is known.
        next_step: a command to type, or a thing to change.
        evidence: lines that let a reader check it, such as the end of an output.
    """

    def __init__(
        self, message: str, *, why: str = "", next_step: str = "", evidence: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, why=why, next_step=next_step)
        self.evidence = evidence


class WorkGoneError(LoopctlError):
    """What is to be judged has no folder in which the commands could run: the work fails."""


class SpendRefusedError(LoopctlError):
    """A request to a model may not be sent: a cap is used up."""


class GuardError(LoopctlError):
    """The process guard could not do its work."""


class IllegalEventError(LoopctlError):
    """The driver fed the machine an event that its table does not allow."""

    def __init__(self, phase: str, step: str, event: str) -> None:
        super().__init__(
            f"the event {event} is not legal in phase {phase}, step {step}",
            why="the driver and the machine disagree: this is a bug in loopctl",
            next_step="loopctl status",
        )
        self.phase = phase
        self.step = step
        self.event = event
