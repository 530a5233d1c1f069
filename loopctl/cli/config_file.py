"""Configuration files: the project's and the user's, read once when a loop starts.

Invariant: a key that is not known is an error that names the file, because a cap that is
misspelt would protect nobody. The project's files are those of the user's checkout, from the
folder in which a command is typed up to the root; an agent's worktree is never looked at.
"""

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from loopctl.cli.checkout import checkout_top
from loopctl.errors import UsageError

VARIABLE = "LOOPCTL_CONFIG"
FILE = "loopctl.toml"
NAMED = "evaluators"
DECLARED = "declared"
"""What the tables ``[evaluators.NAME]`` say; the names are those that are in use."""
TABLES = {
    "evaluator": {
        "env": "evaluator_env",
        "isolation": "isolation",
        "timeout": "eval_timeout",
        "share": "evaluator_share",
        "setup": "evaluator_setup",
        "teardown": "evaluator_teardown",
        "git": "evaluator_git",
        "cache": "evaluator_cache",
        "paths": "evaluator_paths",
        "results": "results",
    },
    "sandbox": {
        "backend": "sandbox",
        "read": "sandbox_read",
        "write": "sandbox_write",
        "keys": "sandbox_keys",
    },
    "container": {
        "network": "container_network",
        "read": "container_read",
        "memory": "container_memory",
        "processes": "container_processes",
        "file-size": "container_file_size",
        "cpu": "container_cpu",
    },
    "workspace": {"share": "workspace_share", "setup": "workspace_setup"},
}


@dataclass(frozen=True)
class ConfigFile:
    """What one file says, with the keys as settings are called."""

    path: Path
    values: Mapping[str, Any]


def read_files(
    folder: Path, environment: Mapping[str, str], known: Iterable[str]
) -> list[ConfigFile]:
    """The files that hold in ``folder``, the stronger first.

    Args:
        folder: where the command was typed.
        environment: may name the user's file.
        known: the names of all settings.

    Raises:
        UsageError: one cannot be read, or holds a key that is not known.
    """
    names = frozenset(known)
    found = (*_project_tables(folder), *_user_table(environment))
    return [ConfigFile(path, _settings(path, table, names)) for path, table in found]


def configured_in(folder: Path) -> Path | None:
    """The project's file at the root of the checkout around ``folder``; None without one.

    Raises:
        UsageError: a file cannot be read.
    """
    top = checkout_top(folder)
    if top is None:
        return None
    if os.path.lexists(top / FILE):
        return top / FILE
    tables = _tables_in(top)
    return tables[0][0] if tables else None


def _project_tables(folder: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Those from the folder up to the root of its checkout: a part of a project has its own."""
    top = checkout_top(folder)
    folders = (each for each in (folder, *folder.parents) if top and each.is_relative_to(top))
    return [table for each in folders for table in _tables_in(each)]


def _tables_in(folder: Path) -> list[tuple[Path, dict[str, Any]]]:
    own, shared = folder / FILE, folder / "pyproject.toml"
    tables = [(own, _read(own))] if own.is_file() else []
    if shared.is_file() and "loopctl" in (tool := _read(shared).get("tool", {})):
        tables.append((shared, tool["loopctl"]))
    if len(tables) > 1:
        raise UsageError(
            f"{own} and [tool.loopctl] in {shared.name} both configure this folder",
            next_step="keep one of them",
        )
    return tables


def _user_table(environment: Mapping[str, str]) -> list[tuple[Path, dict[str, Any]]]:
    chosen = environment.get(VARIABLE)
    path = Path(chosen or platformdirs.user_config_path("loopctl", appauthor=False) / "config.toml")
    return [(path, _read(path))] if chosen or path.is_file() else []


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read",
            why=error.strerror or str(error),
            next_step="make it readable, or move it away",
        ) from error
    except ValueError as error:  # the parser's error says the line
        raise UsageError(
            f"{path} is not valid TOML",
            why=str(error),
            next_step="correct it (loopctl init --stdout shows a file that is)",
        ) from error


def _settings(path: Path, table: object, known: frozenset[str]) -> dict[str, Any]:
    """The table with its keys checked, and those of its own tables beside the others."""
    if not isinstance(table, dict):
        raise UsageError(f"{path}: loopctl's configuration has to be a table")
    settings: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name in TABLES and isinstance(value, dict):
            names = TABLES[name]
            for inner, inner_value in value.items():
                setting = names.get(inner.replace("_", "-"))
                if setting is None:
                    raise _unknown(path, f"{name}.{inner}", names)
                _add(settings, path, setting, inner_value)
        elif name == NAMED and isinstance(value, dict):
            _add(settings, path, DECLARED, value)
            _add(settings, path, NAMED, list(value))
        elif name in known:
            _add(settings, path, name, value)
        else:
            raise _unknown(path, key, {*known, *TABLES})
    return settings


def _add(settings: dict[str, Any], path: Path, name: str, value: object) -> None:
    if name in settings:
        raise UsageError(f"{path} says twice what {name.replace('_', '-')} is")
    settings[name] = value


def _unknown(path: Path, key: str, known: Iterable[str]) -> UsageError:
    names = sorted(name.replace("_", "-") for name in known)
    meant = difflib.get_close_matches(key.rpartition(".")[2].replace("_", "-"), names, n=1)
    return UsageError(
        f"{path} has an unknown key: {key}",
        why=f"known keys: {', '.join(names)}",
        next_step=f"write {meant[0]}, or take it out" if meant else "correct it, or take it out",
    )
