"""Bugs of handoffs, money, doubts, models and judges, with the tempers that bring them to light."""

from loopctl.domain import machine
from loopctl.domain.agent_session import TurnOutcome
from loopctl.domain.budget import Budget, Spent, approached
from loopctl.domain.concern import OnConcern
from loopctl.domain.criteria import Verdict
from loopctl.domain.decision import Decision
from loopctl.domain.evaluator_spec import EvaluatorSpec, JudgeExecutor, ShellExecutor, SingleMetric
from loopctl.domain.events import SessionOpened, TurnEnded
from loopctl.domain.phases import (
    admission,
    auditing,
    concerns,
    handover,
    interruption,
    judges,
    settling,
    spending,
    turn,
)
from loopctl.domain.step import Phase, Step


def replace_rule(monkeypatch, step, kind, decide):
    rules = machine.TABLE[Phase.CODING][step]
    old = rules[kind]
    monkeypatch.setitem(rules, kind, machine.Rule(decide, old.leads_to, old.answers))


def reminders_counted_over_sessions(monkeypatch):
    def on_opened(state, event):
        decision = admission.on_opened(state, event)
        current = decision.state.round.evolve(nudges=state.round.nudges)
        return Decision(decision.state.evolve(round=current), decision.records, decision.effects)

    replace_rule(monkeypatch, Step.OPEN, SessionOpened, on_opened)


def fourth_reminder(monkeypatch):
    monkeypatch.setattr(turn, "MAX_NUDGES", 4)


def reminder_beyond_a_cap(monkeypatch):
    monkeypatch.setattr(turn, "_is_used_up", lambda _: False)


def handoff_applied_twice(monkeypatch):
    sound = turn.resolve

    def resolve(state):
        decision = sound(state)
        return Decision(decision.state, decision.records * 2)

    monkeypatch.setattr(turn, "resolve", resolve)


def handoff_of_a_limited_turn_applied(monkeypatch):
    monkeypatch.setattr(handover, "_COUNTS", set(TurnOutcome))


def handoff_survives_a_crash(monkeypatch):
    monkeypatch.setattr(interruption, "_has_pending_handoff", lambda _: False)


def handoff_of_anybody_taken(monkeypatch):
    sound = handover._refusal

    def refusal(state, event):
        current = state.round
        session_id = event.session_id if current is None else current.session_id
        return sound(state, event.evolve(session_id=session_id))

    monkeypatch.setattr(handover, "_refusal", refusal)


def handoff_while_nobody_knows_who_works(monkeypatch):
    sound = handover._refusal
    monkeypatch.setattr(
        handover, "_refusal", lambda state, event: sound(state, event.evolve(busy=event.busy or ()))
    )


def others_at_work_forgotten(monkeypatch):
    def on_turn_ended(state, event):
        return turn.on_turn_ended(state, event.evolve(result=event.result.evolve(busy=())))

    replace_rule(monkeypatch, Step.PROMPT, TurnEnded, on_turn_ended)


def unseen_request_counted_twice(monkeypatch):
    sound = interruption.close_spends

    def close_spends(state):
        decision = sound(state)
        return Decision(decision.state.evolve(spends=state.spends), decision.records)

    monkeypatch.setattr(interruption, "close_spends", close_spends)


def request_settled_again(monkeypatch):
    monkeypatch.setattr(spending, "_without", lambda state, _: state)


def requests_in_flight_forgotten(monkeypatch):
    monkeypatch.setattr(spending, "with_open", lambda state: state.spent)


def round_admitted_beside_open_requests(monkeypatch):
    monkeypatch.setattr(admission, "with_open", lambda state: state.spent)


def metered_turn_counted_as_unknown(monkeypatch):
    monkeypatch.setattr(turn, "_plus", lambda state, result: state.spent.plus(result.usage))


def mark_said_again(monkeypatch):
    monkeypatch.setattr(
        machine, "approached", lambda _, after, budget: approached(Spent(), after, budget)
    )


def judge_asked_first(monkeypatch):
    monkeypatch.setattr(auditing, "sorted", lambda specs, key: specs[::-1], raising=False)


def judge_paid_for_nothing(monkeypatch):
    monkeypatch.setattr(auditing, "_is_futile", lambda _state, _name: False)


def judge_refused_and_asked_again(monkeypatch):
    sound = judges.held_up
    monkeypatch.setattr(
        judges, "held_up", lambda state, report: sound(state.evolve(over_cap=None), report)
    )


def other_name_of_a_model_believed(monkeypatch):
    monkeypatch.setattr(judges, "at_work", lambda _, report: report.judged.model)


def failed_model_used_again(monkeypatch):
    monkeypatch.setattr(admission, "model_to_use", lambda models, _: next(iter(models), ""))


def unavailable_model_uses_up_a_round(monkeypatch):
    sound = settling.enter_admit
    monkeypatch.setattr(settling, "enter_admit", lambda state: sound(state.evolve(round=None)))


def unavailable_model_tried_for_ever(monkeypatch):
    neutral = settling._NEUTRAL | {TurnOutcome.UNAVAILABLE}
    monkeypatch.setattr(settling, "_NEUTRAL", neutral)


def waiting_counted_as_work(monkeypatch):
    def with_time(state, passed_s):
        return state.spent.evolve(worked_s=state.spent.worked_s + passed_s)

    monkeypatch.setattr(machine, "with_time", with_time)


def concern_recorded_again(monkeypatch):
    monkeypatch.setattr(concerns, "SAME_WITHIN_S", 0.0)


def heuristic_speaks_again(monkeypatch):
    sound = auditing.raise_no_progress

    def raise_no_progress(state, *, is_finer):
        return sound(state.evolve(no_progress_raised=False), is_finer=is_finer)

    monkeypatch.setattr(auditing, "raise_no_progress", raise_no_progress)


WORKS = {"outcomes": (TurnOutcome.FINISHED,), "changes": (1,), "fortunes": ["answer_order"]}
SILENT = WORKS | {"abilities": (True, True, True), "deeds": ((),), "require_handoff": None}
HANDS_OVER = WORKS | {"deeds": (("hand_over",),)}
CRASHES = {"fortunes": ["answer_order"] * 4 + ["crash"]}
PAYS = WORKS | {"abilities": (False, False, True), "deeds": (("request",),)}
PAIR = tuple(
    EvaluatorSpec(name=name, criteria=SingleMetric(name=name), executor=executor)
    for name, executor in (
        ("plain", ShellExecutor(command="make")),
        ("judge", JudgeExecutor(rubric="r", model="m", fallbacks=("n",))),
    )
)
JUDGES = WORKS | {"evaluators": PAIR, "require_handoff": False, "deeds": ((),)}
JUDGE_FAILS = JUDGES | {"moods": (Verdict.PASS, Verdict.ERROR)}
LONG = Budget(max_rounds=12)
SMALL = Budget(max_rounds=12, max_micro_usd=100)
GOES_ON = {"on_concern": OnConcern.NOTIFY_CONTINUE, "moods": (Verdict.FAIL,)}
# Beside a bug: the temper of the world in which it comes to light soon.
BUGS = [
    (
        reminders_counted_over_sessions,
        SILENT | {"outcomes": (*[TurnOutcome.FINISHED] * 3, TurnOutcome.LIMITED)},
    ),
    (fourth_reminder, SILENT | {"budget": LONG}),
    (reminder_beyond_a_cap, SILENT | {"budget": SMALL, "abilities": (True, True, False)}),
    (handoff_applied_twice, HANDS_OVER),
    (handoff_of_a_limited_turn_applied, HANDS_OVER | {"outcomes": (TurnOutcome.LIMITED,)}),
    (handoff_survives_a_crash, WORKS | {"deeds": (("hand_over", "crash"), ())}),
    (handoff_of_anybody_taken, WORKS | {"deeds": (("hand_over",) * 6,)}),
    (handoff_while_nobody_knows_who_works, WORKS | {"deeds": (("hand_over",) * 6,)}),
    (others_at_work_forgotten, WORKS),
    (
        unseen_request_counted_twice,
        PAYS | {"fortunes": ["answer_order"] * 4 + ["request", "crash"]},
    ),
    (request_settled_again, PAYS | {"deeds": (("request", "end_request", "end_request"),)}),
    (requests_in_flight_forgotten, PAYS | {"budget": SMALL, "deeds": (("request",) * 4,)}),
    (round_admitted_beside_open_requests, PAYS | {"budget": SMALL, "deeds": (("request",) * 2,)}),
    (metered_turn_counted_as_unknown, PAYS),
    (mark_said_again, {"budget": Budget(max_rounds=2)}),
    (judge_asked_first, JUDGES),
    (judge_paid_for_nothing, JUDGES | {"moods": (Verdict.FAIL,)}),
    (
        judge_refused_and_asked_again,
        JUDGE_FAILS | PAYS | {"budget": SMALL, "deeds": (("request",) * 3,)},
    ),
    (other_name_of_a_model_believed, JUDGE_FAILS),
    (
        failed_model_used_again,
        WORKS | {"models": ("a", "b"), "outcomes": (TurnOutcome.UNAVAILABLE,)},
    ),
    (unavailable_model_uses_up_a_round, WORKS | {"outcomes": (TurnOutcome.UNAVAILABLE,)}),
    (unavailable_model_tried_for_ever, WORKS | {"outcomes": (TurnOutcome.UNAVAILABLE,)}),
    (waiting_counted_as_work, WORKS | {"outcomes": (TurnOutcome.LIMITED,)}),
    (concern_recorded_again, GOES_ON | WORKS | {"deeds": (("flag", "flag", "flag"),)}),
    (
        heuristic_speaks_again,
        JUDGES | GOES_ON | {"budget": Budget(max_rounds=6), "trees": tuple("abcdefgh")},
    ),
]
