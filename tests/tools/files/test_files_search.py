"""Both programs mean the same, and the number of lines is exact or says that it is not."""

import os
import shutil

import pytest

from loopctl.process.masking import Masker
from loopctl.tools.files.errors import FileToolError
from loopctl.tools.files.search import Match, search
from loopctl.tools.files.search_call import Query

PROGRAMS = [
    "",
    pytest.param("rg", marks=pytest.mark.skipif(not shutil.which("rg"), reason="no ripgrep")),
]


@pytest.fixture(params=PROGRAMS, ids=["python", "ripgrep"])
def find(request, folder, guarded):
    def find(pattern, path=".", glob="", masker=None, **options):
        names = ("skip", "deadline_s")
        query = Query(pattern, path, glob, **{k: v for k, v in options.items() if k not in names})
        rest = {k: v for k, v in options.items() if k in names}
        program = shutil.which(request.param) if request.param else ""
        return guarded(lambda tools: search(folder, query, tools, program=program, **rest), masker)

    return find


def test_lines_in_the_order_of_their_paths(tree, find):
    for name, text in {
        "b.py": "def two():\r\n    pass\ndef three(): two()\n",
        "a/z.py": "x\ndef one():",
        ".hidden": "def four():\n",
        ".gitignore": "*.py\n",
    }.items():
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_bytes(text.encode())
    result = find(r"^def \w+")
    assert result.text == (
        "4 matching lines\n.hidden:1: def four():\na/z.py:2: def one():\n"
        "b.py:1: def two():\nb.py:3: def three(): two()"
    )
    assert find(r"def", "a").matches == (Match("a/z.py", 2, "def one():"),)
    assert find(r"DEF", "b.py", ignore_case=True).total == 2
    assert find(r"two():", literal=True).total == 1
    assert find(r"pass$").total == 1
    assert find(r"\):$").total == 3  # the end of a line is before its carriage return
    assert find("nowhere").text == "0 matching lines"


def test_globs_and_names_to_skip(tree, find):
    for name in ("a.py", "a.txt", "src/b.py", "src/x/c.PY", "node_modules/d.py", "[s]/e.py"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("word\n")
    assert find("word", glob="*.py").total == 5
    assert find("word", "src", glob="*.py").total == 2
    assert find("word", "src", glob="x/*.py").total == 1
    assert find("word", glob="src/").total == 2
    assert find("word", glob="[s]/*").total == 1
    assert find("word", glob="**/x/*").total == 1
    skip = frozenset({"node_modules"})
    assert find("word", glob="*.py", skip=skip).total == 4
    assert find("word", "node_modules", skip=skip).total == 1


def test_what_belongs_to_git_and_what_is_outside_is_not_looked_at(tree, find):
    (tree / "sub").mkdir()
    (tree / "sub" / ".git").write_text("the configuration\n")
    (tree / "link").symlink_to(tree.parent / "secret")
    (tree / "folder").symlink_to(tree.parent)
    os.mkfifo(tree / "pipe")
    assert find("the").total == 0


def test_binary_files_count(tree, find):
    (tree / "a").write_bytes(b"x\0y word\n\xff\xfe word\n")
    result = find("word")
    assert (result.total, result.is_exact) == (2, True)
    assert result.matches[0] == Match("a", 1, r"x\x00y word")


def test_of_many_lines_the_number_is_exact(tree, find):
    (tree / "a").write_text(f"word {'x' * 60}\n" * 100_000)  # more than what is captured
    result = find("word")
    assert (result.total, len(result.matches), result.is_exact) == (100_000, 200, True)
    assert result.text.startswith("100000 matching lines, the first 200\na:1: word xxx")
    assert len(result.text) < 20_000


def test_a_long_line_is_cut(tree, find):
    (tree / "a").write_text(f"word {'x' * 100_000}\n")
    assert len(find("word").text) < 600


@pytest.mark.parametrize("pattern", ["(", "[a", "a{2,1}"])
def test_a_pattern_that_cannot_be_read(tree, find, pattern):
    with pytest.raises(FileToolError, match="the pattern cannot be used"):
        find(pattern)


def test_a_pattern_that_begins_with_a_dash(tree, find):
    (tree / "a").write_text("--version\n")
    assert find("--version").total == 1


def test_a_file_cannot_say_how_many_lines_match(tree, find):
    (tree / "a").write_bytes(b"word\r0 matched lines\n" * 3)
    (tree / "z\n7 matched lines\n").write_text("word\n")
    assert find("word").total == 4


def test_secrets_are_masked(tree, find):
    (tree / "a").write_text("key = hunter2-hunter2\n")
    result = find("key", masker=Masker({"A_TOKEN": "hunter2-hunter2"}))
    assert result.matches[0].text == "key = [masked:A_TOKEN]"


def test_what_takes_too_long_is_ended_and_not_exact(tree, folder, guarded):
    (tree / "a").write_text("first\n" + "a" * 40 + "b\n")
    query = Query("first|^(a+)+$")
    result = guarded(lambda tools: search(folder, query, tools, program="", deadline_s=0.5))
    assert not result.is_exact
    assert result.text.startswith("at least ")
    assert "the search was not finished: timed out" in result.text


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_cannot_be_read_makes_it_a_lower_bound(tree, find):
    (tree / "a").write_text("word\n")
    (tree / "b").write_text("word\n")
    (tree / "b").chmod(0)
    assert find("word").text.startswith("at least 1 matching line (not everything could be read)")


def test_names_that_are_not_text(tree, find):
    (tree / os.fsdecode(b"\xff")).write_text("word\n")
    assert find("word").text == "1 matching line\n\\udcff:1: word"
