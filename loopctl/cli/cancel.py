"""``loopctl cancel``: end a running loop from another terminal."""

import os
from pathlib import Path

from loopctl.cli import options
from loopctl.cli.agent_guard import refuse_inside_agent
from loopctl.cli.output import say


def cancel(name: options.LoopName = None) -> int:
    """End a running loop. NAME may be left out when only one runs here; the work is kept."""
    refuse_inside_agent(os.environ, "loopctl cancel")
    from loopctl.bootstrap import cancelling
    from loopctl.observe.plain import block

    say(block(cancelling.cancel(name, Path.cwd(), os.environ)))
    return 0
