"""What of a Markdown file is a criterion, and what is not."""

import pytest

from loopctl.domain.rubric import MOST_CHARACTERS, MOST_ITEMS, parse_rubric
from loopctl.errors import UsageError


def named(text):
    return {item.name: item.description for item in parse_rubric(text, "RUBRIC.md").items}


@pytest.mark.parametrize("mark", ["-", "*", "+", "1.", "1)"])
def test_each_entry_of_a_list_is_a_criterion(mark):
    text = f"# Rubric\n\nSome words.\n\n{mark} Errors: each names a file\n{mark} Tone: polite\n"
    assert named(text) == {"Errors": "each names a file", "Tone": "polite"}


@pytest.mark.parametrize(
    "entry",
    [
        "**Errors**: each names a file",
        "**Errors:** each names a file",
        "__Errors__ - each names a file",
        "**Errors** each names a file",
        "**Errors** \N{EM DASH} each names a file",
        "`Errors`: each names a file",
        "[ ] Errors: each names a file",
        "[x] **Errors**: each names a file",
    ],
)
def test_ways_to_name_a_criterion(entry):
    assert named(f"- {entry}") == {"Errors": "each names a file"}


def test_a_criterion_without_a_name_is_named_by_its_first_words():
    text = (
        "- There is no call of eval() in the code, tests included\n"
        "- There is no call of eval() in the documentation either\n"
        "- short\n- see https://example.invalid/x for the rules\n"
    )
    assert list(named(text)) == [
        "There is no call of eval()",
        "There is no call of eval() (2)",
        "short",
        "see https://example.invalid/x for the rules",
    ]


def test_a_name_with_the_end_of_a_sentence_is_none():
    assert list(named("- It works. Really: it does\n")) == ["It works. Really: it does"]
    assert list(named("- **Only a name**\n")) == ["Only a name"]


def test_lines_that_go_on_and_nested_ones_belong_to_their_entry():
    text = (
        "- Errors: each names\n  a file\nand a line\n    - nested\n\n  after a blank line\n"
        "\n  ```\n  - code\n  ```\n\t- by a tab\n- Tone: polite\n\nNot a part of it.\n"
    )
    assert named(text) == {
        "Errors": (
            "each names\n  a file\nand a line\n    - nested\n  after a blank line\n"
            "  ```\n  - code\n  ```\n\t- by a tab"
        ),
        "Tone": "polite",
    }


def test_code_comments_headings_and_rules_are_no_criteria():
    text = (
        "```\n- one: x\n```\n~~~ text\n- two: x\n~~~\n<!--\n- three: x\n-->\n---\n* * *\n"
        "- four: x\n# five\n- six: x\n***\nseven: x\n\n    eight\n"
    )
    assert named(text) == {"four": "x", "six": "x"}


def test_code_that_does_not_end_hides_the_rest():
    assert named("- one: x\n```\n- two: x\n") == {"one": "x"}


def test_a_table():
    text = (
        "Words | with a bar\n\n| Criterion | What | Weight |\n|:---|:---:|--|\n"
        "| **Errors** | each `a \\| b` names a file | 3 |\n| Tone | polite |\n||\n|only a text|\n"
        "\n- \n"
    )
    assert named(text) == {
        "Errors": "each `a | b` names a file",
        "Tone": "polite",
        "only a text": "only a text",
    }
    assert named("a | b\n--|--\nTone | polite\n") == {"Tone": "polite"}


def test_windows_line_ends_and_a_byte_order_mark():
    assert named("\ufeff- Errors: each\r\n  names\r\n- Tone: polite\r\n") == {
        "Errors": "each\nnames",
        "Tone": "polite",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no criteria"),
        ("Only words.\n", "no criteria"),
        ("-\n- \n", "no criteria"),
        ("- a: x\n\n| b | c |\n|--|--|\n| d | e |\n", "a list and in a table"),
        ("- a: x\n- A: y\n", "two criteria called 'A'"),
        ("- the same text\n- the same text\n", "two criteria called 'the same text'"),
        ("".join(f"- c{n}: x\n" for n in range(MOST_ITEMS + 1)), "51 criteria, and 50"),
        (f"- a: {'x' * (MOST_CHARACTERS + 1)}\n", "'a' of RUBRIC.md has 4001 characters"),
        ("- ** **\n", "no name"),
        ("| a | b |\n|--|--|\n|| text |\n", "no name"),
    ],
)
def test_what_cannot_be_a_rubric_is_refused_with_a_way_out(text, message):
    with pytest.raises(UsageError) as caught:
        parse_rubric(text, "RUBRIC.md")
    assert message in caught.value.message
    assert caught.value.next_step


def test_as_many_as_there_may_be():
    assert len(named("".join(f"- c{n}: x\n" for n in range(MOST_ITEMS)))) == MOST_ITEMS
