"""A run is held against the base commit's: what makes it no PASS, and what is said of it."""

import pytest

from loopctl.domain.result_floor import LISTED_IDS, compare
from loopctl.domain.suite import Outcome

PASSED, SKIPPED, FAILED, ERROR = Outcome
BASE = {"good": PASSED, "bad": FAILED, "broken": ERROR, "off": SKIPPED}


def test_a_run_in_which_all_pass_is_above_the_floor():
    now = {"good": PASSED, "bad": PASSED, "off": SKIPPED, "new": PASSED}
    compared = compare(now, BASE)
    assert compared.breaches == ()
    assert compared.lines() == ("tests: 3 passed, 1 skipped",)


@pytest.mark.parametrize(
    ("now", "words"),
    [
        ({"bad": PASSED}, "1 test ran on the base commit and did not run now: good"),
        ({"good": PASSED}, "1 test ran on the base commit and did not run now: bad"),
        ({"good": SKIPPED, "bad": PASSED}, "1 test newly skipped: good"),
        ({"good": PASSED, "bad": SKIPPED}, "1 test newly skipped: bad"),
        ({"good": PASSED, "bad": PASSED, "broken": SKIPPED}, "1 test newly skipped: broken"),
        ({"good": PASSED, "bad": FAILED}, "1 test failed: bad"),
        ({"good": PASSED, "bad": PASSED, "new": ERROR}, "1 test failed: new"),
        ({"good": FAILED, "bad": FAILED}, "2 tests failed: good, bad"),
    ],
)
def test_each_way_to_fall_below_the_floor(now, words):
    assert compare(now, BASE).breaches == (words,)


@pytest.mark.parametrize("base", [None, {}, {"off": SKIPPED}])
@pytest.mark.parametrize("now", [{}, {"off": SKIPPED}])
def test_a_run_without_a_passing_test_proves_nothing(now, base):
    assert compare(now, base).breaches == ("no test was run",)


def test_what_could_not_be_run_on_the_base_commit_may_go_away():
    """A module that could not be imported has one id; its tests have others."""
    assert compare({"good": PASSED, "bad": PASSED}, BASE).breaches == ()


@pytest.mark.parametrize("skipped", ["broken::a", "broken.Class::a[x::y]"])
def test_a_module_that_could_not_be_run_must_not_be_skipped_as_a_whole(skipped):
    """What it tests may be a stub that skips whoever calls it."""
    now = {"good": PASSED, "bad": PASSED, skipped: SKIPPED}
    assert compare(now, BASE).breaches == (f"1 test newly skipped: {skipped}",)
    assert compare({**now, "broken::b": PASSED}, BASE).breaches == ()


def test_a_test_that_first_appears_may_be_skipped():
    now = {"good": PASSED, "bad": PASSED, "new": SKIPPED}
    assert compare(now, BASE).breaches == ()


def test_new_and_old_failures_are_told_apart():
    compared = compare({"good": FAILED, "bad": ERROR, "new": FAILED}, BASE)
    assert compared.new_failures == ("good", "new")
    assert compared.old_failures == ("bad",)
    assert compared.lines() == (
        "tests: 0 passed, 3 failed (2 of them newly)",
        "newly failing: good",
        "newly failing: new",
        "failing as on the base commit: bad",
    )
    assert compared.result.new_failures == 2


def test_nothing_is_called_new_when_the_base_is_unknown():
    compared = compare({"a": FAILED, "b": PASSED}, None)
    assert compared.lines() == ("tests: 1 passed, 1 failed", "failing: a")
    assert compared.breaches == ("1 test failed: a",)
    assert compared.result.new_failures == 0


def test_long_lists_are_cut():
    base = {f"t{number:03}": PASSED for number in range(LISTED_IDS + 5)}
    compared = compare({"t000": PASSED}, base)
    assert compared.result.missing == LISTED_IDS + 4
    assert compared.lines()[-1] == "did not run, but did on the base commit: and 4 more"
    assert compared.breaches[0].endswith("t001, t002, t003 and 21 more")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1a3d4dee-ca15-4809-90e9-6f138ff82113", "2b3d4dee-ca15-4809-90e9-6f138ff82113"),
        ("1796100278.146028", "1796100311.0"),
        ("1796100278146", "1796100311002"),
        ("2026-12-01T04:43:44.123+00:00", "2026-12-01 04:43:45"),
    ],
)
def test_an_id_with_a_time_or_a_random_identifier_is_another_in_every_run(before, after):
    base = {f"t[{before}-a]": PASSED, "x": PASSED}
    assert compare({f"t[{after}-a]": PASSED, "x": PASSED}, base).breaches == ()
    for now in ({f"t[{after}-b]": PASSED}, {f"t[{after}-a]": SKIPPED}, {"t[-a]": PASSED}):
        words = f"1 test ran on the base commit and did not run now: t[{before}-a]"
        assert compare({**now, "x": PASSED}, base).breaches == (words,)


def test_each_of_them_stands_for_one_test():
    """Fewer than on the base commit is fewer."""
    times = [f"t[{1_796_100_278 + number}]" for number in range(4)]
    compared = compare({times[2]: PASSED}, {times[0]: PASSED, times[1]: PASSED})
    assert compared.result.missing == 1
    assert (
        compare(dict.fromkeys(times[2:], PASSED), dict.fromkeys(times[:2], PASSED)).breaches == ()
    )


@pytest.mark.parametrize(
    "value", ["15", "1234567", "2020-01-01", "deadbeef", "2796100278", "a1796100278"]
)
def test_a_plain_value_is_no_moment(value):
    base = {f"t[{value}]": PASSED}
    assert compare({"t[other]": PASSED, "t[*]": PASSED}, base).result.missing == 1
