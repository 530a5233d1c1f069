"""What client and server of a session socket agree on: one line each way, then the end.

A request is the session's token, a space, and JSON with an ``op``: ``list``, or ``call`` with
``tool`` and ``arguments``. The reply is JSON: to a list that is allowed it has ``tools``, else
``text`` and ``refused``.

Nothing is imported here: the commands that agents type in a shell start fast.
"""

SOCKET = "LOOPCTL_SOCKET"
TOKEN = "LOOPCTL_TOKEN"  # noqa: S105 - the name of a variable
"""The variables with which an agent session reaches the tools."""

MOST_BYTES = 1024 * 1024
"""The longest line that the server reads."""

ANSWER_S = 60.0
"""How long the loop may take for one call; a client waits a little longer than that."""
