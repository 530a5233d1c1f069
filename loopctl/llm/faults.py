"""What went wrong with a request: told by status, code and kind of the provider's error.

No word of a model is looked at. Of the provider's own error message the library makes one use:
some call a conversation that is too long a bad request, and say which it is in words alone.

A fault is *transient* (the same request may work in a moment), a *limit* (the provider refuses
further work: quota, plan, credit, key), of the *model* (it does not exist, or does not take such
requests), or of the *context* (the conversation has become too long for it). What nobody knows
is transient: it is tried again, a few times.

Invariant: ``was_sent`` is false only where the provider cannot have worked on the request.
"""

from enum import StrEnum

from pydantic_ai.exceptions import (
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRequestRejectedError,
)

from loopctl.errors import LoopctlError
from loopctl.llm.retry_after import asked_wait
from loopctl.llm.whole_text import whole_text

LONGEST_BACK_OFF_S = 60.0
"""A provider that asks for more than this has set a limit: the loop waits, not the request."""

_UNSENT = {"pool", "connect"}
_SHOWN = 500


class FaultKind(StrEnum):
    """What a failed request means for whoever sent it."""

    TRANSIENT = "transient"
    LIMIT = "limit"
    MODEL = "model"
    CONTEXT = "context"


class ModelFaultError(LoopctlError):
    """A request to a model failed.

    Args:
        kind: what that means.
        problem: what happened, for people.
        model: ``PROVIDER:MODEL``.
        retry_after_s: how long the provider asks to wait, if it does.
        was_sent: the provider may have worked on it, and may charge for it.
    """

    def __init__(
        self,
        kind: FaultKind,
        problem: str,
        *,
        model: str,
        retry_after_s: float | None = None,
        was_sent: bool = False,
    ) -> None:
        super().__init__(problem)
        self.kind = kind
        self.model = model
        self.retry_after_s = retry_after_s
        self.was_sent = was_sent


def fault_of(error: Exception, model: str) -> ModelFaultError:
    """The fault behind an exception of the libraries."""
    retry_after_s = asked_wait(error)
    return ModelFaultError(
        _kind(error, retry_after_s),
        _problem(error, model),
        model=model,
        retry_after_s=retry_after_s,
        was_sent=_was_sent(error),
    )


def _kind(error: Exception, retry_after_s: float | None) -> FaultKind:
    match error:
        case ModelQuotaExceededError() | ModelAuthenticationError():
            return FaultKind.LIMIT
        case ModelContextWindowExceededError():
            return FaultKind.CONTEXT
        case ModelNotFoundError() | ModelRequestRejectedError():
            return FaultKind.MODEL
        case _ if (retry_after_s or 0.0) > LONGEST_BACK_OFF_S:  # whatever its status is
            return FaultKind.LIMIT
        case _:
            return FaultKind.TRANSIENT


def _was_sent(error: Exception) -> bool:
    match error:
        case ModelConnectionError(phase=phase):
            return phase not in _UNSENT
        case ModelHTTPError(in_stream=in_stream):
            return in_stream
        case _:
            return True


def _problem(error: Exception, model: str) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, ModelHTTPError):
        code = error.provider_error_code or error.provider_error_type or ""
        text = f"HTTP {error.status_code}{f' ({code})' if code else ''}: {_message(error)}"
    elif isinstance(error, ModelConnectionError):
        text = f"{text} ({' '.join(str(_origin(error)).split())})"
    return whole_text(f"{model}: {text or type(error).__name__}"[:_SHOWN])


def _origin(error: BaseException) -> BaseException:
    """What the first of a chain of errors was: the libraries say of it that there was one."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return error


def _message(error: ModelHTTPError) -> str:
    """The provider's own words, where its answer has them in the usual place."""
    body = error.body
    inner = body.get("error", body) if isinstance(body, dict) else body
    message = inner.get("message") if isinstance(inner, dict) else inner
    return " ".join(str(message or "").split())
