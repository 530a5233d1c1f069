"""Before a start: rubrics are read, agent and models are chosen. Nothing is created."""

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from loopctl.bootstrap.model_choice import Choice, Known, choose
from loopctl.bootstrap.provider_defaults import providers_with_key
from loopctl.bootstrap.request import StartRequest
from loopctl.bootstrap.sandbox_choice import with_sandbox
from loopctl.bootstrap.vendor_agents import VENDOR_AGENTS
from loopctl.errors import RepositoryError
from loopctl.git.repository import discover
from loopctl.store.home import look_at_home
from loopctl.store.used_models import UsedModels, used_models
from loopctl.workspace.project import project_id


def prepare(request: StartRequest, environment: Mapping[str, str]) -> Choice:
    """The request with everything in it that a start needs.

    Raises:
        UsageError: a rubric cannot be used, or there is no agent or model to choose.
        StoreError: the models of earlier loops cannot be read.
    """
    if request.judge is not None:
        request = replace(request, judge=request.judge.read(request.folder))
    # A declared evaluator that is not named is nobody's business: its rubric may be gone.
    read = {each.name: each.read(request.folder) for each in request.picked}
    request = replace(
        request, declared=tuple(read.get(each.name, each) for each in request.declared)
    )
    used = last_used(request.folder, environment) if _has_choice(request) else UsedModels()
    chosen = choose(
        request, Known(installed_agents(environment), providers_with_key(environment), used)
    )
    sandboxed, told = with_sandbox(chosen.request, environment)
    return Choice(sandboxed, (*chosen.notices, *told))


def installed_agents(environment: Mapping[str, str]) -> tuple[str, ...]:
    """How the agent commands that are on PATH are called."""
    path = environment.get("PATH", "")
    return tuple(call for name, call in VENDOR_AGENTS if shutil.which(name, path=path))


def last_used(folder: Path, environment: Mapping[str, str]) -> UsedModels:
    """The models of earlier loops of the project around ``folder``.

    Raises:
        StoreError: the database cannot be read.
    """
    try:
        project = project_id(discover(folder))
    except RepositoryError:
        return UsedModels()
    return used_models(look_at_home(environment), project)


def _has_choice(request: StartRequest) -> bool:
    """Whether earlier loops could matter: most agents are commands, and need no look at them."""
    return request.judge is not None or not request.agent or ":" not in request.agent
