"""``loopctl usage``: what a loop has used so far; also while it runs."""

import os
from pathlib import Path

from loopctl.cli import options
from loopctl.cli.output import as_json, say


def usage(name: options.SomeLoop, *, json: options.Json = False) -> int:
    """Show what a loop has used so far. Tokens and cost, by model, by role and by round."""
    from loopctl.cli.stored import open_stored
    from loopctl.cli.usage_text import usage_object, usage_text
    from loopctl.cli.usage_totals import add_up
    from loopctl.store.agent_sessions import usage_of
    from loopctl.store.lease import owner
    from loopctl.store.loop_documents import load_state

    with open_stored(os.environ) as stored:
        loop = stored.choose(name, Path.cwd())
        state = load_state(stored.database, loop.id)
        rows = usage_of(stored.database, loop.id)
        driver = owner(stored.database, loop.id)
    totals = add_up(rows)
    if json:
        say(as_json(usage_object(loop, state, driver, totals, rows)))
    else:
        say(usage_text(loop, state, driver, totals))
    return 0
