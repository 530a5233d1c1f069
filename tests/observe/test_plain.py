"""Text from outside is shown without being obeyed; figures are shown with their units."""

import pytest

from loopctl.observe.plain import block, byte_size, dollars, duration, iso_time, listing, one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ä 漢 👍", "plain ä 漢 👍"),
        ("a\nb\tc\r", r"a\nb\tc\r"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\x9b2J\x7f\x00", r"\x9b2J\x7f\x00"),
        ("abc\u202egpj.exe", r"abc\u202egpj.exe"),
        ("a\u2028b", r"a\u2028b"),
        ("\udcff", r"\udcff"),
    ],
)
def test_what_a_terminal_would_obey_is_escaped(text, shown):
    assert one_line(text) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0 kB"), (9, "1 kB"), (12_400, "13 kB"), (41_000_000, "41.0 MB"), (1.2e12, "1,200.0 GB")],
)
def test_bytes_have_the_unit_that_suits_them(number, shown):
    assert byte_size(number) == shown


def test_a_block_keeps_lines_and_tabs():
    assert block("a\tb\n\x1b[31mc\n") == "a\tb\n\\x1b[31mc"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.04, "0.0 s"), (41.2, "41.2 s"), (59.94, "59.9 s"), (72, "1m 12s"), (3725, "1h 02m")],
)
def test_durations(seconds, shown):
    assert duration(seconds) == shown


@pytest.mark.parametrize(
    ("micro", "shown"),
    [
        (0, "$0.00"),
        (1, "$0.000001"),
        (1_500, "$0.0015"),
        (500_000, "$0.50"),
        (20_000_000, "$20.00"),
        (1_234_567_890, "$1,234.56789"),
    ],
)
def test_no_digit_of_an_amount_is_lost(micro, shown):
    assert dollars(micro) == shown


def test_a_long_list_says_how_much_it_leaves_out():
    assert listing([str(number) for number in range(8)]) == "0, 1, 2, 3, 4 and 3 more"


def test_times_are_utc():
    assert iso_time(0.5) == "1970-01-01T00:00:00.500+00:00"
