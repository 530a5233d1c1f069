"""OpenAI's errors, which its two protocols share."""

from loopctl.testing.scripted_llm.dialect import Json
from loopctl.testing.scripted_llm.fault import Fault

_ERRORS: dict[str, tuple[int, str, str]] = {
    "rate_limit": (429, "requests", "rate_limit_exceeded"),
    "quota": (429, "insufficient_quota", "insufficient_quota"),
    "overloaded": (503, "server_error", "server_is_overloaded"),
    "server_error": (500, "server_error", "server_error"),
    "auth": (401, "invalid_request_error", "invalid_api_key"),
    "permission": (403, "invalid_request_error", "permission_denied"),
    "billing": (402, "billing_error", "billing_hard_limit_reached"),
    "not_found": (404, "invalid_request_error", "model_not_found"),
    "bad_request": (400, "invalid_request_error", "invalid_value"),
    "context_length": (400, "invalid_request_error", "context_length_exceeded"),
}


def openai_error(fault: Fault) -> tuple[int, Json]:
    """Status and body of an error."""
    status, kind, code = _ERRORS[fault.kind]
    error = {"message": fault.text, "type": kind, "param": None, "code": fault.code or code}
    return status, {"error": error}
