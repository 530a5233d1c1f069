"""Every event is one JSON object on one line of ASCII; the last says where the work is."""

import json

import pytest
from observed_facts import COMMIT, FACTS, end_entry, ended, entry_of

from loopctl.observe.ndjson import SCHEMA, Ndjson, event_object
from loopctl.ports import LogEntry

ENVELOPE = ["schema", "seq", "time", "loop", "round", "event", "data"]


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.kind)
def test_the_envelope(fact):
    shown = event_object(entry_of(fact), "fix-it")
    assert list(shown) == ENVELOPE
    assert (shown["schema"], shown["event"]) == (SCHEMA, fact.kind)
    assert not shown["data"].keys() & {"kind", "at", "mono", "order"}
    assert json.loads(json.dumps(shown)) == shown


def test_fields_that_were_stored_as_defaults_are_there():
    shown = event_object(LogEntry(1, 0.0, 0, "cancel_requested", {}), "fix-it")
    assert shown["data"] == {"by": "user", "command_id": ""}


def test_what_is_not_understood_is_passed_on():
    shown = event_object(LogEntry(1, 0.0, 0, "from_the_future", {"x": 1, "order": 3}), "fix-it")
    assert shown["data"] == {"x": 1}


def test_the_last_line(written):
    state = ended()
    text = written(lambda writer: Ndjson(writer).observe(end_entry(state), state))
    data = json.loads(text)["data"]
    assert data["stop"]["kind"] == "goal-met"
    assert (data["status"], data["exit_code"]) == ("completed", 0)
    assert data["branch"] == "loopctl/fix-it"
    assert (data["worktree"], data["commit"]) == ("/w/fix-it", COMMIT)


def test_lines_are_ascii(written):
    state = ended()
    fact = FACTS[-1].evolve(stop=FACTS[-1].stop.evolve(tree="ä\n漢"))
    text = written(lambda writer: Ndjson(writer).observe(entry_of(fact), state))
    assert text.isascii()
    assert text.count("\n") == 1
