"""Whole loops whose stop command leaves results: the floor holds where an exit status does not."""

import shlex
import sys

import pytest
from harness import World

PYTEST = f"{shlex.quote(sys.executable)} -m pytest -q -p no:cacheprovider"
TESTS = """\
import calc


def test_double():
    assert calc.double(21) == 42


def test_name():
    assert calc.__name__ == "calc"
"""
HONEST = "def double(x):\n    return x + x\n"
LEAVES = "import os\n\nos._exit(0)\n"
SKIPS = 'import pytest\n\npytest.skip("not today", allow_module_level=True)\n'
WRITES = """\
#!/bin/sh
grep -qx 42 answer.txt && result="" || result="<failure/>"
echo "<testsuite><testcase name='answer'>$result</testcase></testsuite>" > out.xml
test -z "$result"
"""


def suites(result):
    """Verdict and tests of every evaluation, the trials of the baseline left out."""
    reports = [data["report"] for data in result.of("evaluator_finished")]
    first, others = reports[0], [each for each in reports[1:] if each["tree"] != reports[0]["tree"]]
    return [
        (each["criteria"][0]["verdict"], each["suite"] and (each["suite"]["passed"]))
        for each in (first, *others)
    ]


def prompt(world, number):
    """What the agent was told in a round."""
    shown = world.run_loopctl("show", "demo", "--round", str(number)).check(0).stdout
    return shown.partition("\nprompt:\n")[2]


def test_product_code_that_ends_the_tests_with_0_meets_no_goal(world: World) -> None:
    world.write("tests/test_calc.py", TESTS)
    world.commit("tests for pytest")
    rounds = [[{"write": ["calc.py", text]}] for text in (LEAVES, SKIPS, HONEST)]
    result = world.run_loop(*rounds, options=("--stop", PYTEST)).check(0)
    assert suites(result) == [("FAIL", 1), ("FAIL", None), ("FAIL", 0), ("PASS", 2)]
    (tried,) = result.of("hardening_tried")
    assert (tried["hardening"], tried["kept"]) == ("plug-ins by name, safe path", True)
    assert "but loopctl-results.xml was not written" in prompt(world, 2)
    missing = "did not run, but did on the base commit: tests.test_calc::test_name"
    assert missing in prompt(world, 3)
    closed = result.of("round_closed")[-1]
    assert (closed["tests_passed"], closed["tests_total"]) == (2, 2)


def test_a8_12_a_results_file_of_ones_own_and_failures_of_the_start(world: World) -> None:
    world.write("suite.sh", WRITES)
    world.write("out.xml", "<testsuite><testcase name='answer'/></testsuite>")
    world.commit("a suite that writes results, and old results")
    options = ("--stop", "sh suite.sh", "--results", "out.xml")
    rounds = ([{"write": ["answer.txt", "41\n"]}], [{"write": ["answer.txt", "42\n"]}])
    result = world.run_loop(*rounds, options=options).check(0)
    assert suites(result) == [("FAIL", 0), ("FAIL", 0), ("PASS", 1)]
    table = world.run_loopctl("show", "demo").check(0).stdout
    rows = table.partition("\n\n")[0].splitlines()
    assert [line.split()[5] for line in rows] == ["TESTS", "0/1", "0/1", "1/1"]
    assert "failing as on the base commit: answer" in prompt(world, 2)
    assert "0 of 1 criteria passed (0/1 tests)" in prompt(world, 2)


def test_results_that_never_come_are_said_before_any_agent(world: World) -> None:
    options = ("--stop", "true", "--results", "build/*.xml")
    result = world.run_loop([], options=options).check(15)
    assert "build/*.xml was not written" in result.stop["detail"]
    assert world.calls() == []


def test_without_a_baseline_the_floor_is_the_run_itself(world: World) -> None:
    world.write("tests/test_calc.py", TESTS)
    world.commit("tests for pytest")
    options = ("--stop", PYTEST, "--baseline", "skip")
    rounds = ([{"write": ["calc.py", LEAVES]}], [{"write": ["calc.py", HONEST]}])
    result = world.run_loop(*rounds, options=options).check(0)
    assert [verdict for verdict, _ in suites(result)] == ["FAIL", "PASS"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--stop", "make", "--results", "a.xml", "--results", "b.xml"), "2 --results for 1"),
        (("--stop", "make", "--results", "/tmp/a.xml"), "results cannot be '/tmp/a.xml'"),
        (("--stop", "make", "--results", "../a.xml"), "results cannot be '../a.xml'"),
    ],
)
def test_results_that_cannot_be_are_refused(world: World, options, words) -> None:
    result = world.run_loop([], options=options).check(2)
    assert words in result.stderr


def test_a8_4_tests_that_are_newly_skipped_meet_no_goal(world: World) -> None:
    """How many are skipped is on the screen and in the evidence of every round."""
    tests = (
        TESTS + "\n\ndef test_tool():\n    if not calc.READY:\n        pytest.skip('not here')\n"
    )
    world.write("calc.py", "READY = True\n\n\ndef double(x):\n    return x\n")
    world.write("tests/test_calc.py", f"import pytest\n{tests}")
    world.commit("a test that may skip")
    rounds = [[{"write": ["calc.py", f"READY = {ready}\n\n\n{HONEST}"]}] for ready in (0, 1)]
    result = world.run_loop(*rounds, options=("--stop", PYTEST)).check(0)
    assert suites(result) == [("FAIL", 2), ("FAIL", 2), ("PASS", 3)]
    evidence = prompt(world, 2)
    assert "2/2 tests, 1 skipped, but 1 test newly skipped: tests.test_calc::test_tool" in evidence


def test_a_baseline_that_lacks_a_module_is_told_before_any_round(world: World) -> None:
    world.write("src/shop/__init__.py", "def total(net):\n    return net\n")
    world.write(
        "tests/test_shop.py", "import shop\n\n\ndef test_total():\n    assert shop.total(1)\n"
    )
    world.commit("a package that is not installed")
    options = ("--stop", f"{PYTEST} tests/test_shop.py", "--max-rounds", "1")
    result = world.run_loop([{"say": "nothing to do"}], options=options).check(10)
    (notice,) = result.of("baseline_notice")
    assert notice["problem"] == "ModuleNotFoundError: No module named 'shop'"
    assert "loopctl init" in notice["advice"]
    told = [line for line in result.stderr.splitlines() if "No module named 'shop'" in line]
    assert "baseline: stop-1: ModuleNotFoundError" in told[0]
    assert result.stderr.index(told[0]) < result.stderr.index("round 1: admitted")
