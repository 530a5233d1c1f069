"""The agent that a user's words name: a command, a model of a provider, or a plug-in."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from loopctl.bootstrap import builtins
from loopctl.bootstrap.vendor_agents import check_name
from loopctl.errors import UsageError
from loopctl.git.repository import UserRepository
from loopctl.llm.model_name import PROVIDERS, parse_model
from loopctl.ports import AgentRunner
from loopctl.process.toolbox import Toolbox


def make_agent(
    agent: str,
    folder: Path,
    user: UserRepository,
    *,
    base_commit: str,
    tools: Toolbox,
    environment: Mapping[str, str],
    is_checked: bool = True,
) -> AgentRunner:
    """The agent runner that ``agent`` names: ``SCHEME:ARGUMENT``, a name, or a dotted path.

    Args:
        agent: as the user typed it.
        folder: where it was typed.
        user: the user's repository.
        base_commit: what the agent's worktree starts from.
        tools: what starts programs.
        environment: loopctl's own, with the keys of providers.
        is_checked: see that it could work here and now. A loop that is only to be ended has no
            need of that.

    Raises:
        UsageError: there is none, or it cannot be used here.
    """
    scheme, separator, argument = agent.partition(":")
    if scheme in PROVIDERS:
        built_in = builtins.built_in_agent(scheme, argument, folder, tools, environment)
        if is_checked:
            built_in.check()
        return built_in
    known = separator and scheme in builtins.AGENTS.names()
    name = scheme if known else agent
    if not name:
        raise UsageError(
            "no agent is named", next_step='add --agent "cmd:./my-agent.sh" (or another command)'
        )

    check_name(name)

    def is_tracked(path: str) -> bool:
        inside = os.path.relpath(folder / path, user.top_level)
        return user.path_in_commit(base_commit, inside)

    runner = builtins.AGENTS.make(
        name,
        argument=argument if known else "",
        folder=folder,
        is_tracked=is_tracked,
        tools=tools,
    )
    if is_checked:
        runner.check()
    return runner


def check_models(models: Iterable[str], environment: Mapping[str, str]) -> None:
    """See that each model can be asked: also one that is asked late, as a judge or a fall-back.

    Raises:
        UsageError: a name cannot be read, there is no key for it, or its address is none.
    """
    for model in map(parse_model, models):
        model.key(environment)
        model.address(environment)
