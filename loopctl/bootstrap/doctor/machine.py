"""What of this machine loopctl could use: agent commands, keys, a sandbox, a fast search.

Invariant: a key is never shown, only which variable holds it; what is missing is told with what
cannot be done without it, and is never a refusal by itself.
"""

import shutil
from collections.abc import Mapping

from loopctl.bootstrap.doctor.diagnosis import Topic
from loopctl.bootstrap.provider_defaults import KEYS, default_model
from loopctl.bootstrap.vendor_agents import VENDOR_AGENTS
from loopctl.errors import UsageError
from loopctl.observe.plain import one_line
from loopctl.process.sandbox.programs import find_programs
from loopctl.process.sandbox.sandbox import Sandbox

SEARCH = "rg"
_WITH_SANDBOX = "--isolation container, --sandbox bwrap"
_NO_SANDBOX = "agents and stop commands run as you, with what you may read and write"


def machine(environment: Mapping[str, str]) -> Topic:
    """What was found, and what the lack of each costs."""
    path = environment.get("PATH", "")
    agents = {name: shutil.which(name, path=path) for name, _ in VENDOR_AGENTS}
    keys = {provider: _variable(provider, environment) for provider in KEYS}
    sandbox, problem = _sandbox(path)
    search = shutil.which(SEARCH, path=path)
    rows = [
        *(_agent_row(name, call, agents[name]) for name, call in VENDOR_AGENTS),
        *(_key_row(provider, variable) for provider, variable in keys.items()),
        ("sandbox", f"{problem}: {_NO_SANDBOX}" if problem else f"{sandbox}: {_WITH_SANDBOX}"),
        ("search", search or f"{SEARCH} is not on PATH: the built-in agent searches more slowly"),
    ]
    facts = {
        "agents": [{"name": name, "program": program} for name, program in agents.items()],
        "keys": [
            {"provider": provider, "variable": variable} for provider, variable in keys.items()
        ],
        "sandbox": sandbox,
        "sandbox_problem": problem,
        "search": search,
    }
    return Topic("machine", tuple(rows), facts)


def _variable(provider: str, environment: Mapping[str, str]) -> str | None:
    """The variable that holds a key of the provider; ``None`` when there is none."""
    return next((name for name in KEYS[provider] if environment.get(name)), None)


def _agent_row(name: str, call: str, program: str | None) -> tuple[str, str]:
    if program is None:
        return name, f'is not on PATH: no --agent "{call}"'
    return name, f'{program}: --agent "{call}"'


def _key_row(provider: str, variable: str | None) -> tuple[str, str]:
    if variable is not None:
        return provider, f"{variable} is set: --agent {default_model(provider)}, --judge-model"
    names = " nor ".join(KEYS[provider])
    verb = "neither" if len(KEYS[provider]) > 1 else "no"
    return provider, f"{verb} {names} is set: no model of it, neither as agent nor as judge"


def _sandbox(path: str) -> tuple[str | None, str]:
    """The program that makes sandboxes, or why none can be made here."""
    sandbox = Sandbox(find_programs(path))
    try:
        sandbox.check()
    except UsageError as error:
        return None, one_line(f"{error} ({error.why})" if error.why else str(error))
    return sandbox.programs.bubblewrap, ""
