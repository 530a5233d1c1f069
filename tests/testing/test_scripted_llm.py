"""The scripted server as the vendors' own clients see it."""

import asyncio
from contextlib import asynccontextmanager

import anthropic
import openai
import pytest
from google import genai
from google.genai import errors as google_errors
from google.genai import types as google_types
from pydantic_ai import Agent, exceptions
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider

from loopctl.testing.scripted_llm import Call, Fault, ScriptedLlm, Tokens, Turn

USED = Tokens(input=100, output=20, reasoning=5, cache_read=7, cache_write=3)
AGAIN = Tokens(input=200, output=30, cache_read=50)
HELLO = [{"role": "user", "content": "hi"}]
SUM = {
    "name": "add",
    "description": "add",
    "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}},
}


def anthropic_model(llm):
    client = anthropic.AsyncAnthropic(
        api_key="k", base_url=llm.base_url("anthropic"), max_retries=0
    )
    return AnthropicModel("m", provider=AnthropicProvider(anthropic_client=client))


def openai_provider(llm):
    client = openai.AsyncOpenAI(api_key="k", base_url=llm.base_url("openai"), max_retries=0)
    return OpenAIProvider(openai_client=client)


def openai_chat(llm):
    return OpenAIChatModel("m", provider=openai_provider(llm))


def openai_responses(llm):
    return OpenAIResponsesModel("m", provider=openai_provider(llm))


def google(llm):
    return GoogleModel("m", provider=GoogleProvider(api_key="k", base_url=llm.base_url("google")))


MODELS = [anthropic_model, openai_chat, openai_responses, google]
every_model = pytest.mark.parametrize("model", MODELS)
streamed_or_not = pytest.mark.parametrize("stream", [False, True])


def adding_agent(model):
    agent = Agent(model, system_prompt="be exact")

    @agent.tool_plain
    async def add(a: int, b: int) -> int:
        return a + b

    return agent


@asynccontextmanager
async def opened(model):
    """The library closes the clients that it made itself; those that it was given, it does not."""
    async with model:
        yield
    if isinstance(model.client, anthropic.AsyncAnthropic | openai.AsyncOpenAI):
        await model.client.close()


async def run(model, stream):
    async with opened(model):
        agent = adding_agent(model)
        return await agent.run("add", event_stream_handler=ignore if stream else None)


async def ignore(_, events):
    async for _ in events:
        pass


def buckets(usage):
    """The library's figures, each token in one bucket."""
    cached = usage.cache_read_tokens + usage.cache_write_tokens
    thought = usage.output_reasoning_tokens or 0
    return Tokens(
        usage.input_tokens - cached,
        usage.output_tokens - thought,
        thought,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
    )


@streamed_or_not
@every_model
def test_a_tool_is_called_and_every_token_told(model, stream):
    turns = [
        Turn(text="let me see", calls=(Call("add", {"a": 1, "b": 2}),), usage=USED),
        Turn(text="it is 3", usage=AGAIN),
    ]
    with ScriptedLlm(turns) as llm:
        result = asyncio.run(run(model(llm), stream))
        llm.check()
    assert result.output == "it is 3"
    assert buckets(result.usage) == llm.told["m"]
    no_cache_write = Tokens(303, 50, 5, 57, 0)  # Google has no word for it
    assert llm.told["m"] == (no_cache_write if model is google else USED.plus(AGAIN))
    first, second = llm.requests
    assert (first.tools, first.stream) == (("add",), stream)
    assert "be exact" in first.text
    assert "3" in second.text
    assert "k" not in {*first.headers.values()}


async def ask(model, stream=False):
    """One request without any retry."""
    messages = [ModelRequest(parts=[UserPromptPart("hi")])]
    asked = (messages, None, ModelRequestParameters())
    if not stream:
        return await model.request(*asked)
    async with model.request_stream(*asked) as answer:
        async for _ in answer:
            pass
        return answer.get()


async def ask_each(model, count, stream=False):
    """What each of several requests comes to, an answer or an error."""
    async with opened(model):
        return [
            (await asyncio.gather(ask(model, stream), return_exceptions=True))[0]
            for _ in range(count)
        ]


@streamed_or_not
@every_model
def test_the_reason_why_an_answer_ends_is_told(model, stream):
    turns = [Turn(text="x"), Turn(text="x", cut_off=True), Turn(text="x", refused=True)]
    with ScriptedLlm(turns) as llm:
        answers = asyncio.run(ask_each(model(llm), len(turns), stream))
    assert [answer.finish_reason for answer in answers] == ["stop", "length", "content_filter"]


CLASSES = {
    "rate_limit": exceptions.ModelRateLimitError,
    "quota": exceptions.ModelQuotaExceededError,
    "overloaded": (exceptions.ModelOverloadedError, exceptions.ModelUnavailableError),
    "server_error": exceptions.ModelServerError,
    "auth": exceptions.ModelAuthenticationError,
    "permission": exceptions.ModelAuthenticationError,
    "billing": exceptions.ModelQuotaExceededError,
    "not_found": exceptions.ModelNotFoundError,
    "bad_request": exceptions.ModelRequestRejectedError,
    "context_length": exceptions.ModelContextWindowExceededError,
}


@every_model
def test_errors_are_what_the_library_takes_them_for(model):
    kinds = dict(CLASSES)
    if model is anthropic_model:
        del kinds["quota"]  # Anthropic has no code that sets it apart from a rate limit
    turns = [Turn(fault=Fault(kind, retry_after="7")) for kind in kinds]
    with ScriptedLlm(turns) as llm:
        seen = asyncio.run(ask_each(model(llm), len(turns)))
        llm.check()
    assert [
        kind for kind, e in zip(kinds, seen, strict=True) if not isinstance(e, kinds[kind])
    ] == []
    assert seen[0].retry_after == 7
    assert llm.told == {}


BREAKS = ["cut", "malformed", "error_event", "reset", "garbage"]


@streamed_or_not
@every_model
def test_no_broken_answer_is_taken_for_a_whole_one(model, stream):
    turns = [Turn(text="all of it", fault=Fault(kind, after_events=1)) for kind in BREAKS]
    with ScriptedLlm(turns) as llm:
        seen = asyncio.run(ask_each(model(llm), len(turns), stream))
        llm.check()
    whole = [
        kind
        for kind, answer in zip(BREAKS, seen, strict=True)
        if not isinstance(answer, Exception) and answer.finish_reason is not None
    ]
    assert whole == []


@streamed_or_not
def test_anthropics_own_client(stream):
    with (
        ScriptedLlm([Turn(text="so", calls=(Call("add", {"a": 1}),), usage=USED)]) as llm,
        anthropic.Anthropic(api_key="k", base_url=llm.url, max_retries=0) as client,
    ):
        asked = {"model": "m", "max_tokens": 9, "messages": HELLO}
        if stream:
            with client.messages.stream(**asked) as events:
                message = events.get_final_message()
        else:
            message = client.messages.create(**asked)
    text, call = message.content
    assert (text.text, call.name, call.input) == ("so", "add", {"a": 1})
    assert message.stop_reason == "tool_use"
    usage = message.usage
    assert (usage.input_tokens, usage.output_tokens) == (100, 25)
    assert (usage.cache_read_input_tokens, usage.cache_creation_input_tokens) == (7, 3)
    assert usage.output_tokens_details.thinking_tokens == 5


@streamed_or_not
def test_openais_own_client(stream):
    turn = Turn(text="so", calls=(Call("add", {"a": 1}),), usage=USED, times=2)
    with (
        ScriptedLlm([turn]) as llm,
        openai.OpenAI(api_key="k", base_url=llm.base_url("openai"), max_retries=0) as client,
    ):
        chat = {"model": "m", "messages": HELLO}
        if stream:
            options = {"include_usage": True}
            with client.chat.completions.stream(**chat, stream_options=options) as events:
                completion = events.get_final_completion()
            with client.responses.stream(model="m", input="hi") as events:
                response = events.get_final_response()
        else:
            completion = client.chat.completions.create(**chat)
            response = client.responses.create(model="m", input="hi")
    (choice,) = completion.choices
    (call,) = choice.message.tool_calls
    assert (choice.message.content, choice.finish_reason) == ("so", "tool_calls")
    assert (call.function.name, call.function.arguments) == ("add", '{"a": 1}')
    usage = completion.usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (110, 25, 135)
    assert usage.prompt_tokens_details.cached_tokens == 7
    assert usage.completion_tokens_details.reasoning_tokens == 5
    assert response.output_text == "so"
    assert (response.output[1].name, response.output[1].arguments) == ("add", '{"a": 1}')
    usage = response.usage
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (110, 25, 135)
    assert usage.input_tokens_details.cached_tokens == 7
    assert usage.input_tokens_details.cache_write_tokens == 3
    assert usage.output_tokens_details.reasoning_tokens == 5
    assert llm.told["m"] == USED.plus(USED)


def test_a_chat_stream_that_is_not_asked_for_usage_tells_none():
    with (
        ScriptedLlm([Turn(text="so", usage=USED)]) as llm,
        openai.OpenAI(api_key="k", base_url=llm.base_url("openai"), max_retries=0) as client,
    ):
        chunks = list(client.chat.completions.create(model="m", messages=HELLO, stream=True))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "so"
    assert llm.told == {}


def google_client(llm):
    options = google_types.HttpOptions(base_url=llm.base_url("google"))
    return genai.Client(api_key="k", http_options=options)


@streamed_or_not
def test_googles_own_client(stream):
    turn = Turn(text="so", calls=(Call("add", {"a": 1}),), usage=USED)
    asked = {
        "model": "m",
        "contents": "hi",
        "config": {
            "tools": [{"function_declarations": [SUM]}],
            "automatic_function_calling": {"disable": True},
        },
    }
    with ScriptedLlm([turn]) as llm, google_client(llm) as client:
        if stream:
            answers = list(client.models.generate_content_stream(**asked))
        else:
            answers = [client.models.generate_content(**asked)]
    parts = [part for answer in answers for part in answer.candidates[0].content.parts or ()]
    assert "".join(part.text or "" for part in parts) == "so"
    assert (parts[-1].function_call.name, parts[-1].function_call.args) == ("add", {"a": 1})
    assert answers[-1].candidates[0].finish_reason == "STOP"
    usage = answers[-1].usage_metadata
    assert (usage.prompt_token_count, usage.candidates_token_count) == (110, 20)
    assert (usage.cached_content_token_count, usage.thoughts_token_count) == (7, 5)
    assert usage.total_token_count == 135
    assert llm.requests[0].tools == ("add",)
    assert llm.told["m"] == Tokens(103, 20, 5, 7, 0)


def test_googles_own_client_sees_errors():
    with (
        ScriptedLlm([Turn(fault=Fault("rate_limit"))]) as llm,
        google_client(llm) as client,
        pytest.raises(google_errors.ClientError) as error,
    ):
        client.models.generate_content(model="m", contents="hi")
    assert (error.value.code, error.value.status) == (429, "RESOURCE_EXHAUSTED")


def test_the_environment_leads_every_client_here(monkeypatch):
    turns = [Turn(text="a"), Turn(text="b"), Turn(text="c")]
    with ScriptedLlm(turns) as llm:
        for name, text in llm.environment().items():
            monkeypatch.setenv(name, text)
        with anthropic.Anthropic() as client:
            client.messages.create(model="m", max_tokens=9, messages=HELLO)
        with openai.OpenAI() as client:
            client.chat.completions.create(model="m", messages=HELLO)
        with genai.Client() as client:
            client.models.generate_content(model="m", contents="hi")
        llm.check()
    assert [request.dialect for request in llm.requests] == ["anthropic", "openai-chat", "google"]
