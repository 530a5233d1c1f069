"""Whatever the world may answer: the values from which the state machine draws."""

from dataclasses import dataclass

from hypothesis import strategies as st
from loops import make_spec

from loopctl.domain.agent_session import Survivor, TurnOutcome, TurnResult
from loopctl.domain.budget import Budget, Reservation
from loopctl.domain.concern import OnConcern, Severity
from loopctl.domain.criteria import CriterionReport, EvaluatorReport, Judgement, Verdict
from loopctl.domain.evaluator_spec import (
    Contract,
    EvaluatorSpec,
    Isolation,
    JudgeExecutor,
    Rubric,
    RubricItem,
    ShellExecutor,
    SingleMetric,
)
from loopctl.domain.events import CapChanges, LoopRestarted
from loopctl.domain.handoff import (
    ActionStep,
    AuditorHandoff,
    Change,
    CoderHandoff,
    PostActionReport,
    Verification,
)
from loopctl.domain.holdout import HoldOut
from loopctl.domain.snapshot import PathChange, Snapshot
from loopctl.domain.suite import SuiteResult
from loopctl.domain.usage import Usage, UsageSource

TREES = st.sampled_from([("t1",), ("t0", "t1"), ("t0", "t1", "t2", "t3")])
SHELL = ShellExecutor(command="make")
JUDGE = JudgeExecutor(rubric="r", model="m", fallbacks=("n",))
CRITERIA = (
    SingleMetric(name="tests"),
    Rubric(items=(RubricItem(name="a", description=""), RubricItem(name="b", description=""))),
    Contract(name="agreed"),
)
HIDDEN = tuple(
    EvaluatorSpec(name=f"h{number}", criteria=SingleMetric(name=f"h{number}"), executor=SHELL)
    for number in (1, 2)
)
HELD = HoldOut(folder="/held", digest="d", evaluators=HIDDEN)
PLACES = st.sampled_from([Isolation.SEPARATE_WORKTREE, Isolation.SAME_WORKSPACE])


@st.composite
def evaluators(draw):
    count = draw(st.integers(1, 3))
    return tuple(
        EvaluatorSpec(
            name=f"e{number}",
            criteria=draw(st.sampled_from(CRITERIA)),
            executor=draw(st.sampled_from([SHELL, SHELL, JUDGE])),
            isolation=draw(PLACES),
        )
        for number in range(count)
    )


@st.composite
def specs(draw):
    budget = Budget(
        max_rounds=draw(st.sampled_from([1, 3, 12])),
        max_micro_usd=draw(st.sampled_from([None, None, 200])),
        max_tokens=draw(st.sampled_from([None, None, 20])),
        max_time_s=draw(st.sampled_from([None, None, 60.0])),
    )
    return make_spec(
        evaluators=draw(evaluators()),
        budget=budget,
        run_baseline=draw(st.sampled_from([False, False, True])),
        max_wait_s=10.0,
        log_detail=draw(st.sampled_from(["full", "summary"])),
        models=draw(st.sampled_from([(), ("a",), ("a", "b")])),
        on_concern=draw(st.sampled_from(OnConcern)),
        require_handoff=draw(st.sampled_from([None, None, True, False])),
        holdout=draw(st.sampled_from([None, None, HELD, HELD.evolve(evaluators=HIDDEN[:1])])),
        confirm=draw(st.sampled_from([1, 1, 2, 3])),
        allow_new_tests=draw(st.booleans()),
    )


reservations = st.builds(
    Reservation, micro_usd=st.sampled_from([0, 70]), tokens=st.sampled_from([0, 7])
)
usages = st.one_of(
    st.just(Usage()),
    st.builds(
        Usage,
        micro_usd=st.sampled_from([0, 40, 200]),
        input_tokens=st.sampled_from([0, 9, None]),
        output_tokens=st.just(3),
        source=st.just(UsageSource.AGENT_REPORTED),
    ),
)
OUTCOMES = [one for one in TurnOutcome if one is not TurnOutcome.INTERRUPTED]
TEMPERS = st.sampled_from(
    [
        (TurnOutcome.FINISHED,),
        (TurnOutcome.FAILED,),
        (TurnOutcome.LIMITED, TurnOutcome.FINISHED),
        (*OUTCOMES, *[TurnOutcome.FINISHED] * 5),
    ]
)


def turn_results(outcomes):
    return st.builds(
        TurnResult,
        outcome=st.sampled_from(outcomes),
        said=st.sampled_from(["", " \n", "done", "done" + " " * 1500, "y" * 1500]),
        usage=st.lists(usages, max_size=2).map(tuple),
        busy=st.sampled_from([(), (), (), ("s-other",)]),
        limit_resets_in_s=st.sampled_from([0.0, 2.0, 2.0, None]),
        replied=st.booleans(),
        failed_model=st.sampled_from(["", "", "a", "b"]),
    )


def _written(notes):
    run = Verification(command="make", cwd=".", outcome="pass", changed_after=False)
    change = Change(summary="s", reason="r")
    return CoderHandoff(changes=(change,), verification=(run,), notes=notes)


payloads = st.sampled_from(
    [
        *[_written(notes) for notes in ("", "a", "b", "c", "d", "e", "f")],
        AuditorHandoff(notes="clean"),
        PostActionReport(outcome="failed", steps=(ActionStep(name="x", status="failed"),)),
    ]
)
severities = st.sampled_from(Severity)
# The same words in another spacing and case are the same concern.
concerns = st.sampled_from(["wrong goal", "Wrong  Goal\n", "no such file"])


survivors = st.sampled_from([(), (Survivor(pid=7, command="sleep"),)])


@st.composite
def snapshots(draw, round_number, serial, world):
    judged_tree = draw(st.sampled_from(world.trees))
    return Snapshot(
        commit=f"c{serial}",
        tree=f"{judged_tree}-{serial}",
        judged_tree=judged_tree,
        round=round_number,
        changed=draw(st.sampled_from(world.changes)),
        restored=draw(st.sampled_from([(), (PathChange(path="conftest.py", kind="M"),)])),
        new_tests_tree=draw(st.sampled_from(["", f"{judged_tree}+new"])),
    )


TROUBLES = ["cancel", "crash", "effect_fails", "time_is_up"]
QUIET = ["answer_order"]
MEDDLING = ["hand_over", "flag", "request", "end_request", "retry"]
FORTUNES = st.sampled_from(
    [
        QUIET * 10 + TROUBLES + MEDDLING,
        QUIET * 40 + TROUBLES + MEDDLING,
        QUIET * 8 + MEDDLING,
        QUIET,
    ]
)
# What a session does in one turn, or a judge before its report.
DEEDS = st.sampled_from(
    [
        ((),),
        (("hand_over",),),
        (("request", "end_request", "hand_over"),),
        (("request", "end_request"), ("request", "hand_over", "hand_over"), ("hand_over",), ()),
    ]
)
EVIDENCE = st.sampled_from([("ok",), ("", "third line"), (), (" ", "\n")])
VERDICTS = [Verdict.FAIL] * 3 + [Verdict.PASS] * 2 + [Verdict.ERROR]
SUITES = st.sampled_from(
    [
        None,
        SuiteResult(passed=1, failed=1, skipped=0, digest="a", record="r"),
        SuiteResult(passed=0, failed=1, skipped=0, digest="b"),
    ]
)
MOODS = st.sampled_from(
    [
        (Verdict.FAIL,),
        (None, Verdict.FAIL),
        (Verdict.FAIL, Verdict.PASS),
        (None, *VERDICTS),
        (Verdict.ERROR,),
    ]
)


@st.composite
def reports(draw, spec, tree, moods):
    """Reports by the book and against it: no evidence, missing and undeclared criteria."""
    declared = spec.criteria.declared or ("x", "y")
    overall = draw(st.sampled_from(moods))
    names, lines = declared, st.just(("ok",))
    if draw(st.sampled_from([False, False, True])):
        names = draw(st.sampled_from([declared, declared[1:], (*declared, "undeclared")]))
        lines = EVIDENCE
    criteria = tuple(
        CriterionReport(
            name=name,
            verdict=overall or draw(st.sampled_from(VERDICTS)),
            evidence=draw(lines),
        )
        for name in names
    )
    return EvaluatorReport(
        evaluator=spec.name,
        digest=spec.digest,
        tree=tree,
        isolation=spec.isolation,
        criteria=criteria,
        duration_s=draw(st.sampled_from([0.0, 400.0])),
        suite=draw(SUITES),
        hardenable=draw(st.booleans()),
        provisional=draw(st.booleans()),
        moved=draw(st.sampled_from([(), (), (), ("a",), ("a", "b")])),
        judged=draw(judgements) if spec.executor == JUDGE else None,
    )


# A provider may answer under another name for the model that was ordered.
judgements = st.builds(
    Judgement,
    session_id=st.just("j"),
    model=st.sampled_from(["m", "n", "m-2026", ""]),
    answer=st.just("raw"),
    limited=st.booleans(),
    limit_resets_in_s=st.sampled_from([0.0, 2.0, 2.0, None]),
    model_failed=st.booleans(),
    refused=st.booleans(),
)


restarts = st.builds(
    LoopRestarted,
    intent=st.sampled_from(["continue", "continue", "continue", "cancel"]),
    unaccounted_s=st.sampled_from([0.0, 5.0]),
    changes=st.builds(
        CapChanges,
        max_rounds=st.sampled_from([None, None, 0, 3]),
        max_tokens=st.sampled_from([None, 30, 10_000]),
        max_micro_usd=st.sampled_from([None, 300, 100_000]),
        max_time_s=st.sampled_from([None, 30.0, 10_000.0]),
    ),
)


@dataclass(frozen=True)
class World:
    """The temper of one history, so that long streaks of the same thing come about."""

    trees: tuple
    moods: tuple
    outcomes: tuple
    changes: tuple
    fortunes: list
    deeds: tuple
    abilities: tuple


worlds = st.builds(
    World,
    trees=TREES,
    moods=MOODS,
    outcomes=TEMPERS,
    changes=st.sampled_from([(0,), (1,), (0, 1, 3)]),
    fortunes=FORTUNES,
    deeds=DEEDS,
    abilities=st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
