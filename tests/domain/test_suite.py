"""What a run's tests came to, and how two runs are told apart."""

import pytest

from loopctl.domain.suite import Outcome, SuiteResult, collect, suite_digest

PASSED, SKIPPED, FAILED, ERROR = Outcome


def test_the_worst_outcome_of_an_id_counts():
    assert collect([("a", PASSED), ("a", ERROR), ("a", FAILED)]) == {"a": ERROR}
    assert collect([("a", SKIPPED), ("a", PASSED)]) == {"a": SKIPPED}


def test_an_address_in_an_id_is_no_difference():
    first = collect([("t[<object at 0x7f01>]", PASSED)])
    assert first == collect([("t[<object at 0x7fFF>]", PASSED)])
    assert collect([("t[0xzz]", PASSED)]) == {"t[0xzz]": PASSED}


def test_a_folder_of_the_run_in_an_id_is_no_difference():
    places = {"/x/1/tree/home": "$HOME", "/x/1/tree": "$CHECKOUT"}
    found = collect([("t[/x/1/tree/a]", PASSED), ("t[/x/1/tree/home/b]", PASSED)], places)
    assert found == {"t[$CHECKOUT/a]": PASSED, "t[$HOME/b]": PASSED}


@pytest.mark.parametrize(
    "other",
    [{}, {"a": FAILED, "b": PASSED}, {"a": PASSED}, {"a": PASSED, "b": PASSED, "c": PASSED}],
)
def test_the_digest_tells_runs_apart(other):
    suite = {"a": PASSED, "b": PASSED}
    assert suite_digest(suite) == suite_digest({"b": PASSED, "a": PASSED})
    assert suite_digest(suite) != suite_digest(other)


def test_the_digest_does_not_depend_on_the_time_of_a_run():
    first, second = ({f"t[{time}]": PASSED, "u": FAILED} for time in ("1796100278", "1796100279"))
    assert suite_digest(first) == suite_digest(second)


def test_an_id_that_is_no_text_has_a_digest():
    assert suite_digest({"\udcff": PASSED}) != suite_digest({"\udcfe": PASSED})


def test_the_skipped_are_not_in_the_total():
    result = SuiteResult(passed=41, failed=3, skipped=7, missing=1)
    assert (result.passed, result.total) == (41, 45)
    assert str(result) == "41/45 tests, 7 skipped"
    assert str(result.evolve(skipped=0)) == "41/45 tests"
