"""A project: one repository of the user with all its checkouts.

Invariant: every linked worktree of a repository belongs to the same project, because the id comes
from the git folder that they share.
"""

import hashlib
import os

from loopctl.git.repository import UserRepository

_DIGITS = 16


def project_id(user: UserRepository) -> str:
    """The id of the repository's project: 16 hexadecimal digits."""
    place = os.fsencode(os.path.realpath(user.common_dir))
    return hashlib.sha256(place).hexdigest()[:_DIGITS]
