"""One decision, one transaction: what is written, what is fenced, what is masked."""

import asyncio
import json
import logging
import sqlite3

import pytest
from sqlalchemy import text
from store_world import (
    BASE_TREE,
    CHECK,
    STARTED_AT,
    Run,
    make_spec,
    new_loop,
    report,
    snapshot,
    tree,
)

from loopctl.domain.agent_session import Role
from loopctl.domain.criteria import Verdict
from loopctl.domain.decision import Decision
from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.events import (
    CancelRequested,
    EffectFailed,
    EvaluatorFinished,
)
from loopctl.domain.records import HandoffResolved, TransitionRecorded
from loopctl.domain.stop import Status
from loopctl.domain.usage import Usage
from loopctl.errors import LeaseLostError, StoreError
from loopctl.process.masking import Masker
from loopctl.store.agent_sessions import handoffs_of, sessions_of, usage_of
from loopctl.store.commands import answer_to, leave_command
from loopctl.store.evaluations import evaluations_of
from loopctl.store.event_log import events_of
from loopctl.store.journal import LoopJournal
from loopctl.store.loop_documents import create_loop, load_state
from loopctl.store.loops import find
from loopctl.store.replay import replay
from loopctl.store.rounds import prompt_of, rounds_of


def resolved(session_id, status):
    return HandoffResolved(round=1, session_id=session_id, role=Role.CODER, status=status)


def rows(database, sql, **values):
    with database.read() as connection:
        return connection.execute(text(sql), values).all()


def test_a_whole_run_can_be_read_back(run):
    run.start()
    run.round(1, Verdict.FAIL)
    run.round(2, Verdict.PASS)
    run.publish()
    database, loop_id = run.database, run.loop_id

    loop = find(database, "p1", "fix")
    assert (loop.status, loop.round, loop.rounds_in_run) == (Status.COMPLETED, 2, 2)
    assert (loop.tokens, loop.micro_usd, loop.worktree) == (24, 14, "/worktree")
    assert loop.stop == run.state.stop
    assert loop.ended_at == loop.updated_at == run.state.clock.at

    first, second = rounds_of(database, loop_id)
    assert (first.number, first.verdict, second.verdict) == (1, Verdict.FAIL, Verdict.PASS)
    assert (second.passed, second.judged, second.snapshot) == (1, 1, snapshot(2))
    assert prompt_of(database, loop_id, 2) == "prompt 2"
    assert prompt_of(database, loop_id, 3) is None

    (baseline,) = evaluations_of(database, loop_id, 0)
    assert baseline.report == report(BASE_TREE, Verdict.FAIL, "exit 2", "make: no rule")
    (judged,) = evaluations_of(database, loop_id, 1)
    assert judged.report == report(tree(1), Verdict.FAIL)

    assert [entry.status for entry in handoffs_of(database, loop_id)] == ["applied", "applied"]
    assert [entry.usage.tokens for entry in usage_of(database, loop_id)] == [12, 12]
    assert [entry.result.said for entry in sessions_of(database, loop_id)] == ["done", "done"]
    phases = rows(database, "SELECT from_phase, to_phase, status FROM transitions ORDER BY id")
    assert [tuple(row) for row in phases] == [
        ("coding", "auditing", "running"),
        ("auditing", "coding", "running"),
        ("coding", "auditing", "running"),
        ("auditing", "auditing", "completed"),
    ]


def test_the_stored_state_and_the_replayed_log_equal_the_state(run):
    run.start()
    run.round(1, Verdict.FAIL)
    assert load_state(run.database, run.loop_id) == run.state
    assert replay(run.database, run.loop_id) == run.state
    run.step(CancelRequested())
    run.publish()
    run.step(CancelRequested())  # refused, on record
    assert run.state.status is Status.CANCELLED
    assert load_state(run.database, run.loop_id) == run.state
    assert replay(run.database, run.loop_id) == run.state


def test_the_log_has_every_event_and_what_it_returned(run):
    run.start()
    run.round(1, Verdict.FAIL)
    stored = events_of(run.database, run.loop_id)
    assert list(stored) == run.entries
    assert [entry.seq for entry in stored] == list(range(1, len(stored) + 1))
    assert [entry.kind for entry in stored] == [
        *("loop_started", "workspace_ready", "evaluator_finished"),
        *("round_admitted", "session_opened", "prompt_built", "turn_ended", "settled"),
        *("snapshot_taken", "verdicts_recalled", "evaluator_finished", "round_closed"),
    ]
    assert [entry.round for entry in stored] == [0] * 3 + [1] * 9
    assert stored[0].at == STARTED_AT
    closing = stored[-2].payload["report"]
    assert closing["criteria"][0]["evidence"] == ["exit 1"]  # headlines alone
    assert closing["reused_from"] is None  # left out of the row, there for the reader
    assert events_of(run.database, run.loop_id, since_seq=3, limit=2) == stored[3:5]


def test_a_reopened_journal_goes_on_counting(run):
    run.start()
    run.journal.close()
    run.journal = LoopJournal(run.database, run.loop_id, run.lease.epoch, run.masker)
    run.round(1, Verdict.FAIL)
    seqs = [entry.seq for entry in events_of(run.database, run.loop_id)]
    assert seqs == list(range(1, 13))


def test_after_a_takeover_the_old_driver_writes_nothing(run):
    run.start()
    before = rows(run.database, "SELECT state_json FROM loops")
    with run.database.write() as connection:
        connection.execute(text("UPDATE loops SET epoch = epoch + 1"))
        connection.execute(text("UPDATE driver_leases SET epoch = epoch + 1"))
    with pytest.raises(LeaseLostError):
        run.prompt(1)
    with pytest.raises(LeaseLostError):
        asyncio.run(run.journal.beat())
    assert rows(run.database, "SELECT state_json FROM loops") == before
    assert len(events_of(run.database, run.loop_id)) == 3


def test_a_refused_row_undoes_the_whole_decision(run):
    run.start()
    before = run.state
    event, decision = run.decide(CancelRequested())
    bad = TransitionRecorded(
        event="x", from_phase="nowhere", to_phase="coding", round=0, status=Status.RUNNING
    )
    spoiled = Decision(decision.state, (*decision.records, bad))
    with pytest.raises(StoreError):
        asyncio.run(run.journal.commit(event, spoiled))
    assert load_state(run.database, run.loop_id) == before
    assert len(events_of(run.database, run.loop_id)) == 3
    asyncio.run(run.journal.commit(event, decision))  # nothing was left half done
    assert [entry.seq for entry in events_of(run.database, run.loop_id)] == [1, 2, 3, 4]


def test_commands_are_answered_in_the_decisions_transaction(run):
    run.start()
    command = leave_command(run.database, run.loop_id, "cancel", "user")
    assert [entry.id for entry in asyncio.run(run.journal.pending_commands())] == [command]
    run.step(CancelRequested(command_id=command))
    assert answer_to(run.database, command).refused == ""
    assert asyncio.run(run.journal.pending_commands()) == ()


def test_secrets_are_masked_everywhere_but_in_the_users_own_text(database, home):
    secret = "s3cr3t-value-of-mine"
    loop_id = create_loop(
        database, home, "hush", lambda name: make_spec(name, goal=f"use {secret}"), lambda _: False
    )
    run = Run(database, home, loop_id, Masker({"MY_TOKEN": secret}))
    run.start()
    run.prompt(1, text=f"prompt\n{secret}")
    run.work(1, said=f'"{secret}"\nsk-abcdefghijklmnopqrstuvwx', usage=Usage(model=secret))
    run.judge(1, Verdict.FAIL, f"exit 1 {secret}", secret)
    run.step(EffectFailed(order=run.state.order, effect="AdmitRound", detail=secret))
    run.close()
    assert load_state(database, loop_id).spec.goal == f"use {secret}"
    assert "[masked:MY_TOKEN]" in prompt_of(database, loop_id, 1)
    database.close()
    stored = [path.read_bytes() for path in home.path.glob("loopctl.db*")]
    dump = b"".join(stored)
    with sqlite3.connect(home.database) as connection:
        lines = [line for line in connection.iterdump() if secret in line]
    connection.close()
    assert b"sk-abcdefghijklmnopqrstuvwx" not in dump
    assert len(lines) == 1
    assert 'INTO "loops"' in lines[0]
    assert lines[0].count(secret) == 2  # goal and spec


def test_what_entries_carry_is_masked_too(database, home):
    run = Run(database, home, new_loop(database, home), Masker({"K": "hunter22hunter22"}))
    run.start()
    run.step(EffectFailed(order=run.state.order, effect="AdmitRound", detail="hunter22hunter22"))
    run.close()
    assert "hunter22" not in json.dumps([dict(entry.payload) for entry in run.entries])


def test_names_that_are_compared_with_the_specification_are_kept(database, home):
    run = Run(database, home, new_loop(database, home), Masker({"K": "make test"}))
    run.start()
    run.round(1, Verdict.FAIL)
    run.close()
    state = load_state(database, run.loop_id)
    assert state.ledger.entries[0].evaluator == "make test"
    assert state.spec.evaluators[0].name == "make test"


def test_invalid_rows_are_reported_and_left_out(run, caplog):
    run.start()
    run.round(1, Verdict.FAIL)
    run.round(2, Verdict.FAIL)
    with run.database.write() as connection:
        for statement in (
            "UPDATE rounds SET snapshot_json = '{\"commit\": 5}' WHERE number = 1",
            "UPDATE handoffs SET payload_json = 'nonsense' WHERE round = 1",
            "UPDATE agent_sessions SET result_json = '{}' WHERE round = 1",
            "UPDATE criteria SET evidence_json = '[1]' WHERE evaluation_id = 2",
            "INSERT INTO events SELECT id, 99, 1, 0, 'settled', '{\"order\": \"7\"}' FROM loops",
            "INSERT INTO events SELECT id, 100, 1, 0, 'unheard', '{}' FROM loops",
        ):
            connection.exec_driver_sql(statement)
    with caplog.at_level(logging.WARNING):
        assert [entry.number for entry in rounds_of(run.database, run.loop_id)] == [2]
        assert [entry.round for entry in handoffs_of(run.database, run.loop_id)] == [2]
        assert [entry.round for entry in sessions_of(run.database, run.loop_id)] == [2]
        assert evaluations_of(run.database, run.loop_id, 1) == ()
        assert max(entry.seq for entry in events_of(run.database, run.loop_id)) < 99
    assert len(caplog.records) == 6
    assert "round 1 is left out" in caplog.text


def test_a_criterion_that_lost_its_failure_does_not_become_a_pass(run):
    run.start()
    run.round(1, Verdict.FAIL)
    with run.database.write() as connection:
        connection.execute(text("DELETE FROM criteria WHERE evaluation_id = 2"))
    assert evaluations_of(run.database, run.loop_id, 1) == ()


def test_the_database_itself_keeps_the_rules(run):
    run.start()
    run.round(1, Verdict.FAIL)
    for statement, what in (
        ("UPDATE events SET kind = 'x'", "append-only"),
        ("UPDATE loops SET status = 'fine'", "CHECK"),
        ("UPDATE loops SET status = 'completed'", "CHECK"),
        ("UPDATE criteria SET verdict = 'PASS', evidence_json = '[]'", "CHECK"),
        ("UPDATE handoffs SET status = 'maybe'", "CHECK"),
        ("UPDATE rounds SET loop_id = 'nobody'", "FOREIGN KEY"),
    ):
        with pytest.raises(StoreError) as refused, run.database.write() as connection:
            connection.execute(text(statement))
        assert what in refused.value.why


def test_a_handoff_resolves_once_and_one_is_pending_at_most(run):
    run.start()
    run.round(1, Verdict.FAIL)
    add = text(
        "INSERT INTO handoffs (loop_id, session_id, round, at, status, payload_json)"
        " VALUES (:loop, 'session-1', 1, 0, 'pending', '{}')"
    )
    with run.database.write() as connection:
        connection.execute(add, {"loop": run.loop_id})
    with pytest.raises(StoreError), run.database.write() as connection:
        connection.execute(add, {"loop": run.loop_id})
    with pytest.raises(StoreError):
        run.write(resolved("session-2", "applied"))  # of another session
    run.write(resolved("session-1", "discarded"))
    with pytest.raises(StoreError):
        run.write(resolved("session-1", "applied"))  # a second time
    assert [entry.status for entry in handoffs_of(run.database, run.loop_id)][:1] == ["applied"]


def test_what_the_next_prompt_is_told(run):
    journal = run.journal
    assert asyncio.run(journal.previous_round()) is None
    run.start()
    baseline = asyncio.run(journal.previous_round())
    assert baseline.evaluator[0].criteria[0].evidence == ("exit 2", "make: no rule")
    assert baseline.result is None
    run.round(1, Verdict.FAIL)
    previous = asyncio.run(journal.previous_round())
    assert previous.result.claim == "done"
    assert previous.evaluator == (report(tree(1), Verdict.FAIL),)
    assert (previous.token_usage, previous.session_id) == (12, "session-1")
    assert previous.summary == "round 1: FAIL, 0 of 1 criteria passed, 1 paths changed"
    run.prompt(2)
    run.work(2, usage=Usage())
    run.judge(2, Verdict.FAIL)
    assert asyncio.run(journal.previous_round()).token_usage is None
    run.round(3, Verdict.FAIL)
    recent = asyncio.run(journal.recent_rounds(2))
    assert [entry.round for entry in recent] == [2, 3]
    assert recent[0].paths == ("pantry/units.py",)


def test_verdicts_are_recalled_for_the_same_tree_and_specification_alone(run):
    run.start()
    run.round(1, Verdict.FAIL)
    recall = lambda tree, *specs: asyncio.run(run.journal.verdicts(tree, specs))  # noqa: E731
    (recalled,) = recall(tree(1), CHECK)
    assert recalled == report(tree(1), Verdict.FAIL).evolve(reused_from=1)
    assert recall(BASE_TREE, CHECK)[0].reused_from == 0
    assert recall(tree(2), CHECK) == ()
    assert recall(tree(1), CHECK.evolve(isolation=Isolation.CONTAINER)) == ()


def test_an_error_is_never_recalled(run):
    run.start()
    run.prompt(1)
    run.work(1)
    run.judge(1, Verdict.ERROR, "no such command")
    assert asyncio.run(run.journal.verdicts(tree(1), (CHECK,))) == ()
    run.step(EvaluatorFinished(order=run.state.order, report=report(tree(1), Verdict.FAIL)))
    assert [entry.attempt for entry in evaluations_of(run.database, run.loop_id, 1)] == [1, 2]
    assert len(asyncio.run(run.journal.previous_round()).evaluator) == 1


def test_a_round_costs_a_few_kilobytes(run):
    run.start()
    for number in range(1, 5):
        run.round(number, Verdict.FAIL)
    size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    before = rows(run.database, size)[0][0]
    for number in range(5, 45):
        run.round(number, Verdict.FAIL)
    grown = rows(run.database, size)[0][0] - before
    assert grown / 40 <= 6 * 1024
