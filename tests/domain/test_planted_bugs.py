"""The random histories have teeth: each planted bug is found.

A bug counts as found when the histories that the sound machine passes no longer do. The list is
what has gone wrong in tools of this kind: counted twice, lost, sent again, taken for granted.
"""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import Phase as Part
from hypothesis.stateful import run_state_machine_as_test
from loop_machine import LoopMachine
from planted_sessions import BUGS as SESSION_BUGS
from planted_sessions import PAIR, replace_rule
from planted_showings import BUGS as SHOWING_BUGS

from loopctl.domain import machine
from loopctl.domain.agent_session import TurnOutcome
from loopctl.domain.budget import Budget, Reservation, Spent, exhausted
from loopctl.domain.criteria import AdmittedReport, Verdict
from loopctl.domain.decision import Decision
from loopctl.domain.evaluator_spec import Contract
from loopctl.domain.events import Answer, PromptBuilt, TurnEnded
from loopctl.domain.hardening import Hardening
from loopctl.domain.phases import (
    admission,
    auditing,
    baseline,
    ending,
    interruption,
    settling,
    turn,
)
from loopctl.domain.step import Step
from loopctl.domain.usage import Usage
from loopctl.errors import LoopctlError


def round_counted_twice(monkeypatch):
    def on_prompt(state, event):
        decision = turn.on_prompt(state, event)
        spent = decision.state.spent.evolve(rounds=decision.state.spent.rounds + 1)
        return Decision(decision.state.evolve(spent=spent), decision.records, decision.effects)

    replace_rule(monkeypatch, Step.PROMPT, PromptBuilt, on_prompt)


def pass_without_evidence(monkeypatch):
    monkeypatch.setattr(auditing, "admit_report", lambda _, report: AdmittedReport(report=report))


def criterion_left_out(monkeypatch):
    monkeypatch.setattr(auditing, "with_left_out", lambda _, report, seen: report)


def reservation_lost(monkeypatch):
    monkeypatch.setattr(Reservation, "as_usage", lambda _: Usage())


def prompt_sent_again_after_a_crash(monkeypatch):
    def forget(state):
        current = state.round and state.round.evolve(turn=None)
        return Decision(state.evolve(round=current))

    monkeypatch.setattr(interruption, "_close_interrupted_turn", forget)


def stale_answer_taken(monkeypatch):
    sound = machine.decide

    def decide(state, event):
        if isinstance(event, Answer) and not state.is_over:
            event = event.evolve(order=state.order)
        return sound(state, event)

    monkeypatch.setattr(machine, "decide", decide)


def fourth_chance_for_the_agent(monkeypatch):
    monkeypatch.setattr(settling, "AGENT_ERRORS", 4)
    monkeypatch.setattr(admission, "AGENT_ERRORS", 4)


def evaluator_retried_for_ever(monkeypatch):
    monkeypatch.setattr(auditing, "MAX_ATTEMPTS", 1_000_000)


def cancellation_skips_the_snapshot(monkeypatch):
    monkeypatch.setattr(interruption, "_cancel_step", ending.enter_ending)


def usage_counted_twice(monkeypatch):
    sound = Spent.plus
    monkeypatch.setattr(Spent, "plus", lambda spent, usages: sound(sound(spent, usages), usages))


def cap_before_success(monkeypatch):
    sound = auditing._verdict

    def verdict(state):
        cap = exhausted(state.budget, state.spent)
        return sound(state) if cap is None else ending.enter_ending(state, cap)

    monkeypatch.setattr(auditing, "_verdict", verdict)


def crashed_verdict_forgotten(monkeypatch):
    monkeypatch.setattr(baseline, "_awaits_verdict", lambda _: False)


def limit_uses_up_a_round(monkeypatch):
    sound = settling.enter_waiting

    def enter_waiting(state, held_up, result):
        decision = sound(state, held_up, result)
        return Decision(decision.state.evolve(round=None), decision.records, decision.effects)

    monkeypatch.setattr(settling, "enter_waiting", enter_waiting)


def log_differs_from_the_event(monkeypatch):
    monkeypatch.setattr(
        TurnEnded, "logged", lambda event: event.evolve(result=event.result.evolve(said=""))
    )


def pass_of_a_used_checkout_counts(monkeypatch):
    sound = auditing._collect
    monkeypatch.setattr(
        auditing,
        "_collect",
        lambda evaluation, report: sound(evaluation, report.evolve(provisional=False)),
    )


def trial_is_taken_for_a_verdict(monkeypatch):
    def on_trial_finished(state, report):
        open_now = state.evaluation
        passed = report.verdict is Verdict.PASS
        runs = (*open_now.runs[:-1], open_now.runs[-1].evolve(passed=passed))
        reports = (*open_now.reports[:-1], report)
        pending = open_now.pending[1:]
        changes = {"runs": runs, "reports": reports, "pending": pending, "trial": Hardening.NONE}
        return Decision(state.evolve(evaluation=open_now.evolve(**changes)))

    monkeypatch.setattr(baseline, "on_trial_finished", on_trial_finished)


AGREED = (PAIR[0].evolve(criteria=Contract(name="agreed")),)
WORKS = {"outcomes": (TurnOutcome.FINISHED,), "changes": (1,)}
LONG = {"budget": Budget(max_rounds=12), "fortunes": ["answer_order"]}
PASSES = WORKS | {
    "moods": (Verdict.PASS, Verdict.FAIL),
    "fortunes": ["answer_order"],
    "deeds": ((),),
    "require_handoff": False,
}
CRASHES = WORKS | {"fortunes": ["answer_order"] * 6 + ["crash"]}
CANCELS = WORKS | {"fortunes": ["answer_order"] * 6 + ["cancel"]}
# Beside a bug: the temper of the world in which it comes to light soon.
BUGS = [
    (round_counted_twice, {}),
    (pass_without_evidence, PASSES),
    (criterion_left_out, PASSES | {"evaluators": AGREED, "budget": Budget(max_rounds=3)}),
    (reservation_lost, CRASHES),
    (prompt_sent_again_after_a_crash, CRASHES),
    (stale_answer_taken, {}),
    (fourth_chance_for_the_agent, LONG | {"outcomes": (TurnOutcome.FAILED,), "changes": (0,)}),
    (evaluator_retried_for_ever, {"moods": (Verdict.ERROR,)}),
    (cancellation_skips_the_snapshot, CANCELS),
    (usage_counted_twice, {}),
    (cap_before_success, PASSES | {"budget": Budget(max_rounds=1)}),
    (crashed_verdict_forgotten, CRASHES),
    (limit_uses_up_a_round, WORKS | {"outcomes": (TurnOutcome.LIMITED, TurnOutcome.FINISHED)}),
    (log_differs_from_the_event, {}),
    (pass_of_a_used_checkout_counts, PASSES),
    (trial_is_taken_for_a_verdict, PASSES | {"run_baseline": True, "evaluators": PAIR[:1]}),
    *SESSION_BUGS,
    *SHOWING_BUGS,
]


@pytest.mark.parametrize(("plant", "temper"), BUGS, ids=[plant.__name__ for plant, _ in BUGS])
def test_a_planted_bug_is_found(plant, temper, monkeypatch):
    plant(monkeypatch)
    monkeypatch.setattr(LoopMachine, "temper", temper)
    search = settings(
        max_examples=500,
        stateful_step_count=8,
        deadline=None,
        suppress_health_check=list(HealthCheck),  # a busy machine is no fault of the histories
        derandomize=True,
        database=None,
        phases=[Part.generate],
        print_blob=False,
        report_multiple_bugs=False,
    )
    with pytest.raises((AssertionError, LoopctlError, ValueError, pytest.fail.Exception)):
        run_state_machine_as_test(LoopMachine, settings=search)
