"""Bugs of what has to be shown of a tree, with the tempers that bring them to light."""

from arbitrary import HELD
from loops import SHELL

from loopctl.domain.agent_session import TurnOutcome
from loopctl.domain.criteria import Verdict
from loopctl.domain.loop import LoopState
from loopctl.domain.phases import auditing, baseline, stages
from loopctl.domain.stage import Stage


def one_showing_is_enough(monkeypatch):
    monkeypatch.setattr(
        stages, "_LATER", stages._LATER | {Stage.FIRST: stages._LATER[Stage.NEW_TESTS]}
    )
    sound = stages.following_stage
    patient = lambda state: sound(state.evolve(spec=state.spec.evolve(confirm=1)))  # noqa: E731
    monkeypatch.setattr(stages, "following_stage", patient)
    monkeypatch.setattr(baseline, "following_stage", patient)


def holdout_forgotten(monkeypatch):
    later = dict.fromkeys(Stage, ()) | {Stage.FIRST: (Stage.NEW_TESTS,)}
    monkeypatch.setattr(stages, "_LATER", later)


def holdout_goes_first(monkeypatch):
    names = lambda specs: (*HELD.evaluators[:1], *specs)  # noqa: E731
    sound = stages.in_order
    monkeypatch.setattr(stages, "in_order", lambda specs: names(sound(specs)))


def new_tests_forgotten(monkeypatch):
    later = dict.fromkeys(Stage, (Stage.HOLDOUT,)) | {Stage.HOLDOUT: ()}
    monkeypatch.setattr(stages, "_LATER", later)


def new_tests_on_the_old_tree(monkeypatch):
    monkeypatch.setattr(stages, "tree_of", lambda state: state.judged_tree)


def what_moved_is_believed(monkeypatch):
    monkeypatch.setattr(auditing, "_moved", lambda _state, _report: ())


def own_writes_are_held_against_a_command(monkeypatch):
    sound = auditing._moved
    forgetful = lambda state, report: (  # noqa: E731
        () if state.is_first_look else report.moved and sound(state.evolve(baseline=()), report)
    )
    monkeypatch.setattr(auditing, "_moved", forgetful)


def failed_showing_forgotten(monkeypatch):
    sound = LoopState.evolve

    def evolve(state, **changes):
        evaluation = changes.get("evaluation")
        if evaluation is not None and evaluation.stage is Stage.AGAIN:
            kept = tuple(one for one in evaluation.reports if one.verdict is Verdict.PASS)
            changes["evaluation"] = evaluation.evolve(reports=kept)
        return sound(state, **changes)

    monkeypatch.setattr(LoopState, "evolve", evolve)


PASSES = {
    "outcomes": (TurnOutcome.FINISHED,),
    "changes": (1,),
    "moods": (Verdict.PASS, Verdict.PASS, Verdict.FAIL),
    "fortunes": ["answer_order"],
    "deeds": ((),),
    "require_handoff": False,
    "evaluators": (SHELL,),
    "confirm": 1,
    "holdout": None,
    "allow_new_tests": False,
}
BUGS = [
    (one_showing_is_enough, PASSES | {"confirm": 2}),
    (failed_showing_forgotten, PASSES | {"confirm": 2}),
    (holdout_forgotten, PASSES | {"holdout": HELD}),
    (holdout_goes_first, PASSES | {"holdout": HELD}),
    (new_tests_forgotten, PASSES | {"allow_new_tests": True}),
    (new_tests_on_the_old_tree, PASSES | {"allow_new_tests": True}),
    (what_moved_is_believed, PASSES),
    (own_writes_are_held_against_a_command, PASSES | {"run_baseline": True}),
]
