"""Python projects by how their dependencies and they themselves are installed."""

import io
import zipfile
from collections.abc import Mapping

from harness import World
from repository import HARDENED, Hook, Repository, replace, text
from virtual_environment import PYTEST, activated, make_environment, write_script

_TEST = text("""
    import unittest

    from shop import total


    class TotalTest(unittest.TestCase):
        def test_total(self):
            self.assertEqual(total(100), 120)
    """)
_SHOP = "from taxes import RATE\n\n\ndef total(net):\n    return net * RATE\n"
_REPAIR = replace("shop.py", "net * RATE", "net + net * RATE // 100")
_TAXES = "RATE = 20\n"
_RUN_TESTS = "import unittest\nunittest.main(None, argv=['', 'discover', '-q', '-s', 'tests'])\n"


def _wheel() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(zipfile.ZipInfo("taxes.py"), _TAXES)
        archive.writestr(zipfile.ZipInfo("taxes-1.dist-info/METADATA"), "Name: taxes\n")
    return made.getvalue()


def _environment_in_the_project(world: World) -> None:
    folder = world.repository / ".venv"
    site = make_environment(folder)
    (site / "taxes.py").write_text(_TAXES)
    write_script(folder / "bin" / "check-shop", "import unittest\nunittest.main('test_shop')\n")


def _editable(pointer: Mapping[str, str], layout: str, *distributions: str) -> Hook:
    """The hook that installs the project in an activated environment outside of it."""

    def install(world: World) -> dict[str, str]:
        folder = world.folder / "environment"
        site = make_environment(folder, distributions)
        for name, content in pointer.items():
            (site / name).parent.mkdir(exist_ok=True)
            (site / name).write_text(content.format(code=world.repository / layout))
        write_script(folder / "bin" / "check-shop", _RUN_TESTS)
        return activated(folder, world.environment["PATH"])

    return install


ENVIRONMENTS = (
    Repository(
        name="environment-in-the-project",
        proves="`.venv` in the project, shared: a dependency and a console script",
        files={
            ".gitignore": ".venv/\n__pycache__/\n",
            "loopctl.toml": '[evaluator]\nshare = [".venv"]\n',
            "shop.py": _SHOP,
            "test_shop.py": _TEST,
        },
        after_commit=_environment_in_the_project,
        stop="PYTHONPATH=. .venv/bin/check-shop",
        fails="2000 != 120",
        repair=_REPAIR,
        without="rm .venv/lib/python*/site-packages/taxes.py",
        then="No module named 'taxes'",
    ),
    Repository(
        name="dependencies-by-setup",
        proves="`[evaluator] setup` unpacks a vendored wheel, from what a lock file names",
        files={
            ".gitignore": ".packages/\n__pycache__/\n",
            "loopctl.toml": text("""
                [evaluator]
                setup = "xargs -I '{}' python -m zipfile -e '{}' .packages < requirements.txt"
                """),
            "requirements.txt": "wheels/taxes-1-py3-none-any.whl\n",
            "wheels/taxes-1-py3-none-any.whl": _wheel(),
            "shop.py": _SHOP,
            "test_shop.py": _TEST,
        },
        ignored={".packages/taxes.py": _TAXES},
        stop="PYTHONPATH=.packages python -m unittest -q",
        fails="2000 != 120",
        repair=_REPAIR,
        without="rm -r .packages",
        then="No module named 'taxes'",
    ),
    Repository(
        name="wrapper-script",
        proves="a script like tox: makes an environment, installs the project, runs isolated tests",
        files={
            ".gitignore": ".tox/\n",
            "run-tests.sh": text("""
                #!/bin/sh
                set -eu
                cd "$(dirname "$0")"
                python -m venv --clear --without-pip .tox/py
                site=$(.tox/py/bin/python -c 'import site; print(site.getsitepackages()[0])')
                cp -R src/. vendor/. "$site"
                cp -R tests .tox/py/
                cd .tox/py
                exec bin/python -I -m unittest discover -q -s tests
                """),
            "src/shop.py": _SHOP,
            "vendor/taxes.py": _TAXES,
            "tests/test_shop.py": _TEST,
        },
        stop="./run-tests.sh",
        fails="2000 != 120",
        repair=replace("src/shop.py", "net * RATE", "net + net * RATE // 100"),
        without="rm -r vendor/taxes.py",
        then="No module named 'taxes'",
    ),
    Repository(
        name="editable-src",
        proves="an activated environment elsewhere has the project installed by a `.pth` to `src`",
        files={
            "src/shop.py": "def total(net):\n    return net\n",
            "tests/test_shop.py": _TEST,
        },
        after_commit=_editable({"__editable__.shop-1.pth": "{code}\n"}, "src"),
        stop="python -m unittest discover -q -s tests",
        fails="100 != 120",
        repair=replace("src/shop.py", "return net", "return net * 6 // 5"),
        without='rm "$VIRTUAL_ENV"/lib/python*/site-packages/*.pth',
        then="No module named 'shop'",
        labels=("redirected to the loop's own files: editable install, .* leads to src$",),
    ),
    Repository(
        name="editable-plugin",
        proves="the project is a plug-in of pytest: its own installation lets pytest find it",
        files={
            "src/guests.py": text("""
                import pytest


                @pytest.fixture
                def guest():
                    return "ada"
                """),
            "tests/test_guests.py": text("""
                def test_guest(guest):
                    assert guest == "Ada"
                """),
        },
        after_commit=_editable(
            {
                "__editable__.pytest_guests-1.pth": "{code}\n",
                "pytest_guests-1.dist-info/METADATA": "Name: pytest-guests\nVersion: 1\n",
                "pytest_guests-1.dist-info/entry_points.txt": "[pytest11]\nguests = guests\n",
            },
            "src",
            *PYTEST,
        ),
        stop="pytest -q",
        hardening=HARDENED,
        fails="assert 'ada' == 'Ada'",
        repair=replace("src/guests.py", "ada", "Ada"),
        without='rm -r "$VIRTUAL_ENV"/lib/python*/site-packages/pytest_guests-1.dist-info',
        then="fixture 'guest' not found",
        labels=("redirected to the loop's own files: editable install, .* leads to src$",),
    ),
    Repository(
        name="editable-flat",
        proves="the same by a finder of setuptools, run by a console script",
        files={
            "shop/__init__.py": "def total(net):\n    return net\n",
            "tests/test_shop.py": _TEST,
        },
        after_commit=_editable(
            {
                "__editable__.shop-1.pth": "import __editable___shop_1_finder; "
                "__editable___shop_1_finder.install()\n",
                "__editable___shop_1_finder.py": text("""
                    import sys
                    from importlib.util import spec_from_file_location

                    MAPPING = {{'shop': '{code}'}}


                    class _EditableFinder:
                        @classmethod
                        def find_spec(cls, fullname, path=None, target=None):
                            if fullname in MAPPING:
                                init = MAPPING[fullname] + "/__init__.py"
                                return spec_from_file_location(fullname, init)
                            return None


                    def install():
                        sys.meta_path.append(_EditableFinder)
                    """),
            },
            "shop",
        ),
        stop="check-shop",
        fails="100 != 120",
        repair=replace("shop/__init__.py", "return net", "return net * 6 // 5"),
        without='rm "$VIRTUAL_ENV"/lib/python*/site-packages/*.pth',
        then="No module named 'shop'",
        labels=("redirected to the loop's own files: editable install, .* leads to shop$",),
    ),
)
