"""Before a start: whether the agent gets a sandbox, and what the user should know of it.

Invariant: a sandbox that was asked for is made or the loop does not start; whether there is one
is told, and so is what it does not keep apart.
"""

import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from loopctl.bootstrap.request import StartRequest
from loopctl.domain.confinement import Backend, SandboxSettings
from loopctl.domain.evaluator_spec import Isolation
from loopctl.errors import RepositoryError, UsageError
from loopctl.git.repository import discover
from loopctl.process.environment import clean_environment
from loopctl.process.sandbox.programs import find_programs
from loopctl.process.sandbox.sandbox import Sandbox
from loopctl.store.home import home_path
from loopctl.workspace.agent_variables import withheld
from loopctl.workspace.vendor_needs import needs_of

_SHOWN = 8
_HOME = "your whole home"
_OUTSIDE = (
    "warning: the agent works in a sandbox, and evaluators run its code outside of it; "
    "--isolation container keeps that in one as well"
)


def with_sandbox(
    request: StartRequest, environment: Mapping[str, str]
) -> tuple[StartRequest, tuple[str, ...]]:
    """The request with its sandbox decided, and what is to be told.

    Raises:
        UsageError: a path of the settings cannot be used.
    """
    asked = request.sandbox
    if asked.mode == "off":
        return request, ()
    problem = _problem(environment) if asked.mode == "auto" else ""
    if problem:
        return request, (f"sandbox: none, the agent runs as you ({problem})",)
    settings = _settings(request, environment)
    decided = replace(asked, settings=settings)
    told = tuple(_told(request, settings, environment))
    return replace(request, sandbox=decided), told


def _problem(environment: Mapping[str, str]) -> str:
    """Why no sandbox can be made here; ``""`` when one can."""
    try:
        Sandbox(find_programs(environment.get("PATH", ""))).check()
    except UsageError as error:
        return f"{error.message}: {error.why}"
    return ""


def _settings(request: StartRequest, environment: Mapping[str, str]) -> SandboxSettings:
    asked = request.sandbox
    vendors = needs_of((request.agent.removeprefix("cmd:"),))
    keys = (*asked.keys, *(key for vendor in vendors for key in vendor.keys))
    return SandboxSettings(
        backend=Backend.BUBBLEWRAP,
        read=_paths(asked.read, "read", request.folder, environment),
        write=_paths(asked.write, "write", request.folder, environment),
        keys=tuple(dict.fromkeys(keys)),
    )


def _told(
    request: StartRequest, settings: SandboxSettings, environment: Mapping[str, str]
) -> Iterator[str]:
    yield f"sandbox: the agent works in one ({settings.backend})"
    names = withheld(clean_environment(environment), settings.keys)
    if names and request.agent.startswith("cmd:"):
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        yield (
            f"sandbox: not passed to the agent: {', '.join(names[:_SHOWN])}{more} "
            "([sandbox] keys names those that it needs)"
        )
    if request.isolations - {Isolation.CONTAINER}:
        yield _OUTSIDE


def _paths(
    paths: tuple[str, ...], key: str, folder: Path, environment: Mapping[str, str]
) -> tuple[str, ...]:
    """The paths made absolute.

    Raises:
        UsageError: one does not exist, or would show what is to stay hidden.
    """
    home = environment.get("HOME", "")
    kept = {Path(os.path.realpath(home)): _HOME} if home else {}
    kept[Path(os.path.realpath(home_path(environment)))] = "loopctl's own folder"
    if key == "write":
        kept |= _repository(folder)
    found = []
    for path in paths:
        written = home + path.removeprefix("~") if path == "~" or path.startswith("~/") else path
        absolute = Path(os.path.normpath(folder / written))
        _check_path(absolute, f"[sandbox] {key}", kept)
        found.append(str(absolute))
    return tuple(found)


def _repository(folder: Path) -> dict[Path, str]:
    try:
        user = discover(folder)
    except RepositoryError:  # which is refused in its turn
        return {}
    return {Path(os.path.realpath(user.common_dir)): "the git folder of your repository"}


def _check_path(path: Path, key: str, kept: Mapping[Path, str]) -> None:
    real = Path(os.path.realpath(path))
    if not real.exists():
        raise UsageError(
            f"{key} names {path}, which does not exist",
            next_step=f"mkdir {shlex.quote(str(path))}, or take it out",
        )
    for hidden, what in kept.items():
        is_inside = real.is_relative_to(hidden) and what != _HOME
        if hidden.is_relative_to(real) or is_inside:
            raise UsageError(
                f"{key} cannot name {path}",
                why=f"{what} would be in the sandbox",
                next_step="name the files and folders in it that the agent needs",
            )
