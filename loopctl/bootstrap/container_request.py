"""What the user says about evaluators in a container, looked at before a start.

Invariant: a path that is to be readable in there is named from the root, so that it means the same
wherever a loop is started or continued.
"""

import os

from loopctl.domain.confinement import ContainerSettings
from loopctl.errors import UsageError


def check_container(settings: ContainerSettings) -> None:
    """Refuse paths that mean nothing.

    Raises:
        UsageError: one is relative, or is not there.
    """
    for path in settings.read:
        if not path.startswith("/"):
            raise UsageError(
                f"[container] read cannot name {path!r}",
                why="it has to be an absolute path, or begin with ~/",
            )
        if not os.path.lexists(path):
            raise UsageError(
                f"[container] read names {path}, which is not there",
                next_step="correct it, or take it out",
            )


def is_set(settings: ContainerSettings) -> bool:
    """Whether the user has said anything about containers."""
    return settings != ContainerSettings()
