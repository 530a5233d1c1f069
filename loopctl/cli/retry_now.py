"""``loopctl retry-now``: do not wait for a provider any longer."""

import os
from pathlib import Path

from loopctl.cli import options
from loopctl.cli.agent_guard import refuse_inside_agent
from loopctl.cli.output import say


def retry_now(name: options.LoopName = None) -> int:
    """End a loop's wait for a provider now. NAME may be left out when only one runs here."""
    refuse_inside_agent(os.environ, "loopctl retry-now")
    from loopctl.bootstrap import retrying
    from loopctl.observe.plain import block

    say(block(retrying.retry_now(name, Path.cwd(), os.environ)))
    return 0
