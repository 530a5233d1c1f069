"""Output as lines of evidence."""

import pytest

from loopctl.evaluators.evidence import last_line, one_line, output_tail


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("/bin/sh: 1: pytest: not found\n", "pytest: not found"),
        ("/bin/sh: line 1: pytest: command not found\n", "pytest: command not found"),
        ("/bin/sh: pytest: command not found\n", "pytest: command not found"),
        ("first\n  last  \n\n", "last"),
        ("", "no output"),
        (" \n\n", "no output"),
    ],
)
def test_the_last_line_without_the_shell_s_own_name(output, said):
    assert last_line(output) == said


def test_a_short_output_is_shown_whole():
    assert output_tail("a\n\n b\n", truncated=False) == ("the output:", "a", "", " b")


def test_the_end_of_an_output_is_called_the_end():
    assert output_tail("a\n", truncated=True)[0].startswith("the end of the output")
    assert len(output_tail("a\n" * 61, truncated=False)) == 61
    assert output_tail("a\n" * 60, truncated=False)[0] == "the output:"


def test_a_line_is_bounded():
    assert one_line(" a \n\t b ") == "a b"
    assert one_line("x" * 300) == "x" * 300
    assert one_line("x" * 301) == "x" * 297 + "..."
