"""What a request uses where nobody has said it yet: about four bytes make a token."""

import json
from collections.abc import Sequence

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings

BYTES_PER_TOKEN = 4
OUTPUT_TOKENS = 1_500
"""What an answer is expected to have: most of them are a few calls of tools."""


def expected_input(messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> int:
    """Tokens of the messages and of the tools that are offered."""
    size = len(ModelMessagesTypeAdapter.dump_json(list(messages)))
    for tool in (*parameters.function_tools, *parameters.output_tools):
        size += len(tool.name) + len(tool.description or "")
        size += len(json.dumps(tool.parameters_json_schema))
    return size // BYTES_PER_TOKEN


def expected_output(settings: ModelSettings | None) -> int:
    """Tokens of the answer."""
    most = (settings or {}).get("max_tokens")
    return OUTPUT_TOKENS if most is None else min(most, OUTPUT_TOKENS)


def written_output(answer: ModelResponse) -> int:
    """Tokens of as much of an answer as has come."""
    size = 0
    for part in answer.parts:
        match part:
            case TextPart(content=text) | ThinkingPart(content=text):
                size += len(text.encode(errors="replace"))
            case ToolCallPart():
                size += len(part.args_as_json_str().encode(errors="replace"))
            case _:
                pass
    return size // BYTES_PER_TOKEN
