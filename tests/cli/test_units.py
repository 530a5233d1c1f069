"""Numbers with units, as users write them. What is refused is tested with the usage errors."""

import pytest

from loopctl.cli.units import count, count_or_none, micro_dollars, seconds


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("90", 90),
        ("45s", 45),
        ("30m", 1800),
        ("2h", 7200),
        ("1h30m", 5400),
        ("1H30M5S", 5405),
        ("1.5h", 5400),
        ("1d", 86400),
        (" 0.5 ", 0.5),
        (90, 90),
    ],
)
def test_durations(value, expected):
    assert seconds(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1", 1_000_000),
        ("$0.25", 250_000),
        ("1.1", 1_100_000),
        (".5", 500_000),
        ("1e-6", 1),
        (2, 2_000_000),
        (0.000001, 1),
    ],
)
def test_dollars(value, expected):
    assert micro_dollars(value) == expected


@pytest.mark.parametrize(("value", "expected"), [("3", 3), ("3.0", 3), ("1e3", 1000), (7, 7)])
def test_counts(value, expected):
    assert count(value) == expected


def test_no_rounds_stand_for_no_cap():
    assert count_or_none("0") == 0


@pytest.mark.parametrize("value", [True, None, [], "\uff10"])
def test_what_is_no_number_at_all(value):
    with pytest.raises(ValueError, match="is not a whole number"):
        count(value)
