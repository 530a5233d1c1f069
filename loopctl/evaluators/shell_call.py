"""How a shell is started for a command: without any file of settings.

Invariant: no profile, rc file, function or alias of anybody is read. A plain ``sh -c`` reads none
by itself as long as the environment has no ``ENV`` and no ``BASH_ENV``, which the allow-list sees
to. Not every ``sh`` knows ``pipefail``; bash does, and behaves like ``sh`` when told to.
"""

import os

from loopctl.domain.hardening import Hardening

_SH = "/bin/sh"
_BASH = "/bin/bash"


def shell_argv(command: str, hardening: Hardening) -> tuple[str, ...]:
    """The program and the arguments that run ``command``."""
    if hardening is not Hardening.PIPEFAIL:
        return _SH, "-c", command
    options = ("--noprofile", "--norc", "--posix", "-o", "pipefail")
    return _BASH, *options, "-c", command, _SH  # messages begin with the last word


def has_pipefail() -> bool:
    """Whether there is a shell that can let a failure before a ``|`` reach the exit status."""
    return os.access(_BASH, os.X_OK)
