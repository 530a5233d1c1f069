"""Everything that ``run`` can be told, from flags, variables and files.

Invariant: a flag wins over a ``LOOPCTL_*`` variable, that over the project's file, that over the
user's file, that over the default; a list replaces a list. The result is frozen into the loop.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ValidationError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from loopctl.cli import units
from loopctl.cli.config_file import ConfigFile, read_files
from loopctl.cli.working_folder import configuration_folder, working_folder
from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.supplies import EvaluatorGit
from loopctl.errors import UsageError

PREFIX = "LOOPCTL_"
NOT_SETTINGS = frozenset({"HOME", "CONFIG", "LOOP", "ROUND"})
"""Variables of loopctl's that say something else, without their prefix."""


def _texts(value: object) -> object:
    """A list; a single text is a list of one. A variable may hold a JSON list."""
    if not isinstance(value, str):
        return value
    try:
        decoded = json.loads(value)
    except ValueError:
        return [value]
    return decoded if isinstance(decoded, list) else [value]


Texts = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_texts)]
Count = Annotated[int, BeforeValidator(units.count)]
Dollars = Annotated[int, BeforeValidator(units.micro_dollars)]
Seconds = Annotated[float, BeforeValidator(units.seconds)]


class Settings(BaseSettings):
    """The options of ``run``. Dollars are kept as millionths, durations in seconds.

    ``cwd`` is absolute once it was loaded.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="forbid", frozen=True
    )

    agent: str = ""
    stop: Texts = ()
    results: Texts = ()
    evaluators: Texts = ()
    max_rounds: Annotated[int, BeforeValidator(units.count_or_none)] | None = None
    max_time: Seconds | None = None
    max_usd: Dollars | None = None
    max_tokens: Count | None = None
    per_round_usd: Dollars | None = None
    assume_usd_per_round: Dollars | None = None
    assume_tokens_per_round: Count | None = None
    isolation: Isolation = Isolation.SEPARATE_WORKTREE
    protect: Texts = ()
    allow: Texts = ()
    round_timeout: Seconds = 1800.0
    eval_timeout: Seconds | None = None
    evaluator_env: Texts = ()
    evaluator_share: Texts = ()
    evaluator_setup: str = ""
    evaluator_teardown: str = ""
    evaluator_git: EvaluatorGit = EvaluatorGit.ONE_COMMIT
    evaluator_cache: Texts = ()
    evaluator_paths: Texts = ()
    workspace_share: Texts = ()
    workspace_setup: str = ""
    baseline: Literal["run", "skip"] = "run"
    name: str | None = None
    branch: str | None = None
    cwd: str = ""
    handoff: str = "fresh-with-summary"
    budget_policy: str = "preflight"
    pricing: str = "assumed"
    log_detail: Literal["full", "summary"] = "full"


@dataclass(frozen=True)
class Explained:
    """Settings with where they come from.

    Attributes:
        settings: all of them.
        files: the files that were read, the stronger first.
        origins: of each setting that is not the default, where it was said.
    """

    settings: Settings
    files: tuple[Path, ...]
    origins: Mapping[str, str]


def load_settings(flags: Mapping[str, Any], folder: Path) -> Settings:
    """Put flags, variables and files together.

    Raises:
        UsageError: a file or a value cannot be used; says which and where it is from.
    """
    return explain_settings(flags, folder).settings


def explain_settings(flags: Mapping[str, Any], folder: Path) -> Explained:
    """Put flags, variables and files together, and say which value is from where.

    Args:
        flags: what was typed, by the names of the settings.
        folder: where it was typed.

    Raises:
        UsageError: a file or a value cannot be used; says which and where it is from.
    """
    _refuse_misspelt(os.environ)
    files = read_files(configuration_folder(flags, folder), os.environ, Settings.model_fields)

    class Layered(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            del dotenv_settings, file_secret_settings  # a .env belongs to the project's programs
            layers = (InitSettingsSource(settings_cls, dict(file.values)) for file in files)
            return (init_settings, env_settings, *layers)

    try:
        settings = Layered(**flags)
    except ValidationError as error:
        raise _usage_error(error, flags, files) from error
    typed = "stop" in flags or bool(os.environ.get(f"{PREFIX}STOP"))
    place = working_folder(flags, settings.cwd, folder, () if typed else files)
    changes: dict[str, object] = {"cwd": str(place)}
    given = [name for name in type(settings).model_fields if name in settings.model_fields_set]
    if "results" in given and _layer("results", flags, files) > _layer("stop", flags, files):
        changes["results"] = ()  # they were said of other stop commands
        given.remove("results")
    origins = {name: _origin(name, flags, files) for name in given}
    settings = settings.model_copy(update=changes)
    return Explained(settings, tuple(file.path for file in files), origins)


def _refuse_misspelt(environment: Mapping[str, str]) -> None:
    """A cap in a misspelt variable would be no cap at all."""
    known = {name.upper() for name in Settings.model_fields} | NOT_SETTINGS
    for name in environment:
        if name.startswith(PREFIX) and name.removeprefix(PREFIX) not in known:
            raise UsageError(
                f"the variable {name} is not one of loopctl's",
                why="known are " + ", ".join(sorted(PREFIX + each for each in known)),
                next_step=f"unset {name}, or correct it",
            )


def _usage_error(
    error: ValidationError, flags: Mapping[str, Any], files: list[ConfigFile]
) -> UsageError:
    problem = error.errors()[0]
    name = str(problem["loc"][0])
    cause = problem.get("ctx", {}).get("error", problem["msg"])  # ours, else the library's
    return UsageError(
        f"{_origin(name, flags, files)}: {_in_our_words(cause)}", next_step="loopctl run --help"
    )


def _in_our_words(cause: object) -> str:
    return str(cause).replace("Input should be", "it has to be")


def _layer(name: str, flags: Mapping[str, Any], files: list[ConfigFile]) -> int:
    """How far down the value of a setting was found, from 0: a flag, a variable, each file."""
    places = [name in flags, bool(os.environ.get(PREFIX + name.upper()))]
    places += [name in file.values for file in files]
    return places.index(True) if any(places) else len(places)


def _origin(name: str, flags: Mapping[str, Any], files: list[ConfigFile]) -> str:
    """Where the value of a setting comes from, in the words of whoever wrote it there."""
    option = name.replace("_", "-")
    if name in flags:
        return f"--{option}"
    variable = PREFIX + name.upper()
    if os.environ.get(variable):
        return variable
    return next((f"{option} in {file.path}" for file in files if name in file.values), option)
