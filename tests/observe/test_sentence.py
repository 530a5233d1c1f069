"""Every kind of event and logged record has its line, and no line can move the cursor."""

import time
from typing import get_args

import pytest
from observed_facts import FACTS, NOON, ended, entry_of, report

from loopctl.domain.agent_session import Role
from loopctl.domain.concern import OnConcern
from loopctl.domain.criteria import CriterionReport, Verdict
from loopctl.domain.events import AnyEvent, EvaluatorFinished
from loopctl.domain.protection import Protection
from loopctl.domain.records import AnyRecord, CapApproached, ConcernRecorded
from loopctl.domain.stop import CapScope
from loopctl.observe.fact import Fact, LoggedRecord, fact_of
from loopctl.observe.line_writer import LineWriter
from loopctl.observe.lines import Lines, line
from loopctl.observe.ndjson import Ndjson
from loopctl.observe.protection_notice import protection_notice
from loopctl.observe.sentence import sentence
from loopctl.ports import Activity, ActivityObserver, LogEntry


def test_the_facts_are_all_events_and_the_logged_records():
    logged = {record for record in get_args(AnyRecord) if record.logged}
    assert logged == set(get_args(LoggedRecord))
    assert {*get_args(AnyEvent), *logged} == set(get_args(Fact))


def test_there_is_an_example_of_every_fact():
    assert {type(fact) for fact in FACTS} == set(get_args(Fact))


def test_the_lines(text_snapshot, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
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
    """But for each request to a model, of which there are hundreds, and for each doubt twice."""
    observed = [entry_of(fact) for fact in FACTS]
    silent = [entry for entry in observed if entry.kind.startswith(("spend_", "concern_flagged"))]
    silent = [entry for entry in silent if entry.kind != "spend_unseen"]

    def work(writer):
        lines = Lines(writer)
        for entry in observed:
            lines.observe(entry, ended())

    shown = written(work).splitlines()
    notices = [text for text in shown if "nothing is protected" in text]
    assert len(notices) == 1  # as the loop starts
    assert len(shown) == len(observed) - len(silent) + len(notices)
    assert len(silent) == 6


def test_the_mark_of_a_cap_on_rounds_is_not_shown(written):
    mark = CapApproached(scope=CapScope.ROUNDS, percent=50, observed=1, maximum=2)
    assert written(lambda writer: Lines(writer).observe(entry_of(mark), ended())) == ""
    tokens = entry_of(mark.evolve(scope=CapScope.TOKENS))
    assert "50 % of the cap on tokens is used" in written(
        lambda writer: Lines(writer).observe(tokens, ended())
    )


def test_a_doubt_that_is_ignored_is_not_shown(written):
    doubt = next(fact for fact in FACTS if isinstance(fact, ConcernRecorded))
    ignored = entry_of(doubt.evolve(policy=OnConcern.IGNORE))
    assert written(lambda writer: Lines(writer).observe(ignored, ended())) == ""


def test_what_a_session_does_is_a_line_of_its_own(written):
    def work(writer):
        lines = Lines(writer)
        assert isinstance(lines, ActivityObserver)
        lines.show(Activity(round=2, role=Role.CODER, text="shell a\x1b[2J", tokens=1234))
        lines.show(Activity(round=0, role=Role.JUDGE, text="read_file b", tokens=0))

    first, second = (text[len("12:00:00 ") :] for text in written(work).splitlines())
    assert first == "round 2: coder: shell a\\x1b[2J (1,234 tokens)"
    assert second == "judge: read_file b"


def test_programs_are_not_told_what_a_session_does():
    assert not isinstance(Ndjson(LineWriter(1)), ActivityObserver)


def test_what_is_protected_is_told_with_what_is_not():
    (python, make) = protection_notice(Protection(presets=("make", "python"), patterns=("a",)))
    assert "python" in python
    assert "doctests" in python
    assert "make" in make


def test_an_evaluator_that_could_not_judge_says_why():
    criterion = CriterionReport(name="Plain", verdict=Verdict.ERROR, evidence=("no answer", "log"))
    unjudged = report(criteria=(criterion,), exit="")
    assert sentence(EvaluatorFinished(order=1, report=unjudged)) == "ERROR stop-1: no answer"
