"""Every kind of event and logged record has its line, and no line can move the cursor."""

from typing import get_args

import pytest
from observed_facts import FACTS, NOON, ended, entry_of

from loopctl.domain.events import AnyEvent, EvaluatorFinished
from loopctl.domain.protection import Protection
from loopctl.domain.records import AnyRecord
from loopctl.observe.fact import Fact, LoggedRecord, fact_of
from loopctl.observe.lines import Lines, line
from loopctl.observe.protection_notice import protection_notice
from loopctl.observe.sentence import sentence
from loopctl.ports import LogEntry


def test_the_facts_are_all_events_and_the_logged_records():
    logged = {record for record in get_args(AnyRecord) if record.logged}
    assert logged == set(get_args(LoggedRecord))
    assert {*get_args(AnyEvent), *logged} == set(get_args(Fact))


def test_there_is_an_example_of_every_fact():
    assert {type(fact) for fact in FACTS} == set(get_args(Fact))


def test_the_lines(text_snapshot):
    lines = [line(entry_of(fact), "12:00:00") for fact in FACTS]
    assert "\n".join([*lines, ""]) == text_snapshot


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.kind)
def test_a_line_is_one_printable_line(fact):
    text = sentence(fact)
    assert text
    assert text.isprintable()


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.kind)
def test_a_fact_survives_the_log(fact):
    assert fact_of(entry_of(fact)) == fact


def test_a_baseline_is_called_so():
    finished = next(fact for fact in FACTS if isinstance(fact, EvaluatorFinished))
    entry = entry_of(finished)
    baseline = LogEntry(entry.seq, entry.at, 0, entry.kind, entry.payload)
    assert " baseline: FAIL stop-1: exit 1 after 0.4 s: python -m pytest -q" in line(baseline)


@pytest.mark.parametrize(
    "entry",
    [
        LogEntry(1, NOON, 0, "from_the_future", {"x": "\x1b[2J"}),
        LogEntry(1, NOON, 0, "session_opened", {"unknown": 1}),
    ],
    ids=["unknown kind", "unknown shape"],
)
def test_what_is_not_understood_is_shown_as_it_is_stored(entry):
    text = line(entry)
    assert entry.kind in text
    assert text.isprintable()


def test_the_observer_writes_a_line_for_each_event(written):
    observed = [entry_of(fact) for fact in FACTS]

    def work(writer):
        lines = Lines(writer)
        for entry in observed:
            lines.observe(entry, ended())

    shown = written(work).splitlines()
    notices = [text for text in shown if "nothing is protected" in text]
    assert len(notices) == 1  # as the loop starts
    assert len(shown) == len(observed) + len(notices)


def test_what_is_protected_is_told_with_what_is_not():
    (python, make) = protection_notice(Protection(presets=("make", "python"), patterns=("a",)))
    assert "python" in python
    assert "doctests" in python
    assert "make" in make
