"""Which agent works and which models are used, where the user leaves it open.

The coder's model, the first that is there: the one in ``--agent``, ``model``, the one last used
in this project of the same provider, the provider's default. The judge's: ``judge-model``,
``model``, the judge's last used one, the coder's own, the coder's last used one, a default.
Without an agent: the one of ``model``, the first installed agent command, the built-in agent of
the first provider whose key is set.

Invariant: whatever was not said but chosen is told, with the reason.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from loopctl.bootstrap.provider_defaults import KEYS, MODELS, default_model
from loopctl.bootstrap.request import StartRequest
from loopctl.errors import UsageError
from loopctl.llm.model_name import PROVIDERS
from loopctl.store.used_models import UsedModels

_DEFAULT = "the provider's default"
_LAST_USED = "last used in this project"
_EXAMPLE = f"anthropic:{MODELS['anthropic']}"


@dataclass(frozen=True)
class Known:
    """What a choice can be made from.

    Attributes:
        installed: calls of the agent commands that are on PATH.
        keys: the providers of which a key is set.
        used: the models of earlier loops of the project.
    """

    installed: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    used: UsedModels = field(default_factory=UsedModels)


class Choice(NamedTuple):
    """A request in which nothing is open any more, and a line for each thing that was chosen."""

    request: StartRequest
    notices: tuple[str, ...] = ()


def choose(request: StartRequest, known: Known) -> Choice:
    """Choose agent and models.

    Raises:
        UsageError: there is nothing to choose from, or what was said contradicts itself.
    """
    agent, told = _agent(request, known)
    if is_built_in(agent):
        model, why = _coder_model(agent, request, known)
        models = (model, *(_full(each, provider_of(model)) for each in request.fallback_models))
        told += [f"model: {model} ({why}; --model chooses another)"] if why else []
        if request.model and _full(request.model, provider_of(model)) != model:
            told += _unused_model(request, f"the agent is {model}")
        chosen = replace(request, agent=model, models=tuple(dict.fromkeys(models)))
    else:
        chosen = replace(request, agent=agent, models=())
        told += _not_used(request)
    chosen, judged_by = _with_judge(chosen, known)
    return Choice(chosen, (*told, *judged_by))


def is_built_in(agent: str) -> bool:
    """Whether ``agent`` is a provider, with or without a model: the built-in agent's."""
    return provider_of(agent) in PROVIDERS


def provider_of(model: str) -> str:
    """What stands before the first colon."""
    return model.partition(":")[0]


def _agent(request: StartRequest, known: Known) -> tuple[str, list[str]]:
    if request.agent:
        return request.agent, []
    if request.model:
        if not is_built_in(request.model):
            raise _no_provider(request.model)
        return request.model, [f"agent: the built-in one (no agent is named, {request.model} is)"]
    if known.installed:
        first = known.installed[0]
        return first, [f"agent: {first} (no agent is named, this one is installed)"]
    if known.keys:
        key = " or ".join(KEYS[known.keys[0]])
        return known.keys[0], [f"agent: the built-in one (no agent is named, {key} is set)"]
    names = ", ".join(name for names in KEYS.values() for name in names)
    raise UsageError(
        "no agent is named, and none can be found",
        why=f"no agent command is on PATH, and none of {names} is set",
        next_step='add --agent "cmd:./my-agent.sh" (any command), or set a key and add --agent '
        f"{_EXAMPLE}; make demo shows a loop with a scripted agent, without any key",
    )


def _coder_model(agent: str, request: StartRequest, known: Known) -> tuple[str, str]:
    """The model, and why it was chosen; ``""`` when it was said."""
    provider, _, named = agent.partition(":")
    if named:
        return agent, ""
    if request.model:
        model = _full(request.model, provider)
        if provider_of(model) != provider:
            raise UsageError(
                f"the model {model} is not one of {provider}",
                next_step=f"--agent {model}, or --model with a model of {provider}",
            )
        return model, ""
    for used in known.used.coder:
        if provider_of(used) == provider:
            return used, _LAST_USED
    return default_model(provider), _DEFAULT


def _not_used(request: StartRequest) -> list[str]:
    """What was said of models, and means nothing to an agent that chooses by itself."""
    why = "this agent chooses its model by itself"
    told = _unused_model(request, why)
    if request.fallback_models:
        told.append(f"not used: fall-back models {', '.join(request.fallback_models)}; {why}")
    return told


def _unused_model(request: StartRequest, why: str) -> list[str]:
    """A line for ``model`` where the agent does not use it, and no judge does."""
    if request.model and (request.judge is None or request.judge.model):
        return [f"not used: model {request.model}; {why}"]
    return []


def _with_judge(request: StartRequest, known: Known) -> tuple[StartRequest, list[str]]:
    judge = request.judge
    if judge is None:
        return request, []
    provider = next(iter(_providers(request, known)), "")
    model, why = next(_judge_models(request, known), ("", ""))
    if not model:
        raise UsageError(
            "no model is named for the judge, and none can be chosen",
            why="no model was used in this project, and no key of a provider is set",
            next_step=f"--judge-model {_EXAMPLE}",
        )
    model = _full(model, provider)
    fallbacks = tuple(_full(each, provider_of(model)) for each in judge.fallbacks)
    told = [f"judge: {model} ({why}; --judge-model chooses another)"] if why else []
    return replace(request, judge=replace(judge, model=model, fallbacks=fallbacks)), told


def _judge_models(request: StartRequest, known: Known) -> Iterator[tuple[str, str]]:
    """What the judge could use, the best first, each with its reason."""
    if request.judge is not None and request.judge.model:
        yield request.judge.model, ""
    if request.model:
        yield request.model, "as the model is configured"
    yield from ((model, f"{_LAST_USED} by the judge") for model in known.used.judge)
    if request.models:
        yield request.models[0], "as the agent"
    yield from ((model, f"{_LAST_USED} by the agent") for model in known.used.coder)
    yield from ((default_model(provider), _DEFAULT) for provider in _providers(request, known))


def _providers(request: StartRequest, known: Known) -> tuple[str, ...]:
    """Those that a model without one could be of: the agent's, then those with a key."""
    own = tuple(map(provider_of, request.models[:1]))
    return (*own, *known.keys)


def _full(model: str, provider: str) -> str:
    """``PROVIDER:MODEL``; a model may have colons of its own."""
    if is_built_in(model) and ":" in model:
        return model
    if not provider:
        raise _no_provider(model)
    return f"{provider}:{model}"


def _no_provider(model: str) -> UsageError:
    return UsageError(
        f"the model {model!r} does not say whose it is",
        why=f"providers are {', '.join(PROVIDERS)}",
        next_step=f"write PROVIDER:MODEL, such as {_EXAMPLE}",
    )
