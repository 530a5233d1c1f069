"""What a turn of the built-in agent came to, from the way in which its conversation ended.

Invariant: the types and fields of errors decide, never a model's text.
"""

from pydantic_ai.exceptions import OutputTokenLimitExceeded

from loopctl.domain.agent_session import TurnOutcome, TurnResult
from loopctl.errors import SpendRefusedError
from loopctl.llm.faults import FaultKind, ModelFaultError


def too_many_requests(most: int) -> TurnResult:
    """The result of a turn that has used up the ``most`` requests that it may send."""
    problem = f"the turn was ended: it has sent {most} requests to the model"
    return TurnResult(outcome=TurnOutcome.TIMED_OUT, problem=problem)


def ending_of(error: Exception) -> TurnResult:
    """The result of a turn that an error has ended."""
    match error:
        case ModelFaultError():
            return _fault(error)
        case SpendRefusedError():
            problem = f"{error.message}: {error.why}" if error.why else error.message
            return TurnResult(outcome=TurnOutcome.CAPPED, problem=problem)
        case OutputTokenLimitExceeded():  # the session can be asked to go on
            problem = "the answer was cut before it said or did anything"
            return TurnResult(outcome=TurnOutcome.FINISHED, problem=problem)
        case _:
            problem = f"{type(error).__name__}: {error}"
            return TurnResult(outcome=TurnOutcome.FAILED, problem=problem)


def _fault(error: ModelFaultError) -> TurnResult:
    """A provider's limit is waited for, a model that cannot be used is replaced by another one."""
    match error.kind:
        case FaultKind.LIMIT:
            return TurnResult(
                outcome=TurnOutcome.LIMITED,
                limit_resets_in_s=error.retry_after_s,
                problem=error.message,
            )
        case FaultKind.CONTEXT:  # another session of the same model can go on
            return TurnResult(outcome=TurnOutcome.FAILED, problem=error.message)
        case _:
            return TurnResult(
                outcome=TurnOutcome.UNAVAILABLE, failed_model=error.model, problem=error.message
            )
