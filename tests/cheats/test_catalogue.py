"""The catalogue keeps its promises: enough cheats, of every kind, none of them let through."""

from cheat import Level, Outcome
from cheat_catalogue import CATALOGUE, CHEATS


def test_there_are_enough_of_every_group() -> None:
    assert len(CHEATS) >= 80
    assert len({cheat.name for cheat in CHEATS}) == len(CHEATS)
    groups = {cheat.group.split()[0] for cheat in CHEATS}
    assert groups == {f"B{number}" for number in range(1, 14)}


def test_only_what_is_in_the_process_is_warned_of_and_nothing_passes() -> None:
    for cheat in CHEATS:
        wanted = Outcome.WARNED if cheat.in_process else Outcome.CAUGHT
        assert cheat.separate is wanted, cheat.name


def test_a_container_with_a_hold_out_lets_nothing_through() -> None:
    """Tried for one of each group, and for all that the default isolation only warns of."""
    for group in CATALOGUE.values():
        assert group[0].levels == tuple(Level) or group[0].bare is None
    tried = [cheat for cheat in CHEATS if Level.CONTAINER in cheat.levels]
    assert all(cheat in tried for cheat in CHEATS if cheat.in_process)
    assert {cheat.container for cheat in tried} == {Outcome.CAUGHT}
