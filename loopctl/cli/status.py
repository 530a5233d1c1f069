"""``loopctl status``: how loops stand; with ``--restart``, go on with one of them."""

import os
from pathlib import Path

from loopctl.cli import options
from loopctl.cli.output import say
from loopctl.errors import UsageError

_SHOWN = 10
_CAPS = ("max_rounds", "max_time", "max_usd", "max_tokens")


def status(
    name: options.LoopName = None,
    *,
    restart: options.Restart = False,
    max_rounds: options.MaxRounds = None,
    max_time: options.MaxTime = None,
    max_usd: options.MaxUsd = None,
    max_tokens: options.MaxTokens = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Show how loops stand. With NAME, all about that one; with --restart, go on with it."""
    caps = dict(zip(_CAPS, (max_rounds, max_time, max_usd, max_tokens), strict=True))
    given = {cap: text for cap, text in caps.items() if text is not None}
    if restart:
        return _restart(name, given, json=json, quiet=quiet)
    if given or quiet:
        option = next(iter(given), "quiet").replace("_", "-")
        raise UsageError(
            f"--{option} means something with --restart alone",
            next_step=f"loopctl status {name or 'NAME'} --restart",
        )
    say(_overview(json=json) if name is None else _detail(name, json=json))
    return 0


def _overview(*, json: bool) -> str:
    from loopctl.cli.checkout import project_of
    from loopctl.cli.loop_list import list_object, list_table
    from loopctl.cli.output import as_json
    from loopctl.cli.stored import open_stored
    from loopctl.store.lease import owners
    from loopctl.store.loops import newest_loops

    with open_stored(os.environ) as stored:
        shown, more = newest_loops(stored.database, project_of(Path.cwd()), _SHOWN)
        drivers = owners(stored.database)
    if json:
        return as_json(list_object(shown, drivers))
    text = list_table(shown, drivers)
    return f"{text}\nand {more} more: loopctl list" if more else text


def _detail(name: str, *, json: bool) -> str:
    from loopctl.cli.loop_detail import detail_object, detail_text
    from loopctl.cli.output import as_json
    from loopctl.cli.stored import open_stored
    from loopctl.store.lease import owner
    from loopctl.store.loop_documents import load_state

    with open_stored(os.environ) as stored:
        loop = stored.choose(name, Path.cwd())
        state = load_state(stored.database, loop.id)
        driver = owner(stored.database, loop.id)
    if json:
        return as_json(detail_object(loop, state, driver))
    return detail_text(loop, state, driver)


def _restart(name: str | None, caps: dict[str, str], *, json: bool, quiet: bool) -> int:
    from loopctl.bootstrap.continuing import restart
    from loopctl.cli.agent_guard import refuse_inside_agent
    from loopctl.cli.cap_changes import cap_changes
    from loopctl.cli.drive import drive

    refuse_inside_agent(os.environ, "loopctl status --restart")
    changes = cap_changes(caps)
    return drive(
        lambda observers: restart(name, Path.cwd(), changes, os.environ, observers),
        json=json,
        quiet=quiet,
    )
