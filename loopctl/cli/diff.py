"""``loopctl diff``: what a loop, or one round of it, has changed."""

import os
from pathlib import Path

from loopctl.cli import options
from loopctl.cli.output import as_json, notice, pour, say
from loopctl.errors import UsageError


def diff(
    name: options.SomeLoop,
    *,
    round: options.OneRound = None,  # noqa: A002 - the option's name
    stat: options.Stat = False,
    json: options.Json = False,
) -> int:
    """Print what a loop has changed, as a patch. The work is compared with the base commit."""
    from loopctl.cli.comparison import comparison, comparison_object
    from loopctl.cli.show import round_number
    from loopctl.cli.stored import open_stored
    from loopctl.git.difference import overview, patch
    from loopctl.observe.plain import listing

    if stat and json:
        raise UsageError("--stat and --json exclude each other", next_step="loopctl diff --help")
    number = None if round is None else round_number(round, "diff")
    with open_stored(os.environ) as stored:
        loop = stored.choose(name, Path.cwd())
        with comparison(stored, loop, number) as compared:
            if compared.new is None:
                notice(f"{loop.name} has no snapshot yet")
            elif compared.new.partial:
                notice(f"partial: the turn of round {compared.new.number} was cut short")
            if json:
                say(as_json(comparison_object(compared)))
                return 0
            left_out = compared.left_out()
            if left_out:
                notice(f"neither judged nor applied (protected, or compiled): {listing(left_out)}")
            show = overview if stat else patch
            pour(show(compared.project, compared.old, compared.commit))
    return 0
