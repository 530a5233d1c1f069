"""``loopctl show``: what each round of a loop did and how it was judged."""

import os
from pathlib import Path

from loopctl.cli import options
from loopctl.cli.output import as_json, say
from loopctl.errors import UsageError


def show(name: options.SomeLoop, *, round: options.Round = None, json: options.Json = False) -> int:  # noqa: A002 - the option's name
    """Show a loop's rounds and evidence. With --round, one with its prompt and whole evidence."""
    from loopctl.cli.round_detail import round_text, rounds_table
    from loopctl.cli.round_object import rounds_object
    from loopctl.cli.rounds import read_rounds
    from loopctl.cli.stored import open_stored
    from loopctl.cli.table import labelled
    from loopctl.observe.evidence_card import whole_card
    from loopctl.store.evidence_rows import stored_evidence
    from loopctl.store.loop_documents import load_state

    number = None if round is None else round_number(round, "show")
    with open_stored(os.environ) as stored:
        loop = stored.choose(name, Path.cwd())
        history = read_rounds(stored, loop, number)
        state = load_state(stored.database, loop.id)
        evidence = stored_evidence(stored.database, loop.id, state)
    if json:
        say(as_json(rounds_object(history, evidence)))
    elif number is None:
        say(f"{rounds_table(history)}\n\n{labelled([*whole_card(evidence)])}")
    else:
        say("\n\n".join(round_text(entry) for entry in history.rounds))
    return 0


def round_number(text: str, command: str) -> int:
    """The number of a round, as it was typed for ``command``.

    Raises:
        UsageError: it is no number.
    """
    from loopctl.cli.units import count_or_none

    try:
        return count_or_none(text)
    except ValueError as error:
        raise UsageError(f"--round: {error}", next_step=f"loopctl {command} --help") from error
