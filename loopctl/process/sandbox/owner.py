"""Who a program in a sandbox is: the user, or in root's place a user id that may do nothing.

Root in a sandbox would still be root: it could read every file that is mounted and mount them
anew. Invariant: what such a program may write to was handed to its user id before it starts, and
that is only ever something of our own, never a file of the user's.
"""

import os

UNPRIVILEGED = 65534
"""``nobody``: the kernel's own number for who owns nothing."""


def is_root() -> bool:
    """Whether programs in a sandbox run under another user id than we do."""
    return os.geteuid() == 0
