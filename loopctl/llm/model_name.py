"""The name of a model as users type it: ``PROVIDER:MODEL``, with an address where it has its own.

``openai`` speaks the responses API to OpenAI itself and chat completions to any other address,
because that is what servers that are compatible with it have in common; ``openai-responses`` and
``openai-chat`` choose one. Nothing is imported here but what reads a name.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from loopctl.errors import UsageError

_OPENAI = (("OPENAI_API_KEY",), "OPENAI_BASE_URL")
_ACCESS: dict[str, tuple[tuple[str, ...], str]] = {
    "anthropic": (("ANTHROPIC_API_KEY",), "ANTHROPIC_BASE_URL"),
    "openai": _OPENAI,
    "openai-chat": _OPENAI,
    "openai-responses": _OPENAI,
    "google": (("GOOGLE_API_KEY", "GEMINI_API_KEY"), "GOOGLE_GEMINI_BASE_URL"),
}
PROVIDERS = tuple(_ACCESS)
KEY_VARIABLES = {provider: keys for provider, (keys, _) in _ACCESS.items()}
"""The variables that hold the key of each provider; the first that is set counts."""

_AT = "@http"
_ADDRESS = re.compile(r"@(?:(?:[a-z][a-z0-9+.-]*:)?//)?(?=[^@/]*[:/])", re.IGNORECASE)
"""Before what looks like an address: a port or a path. Providers have names such as ``m@001``."""
_NO_KEY = "none"
"""What is sent where an address of the user's own needs no key."""


@dataclass(frozen=True)
class ModelName:
    """A model of a provider.

    Attributes:
        provider: one of ``PROVIDERS``.
        model: the provider's name of it.
        base_url: the address that was typed; ``""`` when none was.
    """

    provider: str
    model: str
    base_url: str = ""

    def __str__(self) -> str:
        address = f"@{self.base_url}" if self.base_url else ""
        return f"{self.provider}:{self.model}{address}"

    def address(self, environment: Mapping[str, str]) -> str:
        """Where it is reached; ``""`` is the provider's own address.

        Raises:
            UsageError: what the variable holds is no address.
        """
        variable = _ACCESS[self.provider][1]
        address = self.base_url or environment.get(variable, "").strip()
        if address and not address.lower().startswith(("http://", "https://")):
            raise UsageError(
                f"{variable} holds {address!r}, which is no address of {self}",
                why="an address begins with http:// or https://",
                next_step=f"export {variable}=http://HOST/v1, or unset {variable}",
            )
        return address

    def key(self, environment: Mapping[str, str]) -> str:
        """The key to it.

        Raises:
            UsageError: there is none, and the provider's own address needs one.
        """
        variables, address = _ACCESS[self.provider]
        for variable in variables:
            if key := environment.get(variable, "").strip():  # a line end cannot be sent
                return key
        if self.address(environment):
            return _NO_KEY
        raise UsageError(
            f"there is no key for {self}",
            why=f"{' and '.join(variables)} {'is' if len(variables) == 1 else 'are'} not set",
            next_step=f"export {variables[0]}=...; a server of your own has no need of one: "
            f"set {address}, or write {self.provider}:{self.model}@http://HOST/v1",
        )


def parse_model(text: str) -> ModelName:
    """The model that ``text`` names.

    Raises:
        UsageError: it names none.
    """
    provider, separator, rest = text.partition(":")
    model, at, address = rest.partition(_AT)
    if not separator or provider not in _ACCESS or not model.strip():
        raise UsageError(
            f"{text!r} is not the name of a model",
            why=f"a name is PROVIDER:MODEL, and the providers are {', '.join(PROVIDERS)}",
            next_step="such as anthropic:MODEL, or openai:MODEL@http://HOST/v1 for a server of "
            "your own",
        )
    if not at and _ADDRESS.search(model):
        raise UsageError(
            f"the address in {text!r} does not say how it is reached",
            why="after @ stands an address that begins with http:// or https://",
            next_step=f"{provider}:{model.partition('@')[0]}@http://{_ADDRESS.split(model)[-1]}",
        )
    base_url = f"http{address}" if at else ""
    _require_no_secret(provider, base_url)
    return ModelName(provider, model, base_url)


def _require_no_secret(provider: str, address: str) -> None:
    """Refuse a password in an address: the name of a model is stored, shown and told to others.

    Raises:
        UsageError: there is one.
    """
    try:
        hides = "@" in urlsplit(address).netloc
    except ValueError:  # brackets that are not a pair
        hides = "@" in address
    if hides:
        raise UsageError(
            "the address of a model cannot hold a name and a password",
            why="the name of a model is stored and shown",
            next_step=f"export {_ACCESS[provider][1]}=... instead, and leave the address out",
        )
