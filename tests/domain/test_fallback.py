"""A model that cannot be used gives way to the next one of its list."""

import pytest
from loops import FAIL, JUDGE, PASS, Loop, make_spec

from loopctl.domain.agent_session import Role, TurnOutcome
from loopctl.domain.effects import Evaluate, OpenSession, TakeSnapshot
from loopctl.domain.evaluator_spec import ProviderExecutor
from loopctl.domain.events import RoundAdmitted, VerdictsRecalled
from loopctl.domain.loop import model_to_use
from loopctl.domain.records import ModelFailed, RoundClosed
from loopctl.domain.stop import ErrorReason

MODELS = ("x:big", "y:mid", "z:small")


def unavailable(loop, model="", tree="t1", **result):
    """One try of a round in which the model could not be reached."""
    loop.prompt(f"s{loop.state.order}")
    loop.end_turn(TurnOutcome.UNAVAILABLE, failed_model=model, usage=(), **result)
    loop.snapshot(tree)


def judging(tree="t1", evaluator=JUDGE):
    """A loop whose judge is at work, in the first round."""
    loop = Loop(make_spec(evaluators=(evaluator,))).start(None)
    loop.prompt()
    loop.end_turn()
    loop.snapshot(tree)
    loop.answer(VerdictsRecalled)
    return loop


def test_the_first_model_that_has_not_failed_is_used():
    assert model_to_use(MODELS, ()) == "x:big"
    assert model_to_use(MODELS, ("x:big", "z:small")) == "y:mid"
    assert model_to_use(MODELS, MODELS) == "x:big"
    assert model_to_use((), ("x:big",)) == ""


def test_a_failed_model_gives_way_to_the_next_one():
    loop = Loop(make_spec(models=MODELS)).start()
    unavailable(loop, "x:big", problem="no such model")
    assert loop.all(ModelFailed) == [
        ModelFailed(
            round=1,
            role=Role.CODER,
            model="x:big",
            following="y:mid",
            problem="no such model",
        )
    ]
    loop.admit()
    assert [order.model for order in loop.all(OpenSession)] == ["x:big", "y:mid"]


def test_the_last_model_has_nobody_to_give_way_to():
    loop = Loop(make_spec(models=("x:big",))).start()
    unavailable(loop, "x:big")
    assert loop.all(ModelFailed)[-1].following == ""
    loop.admit()
    assert loop.asked.model == "x:big"


def test_an_unavailable_model_uses_up_no_round():
    loop = Loop().start()
    unavailable(loop)
    unavailable(loop, tree="t2")
    assert loop.all(TakeSnapshot)[-1].partial
    loop.round("t3", FAIL)
    assert loop.prompts == [1, 1, 1]
    assert loop.state.spent.rounds == 1
    assert [row.round for row in loop.all(RoundClosed)] == [1]


def test_three_in_a_row_end_the_loop_even_where_something_changed():
    loop = Loop(make_spec(models=MODELS)).start()
    for number, model in enumerate(MODELS):
        unavailable(loop, model, tree=f"t{number}", problem="overloaded")
    loop.publish()
    assert loop.state.stop.reason is ErrorReason.ERROR_MAX_RETRIES
    assert "a model of it can be reached" in loop.state.stop.next_step
    assert "3 times in a row; the last time: overloaded" in loop.state.stop.detail
    assert loop.state.snapshot.tree == "t2"


@pytest.mark.parametrize(
    ("agent", "models", "way_out"),
    [
        ("cmd:./agent.sh", (), "run the agent's command by hand"),
        ("x:big", ("x:big",), "a model of it can be reached"),
        ("acme-agent", (), "loopctl logs"),
    ],
)
def test_the_way_out_is_the_agents_own(agent, models, way_out):
    loop = Loop(make_spec(agent=agent, models=models)).start()
    for number in range(3):
        unavailable(loop, tree=f"t{number}")
    stop = loop.state.stop
    assert way_out in stop.next_step
    assert ("by hand" in stop.next_step) == agent.startswith("cmd:")


def test_a_turn_that_worked_ends_the_row_of_errors():
    loop = Loop().start()
    for number in range(4):
        unavailable(loop, tree=f"a{number}")
        loop.round(f"b{number}", FAIL)
    assert loop.state.stop is None


def test_a_restart_forgets_what_has_failed():
    loop = Loop(make_spec(models=MODELS)).start()
    unavailable(loop, "x:big")
    loop.restart()
    loop.workspace()
    loop.judge(FAIL)
    loop.answer(RoundAdmitted, reservation={})
    assert loop.asked.model == "x:big"


@pytest.mark.parametrize("name", ["x:big", "x:big-2026-01", ""])
def test_a_judges_model_fails_under_the_name_that_was_ordered(name):
    loop = judging()
    assert loop.asked.model == "x:big"
    loop.judgement(model=name, model_failed=True)
    assert (loop.all(ModelFailed)[-1].model, loop.all(ModelFailed)[-1].role) == ("x:big", "judge")
    assert (loop.asked.model, loop.asked.attempt) == ("x:small", 2)


def test_a_judges_limit_is_first_met_with_its_other_models():
    loop = judging()
    loop.judgement(model="x:big-2026-01", limited=True, limit_resets_in_s=9.0)
    assert (loop.asked.model, loop.asked.attempt) == ("x:small", 1)
    loop.judgement(limited=True, limit_resets_in_s=9.0)
    assert loop.state.step == "waiting"


def test_a_judge_that_cannot_be_used_ends_as_an_evaluator_that_cannot():
    loop = judging()
    for _ in range(3):
        loop.judgement(model_failed=True)
    loop.publish()
    assert loop.state.stop.reason is ErrorReason.EVALUATOR_ERROR
    assert "another --judge-model" in loop.state.stop.next_step
    assert loop.all(RoundClosed) == []
    assert len(loop.all(ModelFailed)) == 3  # the last one as well, which ends the loop


def test_a_judge_of_another_make_names_its_model_itself():
    judge = JUDGE.evolve(executor=ProviderExecutor(name="mine"))
    loop = Loop(make_spec(evaluators=(judge,))).start(FAIL)
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t1")
    loop.answer(VerdictsRecalled)
    loop.judgement(model="own", model_failed=True)
    assert loop.all(ModelFailed)[-1].model == "own"
    assert isinstance(loop.asked, Evaluate)


def test_a_verdict_after_a_fall_back_is_a_verdict():
    loop = judging()
    loop.judgement(model_failed=True)
    loop.judgement(PASS)
    loop.publish()
    assert loop.state.stop.kind == "goal-met"
