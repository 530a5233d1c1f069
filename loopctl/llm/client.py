"""A connection to a model: the library's model object over an HTTP client of our own.

Invariant: key and address are those of the environment that is given, the libraries' own retries
are off, a server that falls silent does not hold anybody up for ever, and no redirection leads key
and conversation to another host, or out of encryption. Headers that a user has
set for a vendor's library in the process's environment (an organization's name) are sent along.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache

import httpx2
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from loopctl.llm.model_name import ModelName

CONNECT_S = 15.0
SILENCE_S = 180.0
"""Seconds without a byte after which an answer is given up."""

SETTINGS = ModelSettings(max_retries=0)


@asynccontextmanager
async def connected(
    name: ModelName, environment: Mapping[str, str], *, silence_s: float = SILENCE_S
) -> AsyncIterator[Model]:
    """The model called ``name``, for as long as the context is open.

    Raises:
        UsageError: there is no key.
    """
    key, address = name.key(environment), name.address(environment)
    timeout = httpx2.Timeout(silence_s, connect=min(CONNECT_S, silence_s))
    trusted = await asyncio.to_thread(certificates)
    async with httpx2.AsyncClient(
        timeout=timeout,
        follow_redirects=True,
        verify=trusted,
        event_hooks={"response": [_stay]},
    ) as client:
        # Its library is loaded there: a cancellation does not wait for that.
        yield await asyncio.to_thread(_model, name, key, address or None, client)


async def _stay(response: httpx2.Response) -> None:
    """Take away where a redirection leads, unless it is the same host: it is an error then."""
    here, location = response.url, response.headers.get("location", "")
    try:
        there = here.join(location)
    except httpx2.InvalidURL:
        return  # the client says so itself
    if there.host != here.host or (here.scheme == "https" and there.scheme != "https"):
        del response.headers["location"]


@cache
def certificates() -> ssl.SSLContext:
    """What servers are trusted: reading it takes as long as a short turn."""
    return httpx2.create_ssl_context()


def _model(name: ModelName, key: str, address: str | None, client: httpx2.AsyncClient) -> Model:
    match name.provider:
        case "anthropic":
            return _anthropic(name.model, key, address, client)
        case "google":
            return _google(name.model, key, address, client)
        case "openai-responses":
            return _openai_responses(name.model, key, address, client)
        case "openai" if address is None:
            return _openai_responses(name.model, key, address, client)
        case _:
            return _openai_chat(name.model, key, address, client)


# Each library is imported by the models that need it: together they take seconds.


def _anthropic(model: str, key: str, address: str | None, client: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

    provider = AnthropicProvider(
        api_key=key, base_url=address or "https://api.anthropic.com", http_client=client
    )
    return AnthropicModel(model, provider=provider, settings=SETTINGS)


def _google(model: str, key: str, address: str | None, client: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415
    from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415

    provider = GoogleProvider(
        api_key=key,
        base_url=address or "https://generativelanguage.googleapis.com",
        http_client=client,
    )
    return GoogleModel(model, provider=provider, settings=SETTINGS)


def _openai_chat(model: str, key: str, address: str | None, client: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    provider = OpenAIProvider(
        api_key=key, base_url=address or "https://api.openai.com/v1", http_client=client
    )
    return OpenAIChatModel(model, provider=provider, settings=SETTINGS)


def _openai_responses(
    model: str, key: str, address: str | None, client: httpx2.AsyncClient
) -> Model:
    from pydantic_ai.models.openai import OpenAIResponsesModel  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    provider = OpenAIProvider(
        api_key=key, base_url=address or "https://api.openai.com/v1", http_client=client
    )
    return OpenAIResponsesModel(model, provider=provider, settings=SETTINGS)
