"""Supplies: what a worktree or a checkout is given beside the files that git holds.

Frozen at start. Invariant: an agent and an evaluator are supplied from the user's own checkout,
each with copies of its own, so that nothing an agent does to its copy reaches an evaluator.
"""

import re
from enum import StrEnum

from loopctl.domain.value import Value

_LITTER = frozenset(
    {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", "htmlcov"}
    | {".import_linter_cache", ".idea", ".vscode", ".nyc_output", ".eggs"}
)

_SETTINGS = re.compile(
    r"\.env(?:\..+|rc)?|.+\.env|.+\.local|(?:.+\.)?local\..+|local_settings\.py"
    r"|(?:settings|config|secrets?)\.(?:ini|json|toml|ya?ml|py)|\.(?:npmrc|secrets?)"
)


class EvaluatorGit(StrEnum):
    """What git finds in an evaluator's checkout."""

    NONE = "none"
    ONE_COMMIT = "one-commit"
    HISTORY = "history"


class WorkspaceSupplies(Value):
    """What the agent's worktree is given before round 1, and again after it was rebuilt.

    Attributes:
        share: ignored files and folders of the user's checkout, relative to its root, to copy.
        setup: a shell command to run once, with the agent's environment; ``""`` for none.
    """

    share: tuple[str, ...] = ()
    setup: str = ""


class EvaluatorSupplies(Value):
    """What every ``separate-worktree`` checkout is given.

    Attributes:
        share: ignored files and folders of the user's checkout, relative to its root, to copy.
        setup: a shell command whose new files are kept until what it read changes; ``""`` for none.
        teardown: a shell command to run after the evaluator; ``""`` for none.
        git: what git finds there.
        cache: folders of the user that are passed as they are, readable and writable.
        paths: folders to which the checkout is limited; empty is the whole tree.
    """

    share: tuple[str, ...] = ()
    setup: str = ""
    teardown: str = ""
    git: EvaluatorGit = EvaluatorGit.ONE_COMMIT
    cache: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


def missing_folders(
    ignored: tuple[str, ...], supplies: EvaluatorSupplies | WorkspaceSupplies
) -> tuple[str, ...]:
    """The ignored folders that a checkout or worktree lacks and that a command may need.

    Args:
        ignored: those of the user's checkout.
        supplies: what is copied, or made by a setup: what that makes is not known here.
    """
    if supplies.setup:
        return ()
    return tuple(folder for folder in ignored if folder not in supplies.share and _is_used(folder))


def _is_used(folder: str) -> bool:
    name = folder.rpartition("/")[2]
    return name not in _LITTER and not name.endswith(".egg-info")


def settings_files(ignored: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the ignored files at the root whose names are those of settings."""
    return tuple(name for name in ignored if _SETTINGS.fullmatch(name))


def lacks(folders: tuple[str, ...]) -> str:
    """What a checkout lacks, for people."""
    return f"a checkout lacks what git ignores: {', '.join(folders)}"


def share_line(folders: tuple[str, ...]) -> str:
    """The configuration that supplies these folders, as it is written in ``loopctl.toml``."""
    names = ", ".join(f'"{folder}"' for folder in folders)
    return f"[evaluator] share = [{names}]"
