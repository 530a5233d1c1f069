"""``loopctl logs``: everything that happened to a loop, line by line."""

import os
from pathlib import Path

from loopctl.cli import options
from loopctl.cli.output import as_json, say


def logs(name: options.SomeLoop, *, json: options.Json = False) -> int:
    """Print what happened to a loop. Says where its log files are as well."""
    from loopctl.cli.stored import open_stored
    from loopctl.observe.lines import DATE_AND_CLOCK, line
    from loopctl.observe.ndjson import event_object
    from loopctl.observe.plain import one_line
    from loopctl.store.event_log import events_of

    with open_stored(os.environ) as stored:
        loop = stored.choose(name, Path.cwd())
        entries = events_of(stored.database, loop.id)
        folder = stored.logs_folder(loop.id)
    for entry in entries:
        say(as_json(event_object(entry, loop.name)) if json else line(entry, DATE_AND_CLOCK))
    if not json and folder.is_dir():
        for file in sorted(folder.iterdir()):
            say(f"log file {one_line(str(file))}")
    return 0
