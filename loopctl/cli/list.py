"""``loopctl list``: every loop of this project, or of all."""

import os
from pathlib import Path

from loopctl.cli import options
from loopctl.cli.output import as_json, say


def list_(*, everywhere: options.Everywhere = False, json: options.Json = False) -> int:
    """List the loops of this project. The oldest comes first."""
    from loopctl.cli.checkout import project_of
    from loopctl.cli.loop_list import list_object, list_table
    from loopctl.cli.stored import open_stored
    from loopctl.store.lease import owners
    from loopctl.store.loops import list_loops

    project = None if everywhere else project_of(Path.cwd())
    with open_stored(os.environ) as stored:
        loops = list_loops(stored.database, project)
        drivers = owners(stored.database)
    say(as_json(list_object(loops, drivers)) if json else list_table(loops, drivers))
    return 0
