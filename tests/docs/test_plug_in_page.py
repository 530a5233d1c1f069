"""The plug-in of the documentation keeps its promises."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "plug-ins.md"


def test_the_agent_of_the_page(tmp_path):
    agent, its_test = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    names = {}
    exec(agent + its_test, names)
    names["test_it_keeps_its_promises"](tmp_path)
    assert (tmp_path / "work" / "answer.txt").read_text() == "42\n"
