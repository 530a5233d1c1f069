"""Everything that ``run`` can be told, from flags, variables and files.

Invariant: a flag wins over a ``LOOPCTL_*`` variable, that over the project's file, that over the
user's file, that over the default; a list replaces a list. The result is frozen into the loop.
"""

import json
import math
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

from loopctl.bootstrap.evaluator_request import EvaluatorRequest
from loopctl.cli import units
from loopctl.cli.config_file import DECLARED, ConfigFile, read_files
from loopctl.cli.working_folder import configuration_folder, working_folder
from loopctl.domain.concern import OnConcern
from loopctl.domain.confinement import ContainerSettings, Limits
from loopctl.domain.evaluator_spec import MAX_DIFF, Isolation
from loopctl.domain.pricing import ModelPrice, Rate
from loopctl.domain.supplies import EvaluatorGit
from loopctl.errors import UsageError

PREFIX = "LOOPCTL_"
NOT_SETTINGS = frozenset({"HOME", "CONFIG", "LOOP", "ROUND", "MARK", "REPORT", "REPORT_NONCE"})
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


def _concern(value: object) -> object:
    """The design names one more, which needs somebody to ask."""
    if value == "reflect":
        raise ValueError(
            "reflect is not available in this version; use stop, notify-continue or ignore"
        )
    return value


_JUDGE_OPTIONS = ("judge_model", "judge_fallback_models", "judge_max_diff")

Texts = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_texts)]
Count = Annotated[int, BeforeValidator(units.count)]
Dollars = Annotated[int, BeforeValidator(units.micro_dollars)]
Seconds = Annotated[float, BeforeValidator(units.seconds)]
Bytes = Annotated[int, BeforeValidator(units.byte_count)]


class Settings(BaseSettings):
    """The options of ``run``. Dollars are kept as millionths, durations in seconds.

    ``cwd`` is absolute once it was loaded.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="forbid", frozen=True
    )

    agent: str = ""
    model: str = ""
    fallback_models: Texts = ()
    stop: Texts = ()
    results: Texts = ()
    contract: Texts = ()
    evaluators: Texts = ()
    declared: dict[str, EvaluatorRequest] = {}
    judge: str = ""
    judge_model: str = ""
    judge_fallback_models: Texts = ()
    judge_max_diff: Count = MAX_DIFF
    max_rounds: Annotated[int, BeforeValidator(units.count_or_none)] | None = None
    max_time: Seconds | None = None
    max_wait: Seconds = 6 * 3600.0
    max_usd: Dollars | None = None
    max_tokens: Count | None = None
    per_round_usd: Dollars | None = None
    assume_usd_per_round: Dollars | None = None
    assume_tokens_per_round: Count | None = None
    prices: dict[str, Rate] = {}
    on_concern: Annotated[OnConcern, BeforeValidator(_concern)] = OnConcern.STOP
    require_handoff: bool | None = None
    isolation: Isolation = Isolation.SEPARATE_WORKTREE
    sandbox: Literal["auto", "off", "bwrap"] = "off"
    sandbox_read: Texts = ()
    sandbox_write: Texts = ()
    sandbox_keys: Texts = ()
    protect: Texts = ()
    allow: Texts = ()
    holdout: str = ""
    holdout_stop: Texts = ()
    confirm: Count = 1
    allow_new_tests: bool = False
    container_network: bool = False
    container_read: Texts = ()
    container_memory: Bytes | None = None
    container_processes: Count | None = None
    container_file_size: Bytes | None = None
    container_cpu: Seconds | None = None
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
    pricing: str = "prices"
    log_detail: Literal["full", "summary"] = "full"

    @property
    def container(self) -> ContainerSettings:
        """What was said of evaluators in a container."""
        return ContainerSettings(
            network=self.container_network,
            read=tuple(os.path.expanduser(path) for path in self.container_read),  # noqa: PTH111 - text in, text out
            limits=Limits(
                memory_bytes=self.container_memory,
                processes=self.container_processes,
                file_bytes=self.container_file_size,
                cpu_s=None if self.container_cpu is None else math.ceil(self.container_cpu),
            ),
        )

    @property
    def price_table(self) -> tuple[ModelPrice, ...]:
        """The prices, the line that is meant first: names before globs, long globs before short."""

        def order(model: str) -> tuple[bool, int]:
            return any(mark in model for mark in "*?["), -len(model)

        models = sorted(self.prices, key=order)
        return tuple(ModelPrice(model=model, rate=self.prices[model]) for model in models)


_SAID = frozenset(Settings.model_fields) - {DECLARED}
"""What a variable or a key at the top of a file can say; evaluators are declared in tables."""


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
    files = read_files(configuration_folder(flags, folder), os.environ, _SAID)

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
            layers = (InitSettingsSource(settings_cls, _values(file)) for file in files)
            return (init_settings, env_settings, *layers)

    try:
        settings = Layered(**flags)
    except ValidationError as error:
        raise _usage_error(error, flags, files) from error
    _refuse_judge_options(flags, settings)
    typed = "stop" in flags or bool(os.environ.get(f"{PREFIX}STOP"))
    place = working_folder(flags, settings.cwd, folder, () if typed else files)
    changes: dict[str, object] = {"cwd": str(place)}
    given = [name for name in Settings.model_fields if name in _SAID & settings.model_fields_set]
    if "results" in given and _layer("results", flags, files) > _layer("stop", flags, files):
        changes["results"] = ()  # they were said of other stop commands
        given.remove("results")
    for name, path in (("judge", settings.judge), ("holdout", settings.holdout)):
        if path:
            changes[name] = _as_seen_from(folder, path, _file_of(name, flags, files))
    origins = {name: _origin(name, flags, files) for name in given}
    settings = settings.model_copy(update=changes)
    return Explained(settings, tuple(file.path for file in files), origins)


def _values(file: ConfigFile) -> dict[str, Any]:
    """What a file says; a price or an evaluator of the stronger file replaces a whole one."""
    values = dict(file.values)
    if DECLARED in values:
        tables = values[DECLARED].items()
        values[DECLARED] = {name: _declared(name, table, file.path) for name, table in tables}
    table = values.get("prices")
    if isinstance(table, dict):
        values["prices"] = {model: _rate(model, price, file.path) for model, price in table.items()}
    return values


def _rate(model: str, price: object, path: Path) -> Rate:
    named = price if isinstance(price, dict) else {}
    try:
        return Rate.model_validate({key.replace("-", "_"): named[key] for key in named})
    except ValidationError as error:
        problem = error.errors()[0]
        raise UsageError(
            f"the price of {model} in {path}: {problem['loc'][0]}: {problem['msg']}",
            why="a price is input, output and, if you like, cache_read and cache_write, in US "
            "dollars for a million tokens",
            next_step=f"write prices.{json.dumps(model)} = {{ input = 3.0, output = 15.0 }}",
        ) from error


def _declared(name: str, table: object, path: Path) -> EvaluatorRequest:
    given: dict[str, Any] = dict(table) if isinstance(table, dict) else {"command": table}
    rubric = given.get("rubric")
    if rubric and isinstance(rubric, str):
        given["rubric"] = str(path.parent / rubric)  # as seen from the file that names it
    try:
        return EvaluatorRequest.model_validate({**given, "name": name})
    except ValidationError as error:
        problem = error.errors()[0]
        key = ".".join(map(str, problem["loc"][:1]))
        cause = problem.get("ctx", {}).get("error", problem["msg"])
        raise UsageError(
            f"[evaluators.{name}] in {path}: {f'{key}: ' if key else ''}{_in_our_words(cause)}",
            why="known keys: "
            + ", ".join(key for key in EvaluatorRequest.model_fields if key != "name"),
            next_step='write, for example: command = "./contract.sh" and criteria = "contract"',
        ) from error


def _as_seen_from(folder: Path, path: str, file: ConfigFile | None) -> str:
    """A path that a file names is meant from where the file is."""
    path = os.path.expanduser(path)  # noqa: PTH111 - a text, as it was typed
    return path if file is None else os.path.relpath(file.path.parent / path, folder)


def _refuse_judge_options(flags: Mapping[str, Any], settings: Settings) -> None:
    """Refuse what was typed for a judge where there is none; in a file it may wait for one."""
    named = next((name for name in _JUDGE_OPTIONS if name in flags), None)
    if named is not None and not settings.judge:
        option = named.removesuffix("s").replace("_", "-")
        raise UsageError(
            f"--{option} is for a judge, and there is none",
            why="a judge is a rubric that a language model scores",
            next_step="add --judge RUBRIC.md, or leave it out",
        )


def _refuse_misspelt(environment: Mapping[str, str]) -> None:
    """A cap in a misspelt variable would be no cap at all."""
    known = {name.upper() for name in _SAID} | NOT_SETTINGS
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


def _file_of(name: str, flags: Mapping[str, Any], files: list[ConfigFile]) -> ConfigFile | None:
    """The file that a setting comes from; ``None``: it was typed."""
    below = _layer(name, flags, files) - 2
    return files[below] if 0 <= below < len(files) else None


def _origin(name: str, flags: Mapping[str, Any], files: list[ConfigFile]) -> str:
    """Where the value of a setting comes from, in the words of whoever wrote it there."""
    option = name.replace("_", "-")
    if name in flags:
        return f"--{option}"
    variable = PREFIX + name.upper()
    if os.environ.get(variable):
        return variable
    return next((f"{option} in {file.path}" for file in files if name in file.values), option)
