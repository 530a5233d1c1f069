"""Where a quote has to stand for a citation to hold."""

import pytest
from judge_world import CITATION, CODE

from loopctl.evaluators.llm_judge.citations import CitedFiles
from loopctl.evaluators.llm_judge.verdicts import Citation
from loopctl.tools.files.folder import Folder


@pytest.fixture
def look_up(tmp_path):
    root = tmp_path / "tree"
    files = {
        "src/read.py": CODE,
        "far.py": "\n" * 50 + CITATION["quote"],
        "node_modules/read.py": CODE,
        ".git/config": CODE,
        "binary": CODE + "\0",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "link").symlink_to("/etc/passwd")
    (root / "inner").symlink_to("src")
    (tmp_path / "beside.py").write_text(CODE)

    def look_up(**fields):
        return CitedFiles(Folder(root)).look_up(Citation(**(CITATION | fields)))

    return look_up


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({}, 2),
        ({"line": 5}, 2),
        ({"line": 1}, 2),
        ({"quote": "raise   FileNotFoundError(f'no file {path}')"}, 2),
        ({"quote": "\n2\t    raise FileNotFoundError(f'no file {path}')\n"}, 2),
        ({"quote": "def read(path):\r\n    raise FileNotFoundError", "line": 1}, 1),
        ({"quote": "FileNotFoundError(f'no file {path}')\n\n\nread('x')"}, 2),
        ({"file": "./src/../src/read.py"}, 2),
        ({"file": "inner/read.py"}, 2),
        ({"file": "far.py", "line": 51}, 51),
    ],
)
def test_small_slips_are_forgiven(look_up, fields, line):
    found = look_up(**fields)
    assert (found.line, found.problem) == (line, "")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"file": "src/other.py"}, "no such file"),
        ({"file": "/etc/passwd", "line": 1, "quote": "root:x:0:0:root"}, "not in your folder"),
        ({"file": "../beside.py"}, "not in your folder"),
        ({"file": "link", "line": 1, "quote": "root:x:0:0:root"}, "not in your folder"),
        ({"file": "src"}, "folder"),
        ({"file": ""}, "folder"),
        ({"file": "a\0b"}, "not a path"),
        ({"file": ".git/config"}, "git"),
        ({"file": "node_modules/read.py"}, "no part of the work"),
        ({"file": "binary"}, "binary"),
        ({"line": 4000}, "the file has 5 lines"),
        ({"line": 6}, "not at that line"),
        ({"file": "far.py", "line": 2}, "not at that line"),
        ({"quote": "every error names its file"}, "not at that line"),
        ({"quote": "def"}, "too short"),
        ({"quote": "    (): {} [] ;;; ..."}, "too short"),
        ({"quote": ""}, "too short"),
        ({"quote": "def read(path):\n    pass", "line": 1}, "not at that line"),
        (
            {"quote": "def read(path):\n\n    raise FileNotFoundError", "line": 1},
            "not at that line",
        ),
        ({"quote": "long line of text\n" * 30}, "more than 20 lines"),
    ],
)
def test_a_forged_citation_does_not_hold(look_up, fields, why):
    found = look_up(**fields)
    assert found.line == 0
    assert why in found.problem
