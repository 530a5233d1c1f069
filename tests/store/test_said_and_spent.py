"""What sessions said and spent: handoffs, concerns and the usage of every request."""

import json

from store_world import BASE_TREE, STARTED_AT, report, tree

from loopctl.domain.agent_session import Role, TurnOutcome, TurnResult
from loopctl.domain.budget import Reservation
from loopctl.domain.concern import Severity
from loopctl.domain.criteria import Judgement, Verdict
from loopctl.domain.events import (
    ConcernFlagged,
    EvaluatorFinished,
    HandoffCalled,
    PromptBuilt,
    RoundAdmitted,
    SessionOpened,
    SpendRequested,
    SpendSettled,
    TurnEnded,
    VerdictsRecalled,
)
from loopctl.domain.handoff import Change, CoderHandoff, Verification
from loopctl.domain.records import UsageRecorded
from loopctl.domain.usage import Usage, UsageSource
from loopctl.store.agent_sessions import concerns_of, handoffs_of, sessions_of, usage_of
from loopctl.store.connection import Durability
from loopctl.store.evaluations import evaluations_of
from loopctl.store.loop_documents import load_state
from loopctl.store.replay import replay
from loopctl.store.writer import Writer

HANDOFF = CoderHandoff(
    changes=(Change(summary="units", reason="they were wrong"),),
    verification=(Verification(command="pytest", cwd=".", outcome="pass", changed_after=False),),
)


def open_turn(run):
    run.step(RoundAdmitted(order=run.order, reservation=Reservation(micro_usd=5)))
    run.step(
        SessionOpened(
            order=run.order, session_id="s", has_tools=True, remembers=True, is_metered=True
        )
    )
    run.step(PromptBuilt(order=run.order, prompt="work", digest="d" * 64))


def spend(run, request, usage, role=Role.CODER, session_id="s", **settled):
    run.step(
        SpendRequested(
            request=request,
            session_id=session_id,
            role=role,
            model="openai:m",
            estimate=Reservation(tokens=100, micro_usd=50),
        )
    )
    run.step(SpendSettled(request=request, usage=usage, **settled))


def used(output, micro_usd=3):
    return Usage(
        model="openai:m",
        input_tokens=10,
        output_tokens=output,
        micro_usd=micro_usd,
        source=UsageSource.PRICED,
    )


def as_stored(run):
    assert load_state(run.database, run.loop_id) == run.state
    assert replay(run.database, run.loop_id) == run.state


def test_the_requests_of_a_session_add_up_in_one_row(run):
    run.start()
    open_turn(run)
    spend(run, "r1", (used(1),))
    spend(run, "r2", (used(2),))
    (row,) = usage_of(run.database, run.loop_id)
    assert (row.usage.input_tokens, row.usage.output_tokens, row.usage.micro_usd) == (20, 3, 6)
    assert (row.session_id, row.round, row.role) == ("s", 1, Role.CODER)
    assert row.usage.requests == 2
    as_stored(run)


def test_a_request_without_an_end_has_a_row_that_says_so(run):
    run.start()
    open_turn(run)
    spend(run, "r1", (used(1),))
    spend(run, "r2", (), unseen=True)
    known, unknown = usage_of(run.database, run.loop_id)
    assert known.usage.source is UsageSource.PRICED
    assert unknown.usage.source is UsageSource.UNKNOWN
    assert (unknown.usage.input_tokens, unknown.usage.micro_usd) == (100, 50)
    stored = known.usage.micro_usd + unknown.usage.micro_usd
    assert stored == run.state.spent.micro_usd == 53


def test_a_granted_request_survives_a_power_cut(run, monkeypatch):
    run.start()
    open_turn(run)
    levels = []
    transaction = Writer.transaction

    def noted(writer, durability):
        levels.append(durability)
        return transaction(writer, durability)

    monkeypatch.setattr(Writer, "transaction", noted)
    spend(run, "r1", (used(1),))
    assert levels == [Durability.FULL, Durability.FULL]


def test_figures_stay_unknown_until_one_is_known(run):
    run.start()
    run.round(1, Verdict.FAIL)
    for usage in (Usage(model="u"), Usage(model="u"), Usage(model="u", input_tokens=4)):
        run.write(UsageRecorded(round=1, session_id="session-1", role=Role.CODER, usage=usage))
    row = usage_of(run.database, run.loop_id)[-1]
    assert (row.usage.input_tokens, row.usage.output_tokens) == (4, None)
    assert row.usage.micro_usd is None


def test_a_judge_has_a_session_once_it_has_spent(run):
    run.start()
    open_turn(run)
    assert [entry.role for entry in sessions_of(run.database, run.loop_id)] == [Role.CODER]
    usage = UsageRecorded(round=1, session_id="judge-1", role=Role.JUDGE, usage=used(1))
    run.write(usage)
    run.write(usage)
    sessions = sessions_of(run.database, run.loop_id)
    assert {(entry.id, entry.role, entry.round) for entry in sessions} == {
        ("s", Role.CODER, 1),
        ("judge-1", Role.JUDGE, 1),
    }


def test_a_written_handoff_is_pending_then_applied(run):
    run.start()
    open_turn(run)
    for call in ("c1", "c2"):
        run.step(HandoffCalled(call=call, session_id="s", tool="loop_handoff", payload=HANDOFF))
    stored = handoffs_of(run.database, run.loop_id)
    assert [entry.status for entry in stored] == ["discarded", "pending"]
    as_stored(run)
    finished = TurnResult(outcome=TurnOutcome.FINISHED, said="done")
    run.step(TurnEnded(order=run.order, result=finished))
    stored = handoffs_of(run.database, run.loop_id)
    assert [entry.status for entry in stored] == ["discarded", "applied"]
    assert stored[-1].payload == HANDOFF
    as_stored(run)


def test_a_concern_is_kept(run):
    run.start()
    open_turn(run)
    run.step(
        ConcernFlagged(call="c", session_id="s", concern="the goal is moot", severity=Severity.HIGH)
    )
    (row,) = concerns_of(run.database, run.loop_id)
    assert row.session_id == "s"
    assert (row.round, row.source, row.severity, row.policy) == (1, "agent", "high", "stop")
    assert (row.concern, row.at) == ("the goal is moot", run.state.clock.at)
    assert row.at > STARTED_AT
    as_stored(run)


def test_what_stands_behind_a_judges_report_is_kept(run):
    judged = Judgement(
        session_id="j", model="openai:m", prompt_digest="d" * 64, answer='{"verdict": "PASS"}'
    )
    run.start()
    run.prompt(1)
    run.work(1)
    run.step(VerdictsRecalled(order=run.order))
    full = report(tree(1), Verdict.FAIL).evolve(judged=judged)
    run.step(EvaluatorFinished(order=run.order, report=full))
    (stored,) = evaluations_of(run.database, run.loop_id, 1)
    assert stored.report.judged == judged
    (baseline,) = evaluations_of(run.database, run.loop_id, 0)
    assert baseline.report.judged is None
    assert baseline.report.tree == BASE_TREE
    logged = json.dumps([dict(entry.payload) for entry in run.entries])
    assert "PASS" not in logged  # the raw answer is in its row alone
    as_stored(run)
