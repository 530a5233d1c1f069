"""Loops: named, found, loaded; and the commands that users leave for them."""

import logging

import pytest
from sqlalchemy import text
from store_world import make_spec, new_loop

from loopctl.domain.loop import begin
from loopctl.errors import UnknownNameError
from loopctl.store.commands import answer_to, leave_command, pending, withdraw
from loopctl.store.loop_documents import create_loop, load_state
from loopctl.store.loops import find, list_loops, newest_loops
from loopctl.store.problems import InvalidRowError


def test_the_first_free_name_is_taken(database, home):
    taken = {"fix-3"}
    ids = [create_loop(database, home, "fix", make_spec, taken.__contains__) for _ in range(3)]
    assert [loop.name for loop in list_loops(database)] == ["fix", "fix-2", "fix-4"]
    assert [loop.id for loop in list_loops(database)] == ids
    assert find(database, "p1", "fix-4").branch == "loopctl/fix-4"
    assert home.loop_folder(ids[0]).is_dir()
    assert home.has_loops


def test_running_loops_come_before_newer_ones(database, home):
    ids = [new_loop(database, home) for _ in range(4)]
    over = text("UPDATE loops SET status = 'cancelled', ended_at = 1 WHERE id <> :running")
    with database.write() as connection:
        connection.execute(over, {"running": ids[1]})
    shown, more = newest_loops(database, "p1", 3)
    assert [loop.id for loop in shown] == [ids[1], ids[3], ids[2]]
    assert more == 1
    assert newest_loops(database, "p2", 3) == ((), 0)
    assert newest_loops(database, None, 9)[1] == 0


def test_a_name_is_unique_in_its_project_alone(database, home):
    new_loop(database, home)
    make = lambda name: make_spec(name, project="p2", repository="/other")  # noqa: E731
    other = create_loop(database, home, "fix", make, lambda name: False)
    assert [loop.name for loop in list_loops(database)] == ["fix", "fix"]
    assert find(database, "p2", "fix").id == other
    assert find(database, None, other).repository == "/other"
    with pytest.raises(UnknownNameError, match="2 loops") as ambiguous:
        find(database, None, "fix")
    assert other in ambiguous.value.next_step


def test_an_unknown_name_lists_the_known_ones(database, home):
    with pytest.raises(UnknownNameError) as unknown:
        find(database, "p1", "fox")
    assert "no loop was started" in unknown.value.why
    new_loop(database, home)
    with pytest.raises(UnknownNameError) as unknown:
        find(database, "p1", "fox")
    assert "fix" in unknown.value.why


def test_a_new_loop_is_as_it_was_asked_for(database, home):
    goal = "fix\tthe \N{BUG}\r\nand 'quotes' \x00 -- end"
    make = lambda name: make_spec(name, goal=goal)  # noqa: E731
    loop_id = create_loop(database, home, "fix", make, lambda name: False)
    assert load_state(database, loop_id) == begin(make("fix"))
    assert find(database, "p1", "fix").goal == goal
    with pytest.raises(UnknownNameError):
        load_state(database, "nobody")


@pytest.mark.parametrize(
    "damage",
    [
        "state_json = '{}'",
        "state_json = 'nonsense'",
        "state_json = '[]'",
        "spec_json = '{\"name\": 1}'",
        'state_json = replace(state_json, \'"order":0\', \'"order":"0"\')',
    ],
)
def test_a_state_that_does_not_fit_is_never_guessed(database, home, caplog, damage):
    loop_id = new_loop(database, home)
    with database.write() as connection:
        connection.exec_driver_sql(f"UPDATE loops SET {damage}")
    with caplog.at_level(logging.WARNING), pytest.raises(InvalidRowError):
        load_state(database, loop_id)
    assert loop_id in caplog.text


def test_a_loop_with_an_invalid_row_is_left_out_of_the_list(database, home, caplog):
    new_loop(database, home)
    kept = new_loop(database, home)
    with database.write() as connection:
        connection.execute(
            text("UPDATE loops SET stop_kind = 'stuck', stop_json = '{}' WHERE name = 'fix'")
        )
    assert [loop.id for loop in list_loops(database)] == [kept]
    assert "is left out" in caplog.text


def test_a_command_is_answered_or_withdrawn_once(database, home):
    loop_id = new_loop(database, home)
    first = leave_command(database, loop_id, "cancel", "user")
    second = leave_command(database, loop_id, "cancel", "user")
    assert {command.id for command in pending(database, loop_id)} == {first, second}
    assert answer_to(database, first) is None
    assert withdraw(database, first)
    assert not withdraw(database, first)
    assert answer_to(database, first).refused == "withdrawn"
    assert [command.id for command in pending(database, loop_id)] == [second]
