"""``loopctl apply``: the work of a loop, as uncommitted changes of the user's checkout."""

import os
from pathlib import Path

from loopctl.cli import options
from loopctl.cli.agent_guard import refuse_inside_agent, refuse_inside_worktree
from loopctl.cli.output import notice, say


def apply(name: options.SomeLoop, *, force: options.Force = False) -> int:
    """Put the work of a loop onto your checkout. Nothing is staged or committed."""
    refuse_inside_agent(os.environ, "loopctl apply")
    refuse_inside_worktree(os.environ, Path.cwd())
    from loopctl.bootstrap import applying
    from loopctl.cli.applied_text import applied_text, left_out_text

    applied = applying.apply(name, Path.cwd(), os.environ, force=force)
    if applied.doubt:
        notice(f"not proved: {applied.doubt}")
    if applied.left_out:
        notice(left_out_text(applied.left_out))
    say(applied_text(applied))
    return 0
