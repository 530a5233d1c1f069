"""What is used of a provider where nobody says anything: its model, and the variables of its key.

The order is the one in which keys are looked for when no agent is named.
"""

from collections.abc import Mapping

from loopctl.llm.model_name import KEY_VARIABLES

MODELS = {
    "anthropic": "claude-sonnet-4-5",
    "openai": "gpt-5.1",
    "google": "gemini-2.5-pro",
}
"""The default model of each provider; README.md has the same table."""

KEYS = {provider: KEY_VARIABLES[provider] for provider in MODELS}
"""The variables that can hold the key of each provider."""


def default_model(provider: str) -> str:
    """``PROVIDER:MODEL`` for a provider, or one of its kinds such as ``openai-chat``."""
    return f"{provider}:{MODELS[provider.partition('-')[0]]}"


def providers_with_key(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The providers of which a key is set."""
    return tuple(
        provider
        for provider, names in KEYS.items()
        if any(environment.get(name, "").strip() for name in names)
    )
