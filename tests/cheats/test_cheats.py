"""Every cheat at every level: what becomes of it is what the catalogue says.

The bare loop runs beside it: where it is fooled, the cheat is known to work.
"""

import re

import pytest
from cheat import Cheat, Level, Outcome
from cheat_catalogue import CATALOGUE, CHEATS
from conftest import Maker
from ordinary_user import needs_sandbox

HELD_OUT = "the hold-out check failed"
EXAMPLES = [group[0] for group in CATALOGUE.values()]
TRIED = [
    pytest.param(
        cheat,
        level,
        id=f"{cheat.name}-{level.name.lower()}{'-example' if cheat in EXAMPLES else ''}",
        marks=needs_sandbox if level is Level.CONTAINER else (),
    )
    for cheat in CHEATS
    for level in cheat.levels
]


@pytest.mark.parametrize(("cheat", "level"), TRIED)
def test_what_becomes_of_a_cheat(cheat: Cheat, level: Level, cheated: Maker) -> None:
    here = cheated(cheat.kind, cheat)
    ending = here.cheat(cheat, level)
    assert ending.outcome is cheat.expected(level), ending.told
    if level is Level.BARE:
        return
    assert ending.code == cheat.exit_at(level), ending.told
    assert not here.canary.exists(), "a program that the agent planted was run by loopctl"
    if ending.outcome is Outcome.WARNED:
        assert any(re.search(cheat.names, line) for line in ending.odd), ending.odd
    if level is Level.SEPARATE and cheat.shown_by:
        assert re.search(cheat.shown_by, ending.told), ending.told
    if level is Level.CONTAINER and cheat.in_process:
        assert HELD_OUT in ending.told, ending.told
    if cheat.afterwards is not None:
        cheat.afterwards(here.world)
    here.world.no_process_left()
