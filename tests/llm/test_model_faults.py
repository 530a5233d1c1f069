"""What is told of a request that failed."""

import asyncio

import pytest
from pydantic_ai.exceptions import ModelConnectionError
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.models import ModelRequestParameters

from loopctl.llm.client import connected
from loopctl.llm.faults import fault_of
from loopctl.llm.model_name import parse_model

NOBODY_LISTENS = "http://127.0.0.1:9"


@pytest.mark.parametrize("name", ["anthropic:m", "openai:m", "openai-responses:m", "google:m"])
def test_a_connection_that_fails_says_why(name):
    async def asking():
        model_name = parse_model(f"{name}@{NOBODY_LISTENS}")
        async with connected(model_name, {}) as model:
            prompt = [ModelRequest(parts=[UserPromptPart("hello")])]
            async with model.request_stream(prompt, None, ModelRequestParameters()):
                pass

    with pytest.raises(ModelConnectionError) as caught:
        asyncio.run(asking())
    fault = fault_of(caught.value, name)
    assert "Connect call failed ('127.0.0.1', 9)" in str(fault)
    assert not fault.was_sent
