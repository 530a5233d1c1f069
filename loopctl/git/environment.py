"""The options and variables that every git command of ours gets.

Invariant: no variable named ``GIT_*`` is inherited, except those by which a user configures git
on purpose, and these only while the user's configuration is meant to be read.
"""

import os
from pathlib import Path

ATTRIBUTES_FILE = "user-attributes"
"""In loopctl's own repositories: what stands in for the user's own file of attributes."""

_OPTIONS = (
    "advice.graftFileDeprecated=false",
    f"core.hooksPath={os.devnull}",
    "core.filesRefLockTimeout=5000",
    "core.fsmonitor=false",
    "core.packedRefsTimeout=5000",
    "core.quotePath=false",
    "core.safecrlf=false",
    "diff.ignoreSubmodules=all",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
)
# Without these, git falls back to files in the home folder that an agent can write.
_SEALED_OPTIONS = (f"core.excludesFile={os.devnull}",)

_VARIABLES = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_AUTHOR_NAME": "loopctl",
    "GIT_AUTHOR_EMAIL": "loopctl@localhost",
    "GIT_COMMITTER_NAME": "loopctl",
    "GIT_COMMITTER_EMAIL": "loopctl@localhost",
    "LC_ALL": "C",
}
_SEALED_VARIABLES = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    # An empty choice of transports: git may want to fetch a missing object by itself.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
}
# What a user sets on purpose around git (CI sets safe.directory this way).
_USER_VARIABLES = ("GIT_CONFIG_", "GIT_LFS_", "GIT_SSH", "GIT_SSL_", "GIT_ASKPASS", "GIT_CEILING_")
# Where no transport and no filter runs, empty is as good as unset, and spares starting `env`.
_EMPTIED = ("GIT_LFS_", "GIT_SSH", "GIT_SSL_", "GIT_ASKPASS")


def options(git_dir: Path | None, *, user_config: bool) -> list[str]:
    """The words between ``git`` and its subcommand."""
    chosen: tuple[str, ...] = _OPTIONS
    if not user_config:
        own = os.path.join(git_dir or os.devnull, ATTRIBUTES_FILE)  # noqa: PTH118 - in every call
        attributes = own if os.path.exists(own) else os.devnull  # noqa: PTH110
        chosen = (*_OPTIONS, *_SEALED_OPTIONS, f"core.attributesFile={attributes}")
    return [word for option in chosen for word in ("-c", option)]


def variables(*, user_config: bool) -> dict[str, str]:
    """The variables to set."""
    if user_config:
        return dict(_VARIABLES)
    emptied = {name: "" for name in os.environ if name.startswith(_EMPTIED)}
    return _VARIABLES | _SEALED_VARIABLES | emptied


def unset_inherited(kept: dict[str, str], *, user_config: bool) -> list[str]:
    """The words before ``git`` that drop inherited variables; none when there are none.

    GitPython adds to the inherited environment and cannot take away from it.
    """
    allowed = _USER_VARIABLES if user_config else ()
    dropped = [
        name
        for name in os.environ
        if name.startswith("GIT_") and name not in kept
        if name == "GIT_CONFIG_PARAMETERS" or not name.startswith(allowed)
    ]
    return ["env", *(word for name in dropped for word in ("-u", name))] if dropped else []
