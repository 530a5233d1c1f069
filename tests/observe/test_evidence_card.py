"""The evidence card: short where nothing happened, and nothing odd is left out without a word."""

import pytest
from observed_facts import BASE, RESTORED, SNAPSHOT, SUITE, TREE, ended, report

from loopctl.domain.agent_session import Survivor
from loopctl.domain.alert import Alert, Harm
from loopctl.domain.confinement import Backend, SandboxSettings
from loopctl.domain.criteria import Verdict
from loopctl.domain.evaluation import BaselineRun
from loopctl.domain.evaluator_spec import (
    EvaluatorSpec,
    Isolation,
    ShellExecutor,
    SingleMetric,
)
from loopctl.domain.evidence import HeldOut, evidence_of
from loopctl.domain.hardening import Hardening
from loopctl.domain.holdout import HoldOut
from loopctl.domain.promises import PROMISES
from loopctl.domain.sign import Sign, SignKind
from loopctl.domain.stage import Stage, told_of
from loopctl.domain.suite import SuiteResult
from loopctl.domain.tool import ResolvedTool, Workbench
from loopctl.observe.evidence_card import evidence_rows, whole_card

PLAIN = SNAPSHOT.evolve(restored=(), left_out=(), notes=())
PASSED = report(Verdict.PASS, exit="exit 0", log="round-0002.stop-1.1.log")
HELD = EvaluatorSpec(
    name="holdout-1",
    criteria=SingleMetric(name="hold-out 1"),
    executor=ShellExecutor(command="sh secret.sh"),
)
HELD_REPORT = PASSED.evolve(evaluator="holdout-1", stage=Stage.HOLDOUT, exit="")


def spec(**changes):
    return ended().spec.evolve(**changes)


def shown(*reports, state=None, snapshots=(), survivors=()):
    state = state or ended(snapshot=PLAIN)
    taken = snapshots or tuple(filter(None, (state.snapshot,)))
    return evidence_of(state, taken, survivors, reports)


def text(rows):
    return "\n".join(f"{label:<10}{said}" for label, said in rows)


def test_a_plain_green_loop_adds_two_rows():
    assert [label for label, _ in evidence_rows(shown(PASSED))] == ["judged", "isolation"]


def test_a_container_says_that_the_agent_was_outside_of_it():
    boxed = tuple(each.evolve(isolation=Isolation.CONTAINER) for each in spec().evaluators)
    rows = dict(evidence_rows(shown(PASSED, state=ended(spec=spec(evaluators=boxed)))))
    assert rows["sandbox"] == "none: the agent worked outside of the container, as you"
    kept = spec(evaluators=boxed, sandbox=SandboxSettings(backend=Backend.BUBBLEWRAP))
    rows = dict(evidence_rows(shown(PASSED, state=ended(spec=kept))))
    assert rows["sandbox"] == "the agent worked in one (bwrap)"


def test_a_loop_in_which_everything_happened(text_snapshot):
    first = PLAIN.evolve(
        round=1,
        late=("build/x",),
        alerts=(
            Alert(kind="home", what="~/.npmrc", detail="was added", harm=Harm.TOLD),
            Alert(
                kind="git-hook",
                what="post-commit",
                detail="",
                reverted=True,
                kept="/k/post-commit",
            ),
            Alert(kind="git-config", what="core.pager", detail="x\ny", next_step="git config ..."),
        ),
    )
    signs = tuple(Sign(kind=SignKind.EXITS, path=f"a{n}.py", line=n, text="x") for n in range(7))
    last = SNAPSHOT.evolve(signs=signs, new_tests=("tests/test_new.py",), new_tests_tree="n" * 40)
    suite = SuiteResult(passed=45, failed=0, skipped=1)
    base = SuiteResult(passed=41, failed=4, skipped=1)
    run = PASSED.evolve(
        suite=suite,
        hardening=Hardening.FULL,
        moved=("out.txt",),
        warnings=("cache ~/.cache is shared", f"{RESTORED.path} was changed (M)"),
    )
    tool = ResolvedTool(
        name="python", path="/bin/python", real="/x/python3", digest="d" * 64, size=1, written_ns=1
    )
    state = ended(
        snapshot=last,
        spec=spec(
            workbench=Workbench(tools=(tool, tool.evolve(name="/x/python3"))),
            sandbox=SandboxSettings(backend=Backend.BUBBLEWRAP),
            confirm=2,
            holdout=HoldOut(evaluators=(HELD,)),
            evaluator_env=("DATABASE_URL",),
        ),
        baseline=(BaselineRun(evaluator="stop-1", duration_s=1, passed=False, suite=base),),
    )
    new_tests = run.evolve(stage=Stage.NEW_TESTS, tree="n" * 40, moved=(), warnings=())
    survivors = [
        (1, Survivor(pid=n, command=f"sleep {n}", found="by its variables")) for n in range(1, 8)
    ]
    evidence = shown(
        run,
        run.evolve(stage=Stage.AGAIN, provisional=True),
        run.evolve(stage=Stage.AGAIN, warnings=told_of(Stage.AGAIN)),
        new_tests,
        HELD_REPORT,
        state=state,
        snapshots=(first, last),
        survivors=survivors,
    )
    assert evidence.shown == 2
    assert f"{text(whole_card(evidence))}\n" == text_snapshot


@pytest.mark.parametrize(
    ("reports", "outcome"),
    [
        ((), HeldOut.NOT_RUN),
        ((HELD_REPORT,), HeldOut.PASSED),
        ((HELD_REPORT.evolve(criteria=report(Verdict.FAIL).criteria),), HeldOut.FAILED),
        ((HELD_REPORT.evolve(criteria=report(Verdict.ERROR).criteria),), HeldOut.NOT_JUDGED),
        # Its last word counts: the first time it could not be run.
        (
            (HELD_REPORT.evolve(criteria=report(Verdict.ERROR).criteria), HELD_REPORT),
            HeldOut.PASSED,
        ),
    ],
)
def test_what_came_of_a_hold_out(reports, outcome):
    state = ended(snapshot=PLAIN, spec=spec(holdout=HoldOut(evaluators=(HELD,))))
    evidence = shown(PASSED, *reports, state=state)
    assert evidence.holdout == outcome
    assert "secret" not in text(whole_card(evidence))


def test_a_run_on_another_tree_does_not_count():
    evidence = shown(PASSED.evolve(tree="0" * 40))
    assert (evidence.runs, evidence.shown) == ((), 0)


def test_before_any_round_it_is_the_base_commit():
    state = ended(snapshot=None)
    evidence = shown(PASSED.evolve(tree=state.spec.base_tree), state=state)
    assert (evidence.commit, evidence.round, evidence.shown) == ("", 0, 1)
    judged = dict(evidence_rows(evidence))["judged"]
    assert judged.endswith(f"base commit {BASE[:12]}")


def test_new_test_files_that_were_not_run_are_named():
    state = ended(snapshot=PLAIN.evolve(new_tests=("tests/test_new.py",)))
    assert "not used: tests/test_new.py" in text(evidence_rows(shown(PASSED, state=state)))


def test_every_isolation_says_what_it_does_not_promise():
    assert set(PROMISES) == set(Isolation)


def test_names_and_texts_cannot_move_the_screen():
    sign = Sign(kind=SignKind.SWALLOWS, path="a\x1b[2J.py")
    state = ended(snapshot=PLAIN.evolve(signs=(sign,)))
    assert "\x1b" not in text(whole_card(shown(PASSED, state=state)))
    assert SUITE in text(whole_card(shown(PASSED, state=state)))
    assert TREE[:12] in text(whole_card(shown(PASSED, state=state)))
