"""What is new since the base commit, and texts of any kind."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopctl.domain.sign import Sign, SignKind
from loopctl.domain.signs.changed_source import ChangedSource, signs_of
from loopctl.domain.signs.examined import examine
from loopctl.domain.signs.language import Language, language_of
from loopctl.domain.signs.literal_places import test_literals as literals_of
from loopctl.domain.signs.shown_signs import shown_signs

SUFFIXES = ("py", "ts", "go", "rs", "kt", "rb", "txt")
WORDS = (
    *(
        "class A:\n",
        " def __eq__(self, o):\n  return True\n",
        "import pytest\n",
        "os._exit(0)",
        "if ",
    ),
    *("try:\n", "except:\n pass\n", "catch (e) {", "}", "/*", "*/", "//", "#", "`", "'", '"', "\\"),
    *(
        "process.exit(",
        "=begin\n",
        "=end\n",
        "expect = ",
        "  ",
        "\n",
        "\t",
        "\0",
        "(",
        ")",
        "1",
        "->",
    ),
    *(
        "def ==(o)",
        "rescue\n",
        "#[cfg(test)]\nmod t {",
        "@SuppressWarnings(",
        "case 10: return 55",
        "é",
    ),
)


ENDLESS_PYTHON = (
    "a" + ".b" * 900 + "\n",
    "-" * 900 + "1\n",
    "a" + "[0]" * 900 + "\n",
    "x = " + " + ".join(["'a'"] * 900) + "\n",
    "".join(f"{' ' * at}def f{at}(a):\n" for at in range(20)) + " " * 20 + "return 55\n",
)


def told(*changes: ChangedSource) -> list[tuple[str, str, int]]:
    return [(sign.kind.value, sign.path, sign.line) for sign in signs_of(changes)]


def test_what_was_there_before_is_no_sign():
    before = "import os\ndef f():\n    os._exit(0)\n"
    assert told(ChangedSource("a.py", before, before + "x = 1\n")) == []


def test_lines_that_moved_are_no_signs():
    before = "import os\ndef f():\n    os._exit(0)\n"
    after = "import os\n\n\nclass A:\n    def f(self):\n        if x:\n            os._exit(0)\n"
    assert told(ChangedSource("a.py", before, after)) == []


def test_one_more_of_the_same_is_a_sign():
    before = "import os\ndef f():\n    os._exit(0)\n"
    after = before + "def g():\n    os._exit(0)\n"
    assert told(ChangedSource("a.py", before, after)) == [("exits", "a.py", 5)]


def test_more_suppressions_are_signs_and_changed_lines_are_none():
    before = "x = f()  # noqa: S101\n"
    after = "x = g()  # noqa: S101\ny = 1  # noqa: S101\n"
    assert told(ChangedSource("a.py", before, after)) == [("suppresses", "a.py", 2)]


def test_code_that_moved_to_another_file_is_no_sign():
    text = "import os\ndef f():\n    os._exit(0)\n"
    gone, here = ChangedSource("a.py", text, None), ChangedSource("b.py", None, text)
    assert told(gone, here) == told(here, gone) == []
    twice = ChangedSource("c.py", None, text)
    assert told(gone, here, twice) == [("exits", "c.py", 3)]


def test_a_file_that_went_away_is_no_sign():
    assert told(ChangedSource("a.py", "import pytest\n", None)) == []


def test_signs_of_one_file_follow_its_lines():
    text = "try:\n    f()\nexcept:\n    pass\nimport pytest  # noqa\n"
    assert [line for _, _, line in told(ChangedSource("a.py", None, text))] == [3, 5, 5]


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.PY", Language.PYTHON),
        ("a.test.tsx", Language.JAVASCRIPT),
        (".rb", Language.RUBY),
        ("py", None),
        ("Makefile", None),
        ("a.py/", None),
    ],
)
def test_languages(path, language):
    assert language_of(path) is language


def test_a_long_line_is_shortened_and_control_characters_are_not_shown():
    text = f"import os\nos._exit(0); x = '{'y' * 500}\x1b[2J'\n"
    (sign,) = signs_of([ChangedSource("a.py", None, text)])
    assert len(sign.text) == 120
    assert sign.text.startswith("os._exit(0); x = 'yyy")
    assert sign.text.isprintable()


@given(suffix=st.sampled_from(SUFFIXES), words=st.lists(st.sampled_from(WORDS), max_size=40))
@settings(max_examples=80, deadline=None)
def test_no_text_made_of_words_raises(suffix, words):
    text = "".join(words)
    changes = [ChangedSource(f"a.{suffix}", None, text), ChangedSource(f"b.{suffix}", text, None)]
    signs = signs_of(changes, [literals_of(f"t.{suffix}", text)])
    lines = text.count("\n") + 1
    assert all(0 <= sign.line <= lines for sign in signs)


@given(suffix=st.sampled_from(SUFFIXES), text=st.text(max_size=200))
@settings(max_examples=50, deadline=None)
def test_no_text_raises(suffix, text):
    signs_of([ChangedSource(f"a.{suffix}", None, text)], [literals_of(f"t.{suffix}", text)])


HEAVY = (
    *(
        "(",
        "[",
        "{",
        "'",
        '"',
        "`",
        "/*",
        "//",
        "\\",
        "\n",
        " ",
        "\t",
        "#",
        "a",
        "1",
        "1,",
        "-",
        "a.b",
    ),
    *(
        "catch (",
        "catch {\n",
        "rescue\n",
        "def ==(o)\n",
        "=begin\n",
        "equals(",
        "if (x == ",
        "case 1:",
    ),
    *(
        "valueOf: (",
        "#[cfg(test)]\n",
        "@Suppress(",
        "# noqa: a, ",
        "import ",
        "import (\n",
        "x => ",
    ),
    *("fn eq(", "put(", "1 => ", "[1, ", "'a': ", "expect.", "process.argv ", "os.ReadFile("),
)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("suffix", SUFFIXES[1:])
def test_no_repetition_keeps_a_pattern_busy(suffix):
    for word in HEAVY:
        text = word * (4_000 // len(word))
        assert examine(f"a.{suffix}", text) is not None
        assert literals_of(f"t.{suffix}", text) is not None


@pytest.mark.timeout(60)
@pytest.mark.parametrize("code", ENDLESS_PYTHON)
def test_no_nesting_keeps_the_walk_busy(code):
    assert examine("a.py", code * 5) is not None


def signs_at(kind: SignKind, path: str, lines: int) -> list[Sign]:
    return [Sign(kind=kind, path=path, line=line) for line in range(1, lines + 1)]


def test_many_signs_of_one_kind_or_file_push_no_other_out():
    many = [
        *signs_at(SignKind.SUPPRESSES, "a.py", 200),
        *(sign for n in range(99) for sign in signs_at(SignKind.SWALLOWS, f"{n}.py", 2)),
        *signs_at(SignKind.EXITS, "z.py", 3),
    ]
    shown = shown_signs(many, 50)
    assert len(shown) == 50
    assert [sign.line for sign in shown if sign.kind == "exits"] == [1, 2, 3]
    assert sum(sign.kind == "suppresses" for sign in shown) == 24
    swallowing = [sign for sign in shown if sign.kind == "swallows"]
    assert len({sign.path for sign in swallowing}) == len(swallowing) == 23
    assert shown == tuple(sorted(shown, key=lambda each: list(SignKind).index(each.kind)))


def test_few_signs_are_all_shown():
    few = [*signs_at(SignKind.SWALLOWS, "a.py", 2), *signs_at(SignKind.EXITS, "b.py", 2)]
    assert shown_signs(few, 4) == (*few[2:], *few[:2])
