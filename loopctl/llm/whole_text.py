"""Answers without halves of characters, which JSON can spell and nothing can store or send.

Invariant: a text that has none is as it was.
"""

from dataclasses import replace
from typing import Any

from pydantic_ai.messages import (
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)


def whole_text(text: str) -> str:
    """The text with its two halves of a character as one, and a lone half as U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def whole_answer(answer: ModelResponse) -> ModelResponse:
    """The answer with all that the model wrote as whole text."""
    return replace(answer, parts=[_part(part) for part in answer.parts])


def _part(part: ModelResponsePart) -> ModelResponsePart:
    match part:
        case TextPart(content=content) | ThinkingPart(content=content):
            return replace(part, content=whole_text(content))
        case ToolCallPart(tool_name=name, args=arguments):
            whole: dict[str, Any] = {"tool_name": whole_text(name), "args": _value(arguments)}
            return replace(part, **whole)
        case _:
            return part


def _value(value: Any) -> Any:
    match value:
        case str():
            return whole_text(value)
        case list():
            return [_value(item) for item in value]
        case dict():
            return {whole_text(key): _value(item) for key, item in value.items()}
        case _:
            return value
