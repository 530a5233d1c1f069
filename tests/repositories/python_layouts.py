"""Python projects by where their code and their tests are."""

from repository import HARDENED, SAFE_PATH, Repository, replace, text
from virtual_environment import PYTEST

BROKEN = "def double(x):\n    return x\n"
REPAIR = ("    return x\n", "    return 2 * x\n")
TEST = "from {module} import double\n\n\ndef test_double():\n    assert double(21) == 42\n"
FAILS = r"assert 21 == 42"

LAYOUTS = (
    Repository(
        name="flat",
        proves="a `conftest.py` at the root puts the root on `sys.path`",
        files={
            "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef number():\n    return 21\n",
            "calc/__init__.py": "",
            "calc/core.py": BROKEN,
            "tests/test_core.py": text("""
                from calc.core import double


                def test_double(number):
                    assert double(number) == 42
                """),
        },
        stop="pytest -q",
        distributions=PYTEST,
        hardening=HARDENED,
        fails=FAILS,
        repair=replace("calc/core.py", *REPAIR),
        without="rm conftest.py",
        then="No module named 'calc'",
    ),
    Repository(
        name="src",
        proves="`pythonpath = src` in pytest's settings; the repair adds a module",
        files={
            "pyproject.toml": text("""
                [project]
                name = "shop"
                version = "1"

                [tool.pytest.ini_options]
                pythonpath = "src"
                testpaths = ["tests"]
                """),
            "src/shop/__init__.py": "def total(net):\n    raise NotImplementedError\n",
            "tests/test_total.py": text("""
                from shop import total


                def test_total():
                    assert total(100) == 120
                """),
        },
        stop="pytest -q",
        distributions=PYTEST,
        hardening=HARDENED,
        fails="NotImplementedError",
        repair=(
            {"write": ["src/shop/tax.py", "RATE = 20\n"]},
            {
                "write": [
                    "src/shop/__init__.py",
                    text("""
                        from shop.tax import RATE


                        def total(net):
                            return net + net * RATE // 100
                        """),
                ]
            },
        ),
        without="sed -i.old /pythonpath/d pyproject.toml",
        then="No module named 'shop'",
    ),
    Repository(
        name="tests-are-a-package",
        proves="tests import helpers from `tests`, and read data files with unusual names",
        files={
            "words.py": "def count(line):\n    return len(line)\n",
            "tests/__init__.py": "",
            "tests/helpers.py": text("""
                from pathlib import Path

                DATA = Path(__file__).parent / "data"


                def read_all():
                    return {path.name: path.read_text() for path in DATA.iterdir()}
                """),
            "tests/test_words.py": text("""
                from tests.helpers import read_all
                from words import count


                def test_count():
                    texts = read_all()
                    assert len(texts) == 3
                    assert {count(line) for line in texts.values()} == {2}
                """),
            "tests/data/na\u00efve 'file' #1 \\ \"x\".txt": "one two\n",
            "tests/data/-rf": "one two\n",
            "tests/data/line\nbreak\t.txt": "one two\n",
        },
        stop="python -m pytest -q",
        distributions=PYTEST,
        hardening=HARDENED,
        fails=r"assert \{8\} == \{2\}",
        repair=replace("words.py", "len(line)", "len(line.split())"),
        without="rm tests/data/line*",
        then="assert 2 == 3",
    ),
    Repository(
        name="root-is-the-package",
        proves="an `__init__.py` at the root: the package has the name of its folder",
        files={
            "__init__.py": "",
            "core.py": BROKEN,
            "tests/__init__.py": "",
            "tests/test_core.py": TEST.format(module="..core"),
        },
        stop="pytest -q",
        distributions=PYTEST,
        hardening=HARDENED,
        fails=FAILS,
        repair=replace("core.py", *REPAIR),
        without="rm __init__.py",
        then="beyond top-level package",
    ),
    Repository(
        name="unittest",
        proves="`python -m unittest` and scripts find modules beside them (`sys.path[0]`)",
        files={
            "calc.py": BROKEN,
            "tests/__init__.py": "",
            "tests/test_calc.py": text("""
                import unittest

                from calc import double


                class DoubleTest(unittest.TestCase):
                    def test_double(self):
                        self.assertEqual(double(21), 42)
                """),
            "tools/check.py": "import rules\n\nrules.check('calc.py')\n",
            "tools/rules.py": text("""
                def check(path):
                    assert "\\t" not in open(path).read()
                """),
        },
        stop="python -m unittest -q tests.test_calc && python tools/check.py",
        fails="21 != 42",
        repair=replace("calc.py", *REPAIR),
        without=SAFE_PATH,
        then="No module named 'tests",
    ),
    Repository(
        name="doctest",
        proves="the examples in a README are the tests",
        files={
            "shapes.py": text('''
                def area(width, height):
                    """The area of a rectangle.

                    >>> area(2, 3)
                    6
                    """
                    return width + height
                '''),
            "README.md": "# Shapes\n\n>>> from shapes import area\n>>> area(4, 5)\n20\n",
        },
        stop="python -m doctest shapes.py && python -m doctest README.md",
        fails=r"area\(2, 3\)\s+Expected:\s+6",
        repair=replace("shapes.py", "width + height", "width * height"),
        without=SAFE_PATH,
        then="No module named 'shapes'",
    ),
    Repository(
        name="python-monorepo",
        proves="two packages import one another, and tests of one name lie in each",
        files={
            "pytest.ini": text("""
                [pytest]
                pythonpath = packages/alpha/src packages/beta/src
                addopts = --import-mode=importlib
                """),
            "packages/alpha/src/alpha/__init__.py": text("""
                from beta import double

                NAME = "alpha"


                def quadruple(x):
                    return double(double(x))
                """),
            "packages/alpha/tests/test_core.py": text("""
                from alpha import quadruple


                def test_quadruple():
                    assert quadruple(3) == 12
                """),
            "packages/beta/src/beta/__init__.py": BROKEN,
            "packages/beta/tests/test_core.py": text("""
                from alpha import NAME


                def test_name():
                    assert NAME == "alpha"
                """),
        },
        stop="pytest -q",
        distributions=PYTEST,
        hardening=HARDENED,
        fails=r"assert 3 == 12(.|\n)*1 failed, 1 passed",
        repair=replace("packages/beta/src/beta/__init__.py", *REPAIR),
        without="sed -i.old /addopts/d pytest.ini",
        then="import file mismatch",
    ),
)
