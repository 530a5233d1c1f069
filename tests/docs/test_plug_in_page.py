"""The plug-ins of the documentation keep their promises."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "plug-ins.md"


def names_of_the_page():
    """What all blocks of the page define, one after the other as in one file."""
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
        exec(block, names)
    return names


def test_the_agent_of_the_page(tmp_path):
    names_of_the_page()["test_it_keeps_its_promises"](tmp_path)
    assert (tmp_path / "work" / "answer.txt").read_text() == "42\n"


def test_the_evaluator_of_the_page(tmp_path):
    names_of_the_page()["test_it_judges_as_it_should"](tmp_path)
