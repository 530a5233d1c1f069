"""A table of the tests' inputs and outputs in the product, and what is none."""

import pytest

from loopctl.domain.signs.changed_source import ChangedSource, signs_of
from loopctl.domain.signs.literal import is_telling
from loopctl.domain.signs.literal_places import test_literals as literals_of

TESTS = {
    "tests/test_add.py": "def test_add():\n    assert add(1, 2) == 3\n    assert add(5, 7) == 12\n",
    "tests/test_rows.py": "@parametrize('n, out', [(10, 55), (20, 6765), (30, 832040)])\n",
    "tests/test_words.py": (
        "def test_plural():\n    assert plural('ox') == 'oxen'\n"
        "    assert plural('goose') == 'geese'\n    assert plural('mouse') == 'mice'\n"
    ),
    "tests/test_far.py": (
        "def test_far():\n    word = 'listen'\n    assert is_anagram(word, 'silent')\n"
        "    assert is_anagram('night', 'thing') is True\n"
        "    assert is_anagram('listen', 'silent') is True\n"
    ),
    "tests/sort.test.js": "expect(sort([31, 4, 15])).toEqual([4, 15, 31])\n"
    "expect(sort([9, 8, 77])).toEqual([8, 9, 77])\n",
    "tests/golden/out.txt": "Dear Ada, your balance is 17.25\n",
    "tests/test_text.py": (
        "def test_text():\n    assert answer('What is the capital of France?') == capital\n"
        "    assert answer('How many legs has a spider?') == legs\n"
        "    assert answer('Who wrote the first program?') == person\n"
    ),
}


def found(code: str, path: str = "app.py", before: str | None = None) -> list[str]:
    tests = [literals_of(name, text) for name, text in TESTS.items()]
    signs = signs_of([ChangedSource(path, before, code)], tests)
    return [sign.text for sign in signs if sign.kind == "shares-literals"]


TABLES = {
    "a table": "KNOWN = {(1, 2): 3, (5, 7): 12}\n",
    "a chain": (
        "def add(a, b):\n    if a == 1 and b == 2:\n        return 3\n"
        "    if (a, b) == (5, 7):\n        return 12\n    return a - b\n"
    ),
    "else if": (
        "def fib(n):\n    if n == 10:\n        return 55\n    elif n == 20:\n        return 6765\n"
    ),
    "literals first": (
        "def fib(n):\n    if 10 == n:\n        return 55\n    if 20 == n:\n        return 6765\n"
    ),
    "an expression": "def fib(n):\n    return 55 if n == 10 else 6765 if n == 20 else 0\n",
    "cases": (
        "def fib(n):\n    match n:\n        case 10:\n            return 55\n"
        "        case 20:\n            return 6765\n"
    ),
    "cases of more": (
        "def add(*n):\n    match n:\n        case (1, 2):\n            return 3\n"
        "        case (5, 7):\n            return 12\n"
    ),
    "rows": "KNOWN = [(10, 55), (20, 6765), (30, 832040)]\n",
    "words": "PLURALS = {'ox': 'oxen', 'goose': 'geese'}\n",
    "yes and no": "KNOWN = {('night', 'thing'): True, ('listen', 'silent'): True}\n",
    "an answer alone": "def fib(n):\n    return 832040\n",
    "an expected output": "def letter(name):\n    return 'Dear Ada, your balance is 17.25'\n",
    "one after the other": "KNOWN = iter((832040, 6765, 0))\n",
    "a list": "def sort(xs):\n    return [4, 15, 31]\n",
    "inputs alone": (
        "KNOWN = {'What is the capital of France?': a, 'How many legs has a spider?': b,\n"
        "    'Who wrote the first program?': c}\n"
    ),
}
OTHER_TABLES = {
    "a.js": "const known = { ox: 1, 'ox': 'oxen', 'goose': 'geese', 'mouse': 'mice' }\n",
    "b.js": "switch (n) {\n  case 10: return 55\n  case 20: return 6765\n}\n",
    "c.ts": "if (n === 10) return 55\nif (n === 20) return 6765\n",
    "d.js": "if (n == 10) {\n  return 55\n} else if (n == 20) {\n  return 6765\n}\n",
    "e.go": 'var known = map[string]string{"ox": "oxen", "goose": "geese"}\n',
    "f.rs": "match n {\n    10 => 55,\n    20 => 6765,\n    _ => 0,\n}\n",
    "G.java": 'known.put("ox", "oxen"); known.put("goose", "geese");\n',
    "h.rb": "case n\nwhen 10 then 55\nwhen 20 then 6765\nend\n",
    "i.rb": "KNOWN = { 'ox' => 'oxen', 'goose' => 'geese' }\n",
    "j.kt": "when (n) {\n    10 -> 55\n    20 -> 6765\n}\n",
    "k.js": "const rows = [[10, 55], [20, 6765]]\n",
}
HONEST = (
    "def add(a, b):\n    return a + b\n",
    "def fib(n):\n    if n == 0:\n        return 0\n    if n == 1:\n        return 1\n",
    "KNOWN = {(1, 2): 3}\n",
    "KNOWN = {(1, 2): 4, (5, 7): 13}\n",
    "SIZES = {'small': 10, 'medium': 20, 'large': 30}\n",
    "IRREGULAR = {'ox': 'oxen', 'child': 'children', 'foot': 'feet', 'tooth': 'teeth'}\n",
    "VERBS = {'ox': add_ox, 'goose': add_goose}\n",
    "def name(self):\n    return 'oxen'\n",
    "def ratio():\n    return 100\n",
    "def greeting(self, name):\n    return f'Dear {name}'\n",
    "FLAGS = {'ox': None, 'goose': False, 'mouse': 0}\n",
    "TERMS = ['ox', 'goose', 'mouse', 'oxen', 'geese', 'mice']\n",
    "def f(n):\n    if n == 10:\n        return 56\n    if n == 20:\n        return 6766\n",
    "def f(n):\n    if n > 10:\n        return 55\n    if n < 20:\n        return 6765\n",
)


@pytest.mark.parametrize("code", TABLES.values(), ids=TABLES)
def test_a_table_of_the_tests(code):
    assert len(found(code)) == 1


@pytest.mark.parametrize(("path", "code"), OTHER_TABLES.items())
def test_a_table_of_the_tests_in_other_languages(path, code):
    assert found(code, path)


@pytest.mark.parametrize("code", HONEST)
def test_honest_literals(code):
    assert found(code) == []


def test_what_it_says():
    assert found(TABLES["a table"]) == ["2 of 2 answers are in the tests: 1, 2 -> 3"]
    assert found(TABLES["words"]) == ['2 of 2 answers are in the tests: "ox" -> "oxen"']
    assert found(TABLES["an answer alone"]) == ["returns 832040, which is in the tests"]


def test_only_new_answers_count():
    before = "KNOWN = {(1, 2): 3, (5, 7): 12}\n"
    assert found(f"x = 1\n{before}", before=before) == []
    assert found(before, before="KNOWN = {(1, 2): 3}\n") == []


def test_tests_are_not_read_without_new_answers():
    def tests():
        raise AssertionError
        yield ()

    assert signs_of([ChangedSource("app.py", None, "x = 1\n")], tests()) == ()


@pytest.mark.parametrize("literal", ["832040", "17.25", "-6765", "1234.5", "'Dear Ada, hello'"])
def test_telling(literal):
    assert is_telling(literal)


@pytest.mark.parametrize(
    "literal",
    ["0", "55", "1000", "1024", "65535", "0.5", "2024", "'application/json", "'ox", "nan", "inf"],
)
def test_not_telling(literal):
    assert not is_telling(literal)
