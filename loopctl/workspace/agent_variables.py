"""The variables of an agent in a sandbox: no secrets but its own, and no ways out.

Invariant: a variable that may hold a secret is passed only when it is named.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from loopctl.process.secret_values import secrets_in

TEMPORARY = "/tmp"  # noqa: S108 - a folder of the sandbox's own
_OWN = "LOOPCTL_"
_WAYS_OUT = frozenset(
    {"SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "GPG_AGENT_INFO"}
    | {"DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XAUTHORITY"}
    | {"DISPLAY", "WAYLAND_DISPLAY", "DOCKER_HOST", "CONTAINER_HOST", "TMUX", "STY"}
)
_FOLDERS_OF_HOME = ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
_TEMPORARY_NAMES = ("TMPDIR", "TMP", "TEMP", "TEMPDIR")


def withheld(environment: Mapping[str, str], keys: Iterable[str]) -> tuple[str, ...]:
    """The names of the variables that may hold a secret and are not passed.

    Args:
        environment: the agent's, as it would be without a sandbox.
        keys: names that are passed.
    """
    secret = (name for name in secrets_in(environment) if not name.startswith(_OWN))
    return tuple(sorted(set(secret).difference(keys)))


def sandbox_variables(
    environment: Mapping[str, str], keys: Iterable[str], home: Path
) -> dict[str, str]:
    """The variables that the agent receives, complete."""
    dropped = {*withheld(environment, keys), *_WAYS_OUT, *_TEMPORARY_NAMES}
    dropped |= {
        name
        for name in _FOLDERS_OF_HOME
        if name in environment and not Path(environment[name]).is_relative_to(home)
    }
    kept = {name: value for name, value in environment.items() if name not in dropped}
    return kept | {"HOME": str(home), "TMPDIR": TEMPORARY}
