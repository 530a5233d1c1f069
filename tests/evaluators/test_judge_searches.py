"""A search shows that there is nothing only when it could have found something."""

import asyncio

import pytest
from judge_world import CODE

from loopctl.evaluators.llm_judge.searches import Searches
from loopctl.process.guard_client import Guard
from loopctl.process.masking import Masker
from loopctl.process.toolbox import Toolbox
from loopctl.tools.files.errors import FileToolError
from loopctl.tools.files.folder import Folder
from loopctl.tools.files.search_call import Query

EVAL = r"\beval\("
LINKS = {
    "linked/inner": "../src",
    "away/deep/file": "../text",
    "venv/bin/python": "/usr/bin/env",  # installed, as links out of the work are
    "src/again": "read.py",
}
EXAMPLE = "x = eval(text)"
STRAY = "it follows no links, and {} leads to where it did not look"
CASES = (
    (Query(EVAL), EXAMPLE, ""),
    (Query("EVAL(", literal=True, ignore_case=True), EXAMPLE, ""),
    (Query(EVAL, path="src", glob="*.py"), f"\n{EXAMPLE}\n", ""),
    (Query("FileNotFound"), "FileNotFound", "it found 1 lines"),
    (Query(EVAL), "  ", "it was made without an example of what it is meant to find"),
    (Query(r"\\beval\("), EXAMPLE, "its pattern does not find its own example"),
    (Query(r"x\by"), EXAMPLE, "its pattern does not find its own example"),
    (Query("eval (", literal=True), EXAMPLE, "its pattern does not find its own example"),
    (Query(EVAL, path="empty"), EXAMPLE, "there is no text where it looked"),
    (Query(EVAL, glob="*.java"), EXAMPLE, "there is no text where it looked"),
    (Query(EVAL, path="linked"), EXAMPLE, STRAY.format("linked/inner")),
    (Query(EVAL, path="away/deep"), EXAMPLE, STRAY.format("away/deep/file")),
)


def test_what_counts_as_evidence_of_absence(tmp_path):
    for name, text in {"src/read.py": CODE, "empty/none": ""}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)

    for name, to in LINKS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).parent.joinpath("text").write_text("text\n")
        (tmp_path / name).symlink_to(to)

    async def main():
        guard = await Guard.start()
        try:
            searches = Searches(Folder(tmp_path), Toolbox(guard, Masker({})))
            kept = [await searches.make(query, example) for query, example, _ in CASES]
            for query in (Query("eval("), Query("x", path="/etc"), Query("x", path="nowhere")):
                with pytest.raises(FileToolError):
                    await searches.make(query, EXAMPLE)
            return searches, kept
        finally:
            guard.close()

    searches, kept = asyncio.run(main())
    assert [one.weakness for one in kept] == [why for _, _, why in CASES]
    assert kept[2].summary == r"search S3: 0 matches of '\\beval\\(' in src (*.py) among 3 lines"
    assert searches.get(" S10 ") is kept[9]
    assert searches.get("S13") is None
