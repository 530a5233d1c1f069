"""Python projects whose tests need plug-ins of pytest."""

from repository import HARDENED, PLUGINS_BY_NAME, Repository, text
from virtual_environment import PYTEST

_GREETING = "def greet(name):\n    return f'Hello {name}'\n"
_AUTOLOAD_OFF = "export PYTEST_DISABLE_PLUGIN_AUTOLOAD=1"

PLUGINS = (
    Repository(
        name="plugin-of-its-own",
        proves="`addopts = -p house_rules`: a plug-in in the repository",
        files={
            "pytest.ini": "[pytest]\naddopts = -p house_rules\n",
            "house_rules.py": text("""
                import pytest


                @pytest.fixture
                def guest():
                    return "Ada"
                """),
            "greeting.py": "def greet(name):\n    return name\n",
            "test_greeting.py": text("""
                from greeting import greet


                def test_greet(guest):
                    assert greet(guest) == "Hello Ada"
                """),
        },
        stop="python -m pytest -q",
        distributions=PYTEST,
        hardening=PLUGINS_BY_NAME,
        fails="assert 'Ada' == 'Hello Ada'",
        repair=({"write": ["greeting.py", _GREETING]},),
        without="rm house_rules.py",
        then="No module named 'house_rules'",
    ),
    Repository(
        name="installed-plugins",
        proves="`addopts = --timeout=30 -n 1`: plug-ins loaded because they are installed",
        files={
            "setup.cfg": "[tool:pytest]\naddopts = --timeout=30 -n 1\n",
            "greeting.py": "def greet(name):\n    return name\n",
            "test_greeting.py": text("""
                from greeting import greet


                def test_greet(worker_id):
                    assert worker_id == "gw0"
                    assert greet("Ada") == "Hello Ada"
                """),
        },
        stop="python -m pytest -q",
        distributions=(*PYTEST, "pytest-timeout", "pytest-xdist", "execnet"),
        hardening=HARDENED,
        fails="assert 'Ada' == 'Hello Ada'",
        repair=({"write": ["greeting.py", _GREETING]},),
        without=_AUTOLOAD_OFF,
        then="unrecognized arguments: --timeout=30 -n",
    ),
    Repository(
        name="recorded-answers",
        proves="a folder `__snapshots__` beside the tests, read by an installed plug-in",
        files={
            "conftest.py": "",
            "greeting.py": "def greet(name):\n    return name\n",
            "tests/test_greeting.py": text("""
                from greeting import greet


                def test_greet(snapshot):
                    assert greet("Ada") == snapshot
                """),
            "tests/__snapshots__/test_greeting.ambr": text("""
                # serializer version: 1
                # name: test_greet
                  'Hello Ada'
                # ---
                """),
        },
        stop="pytest -q",
        distributions=(*PYTEST, "syrupy"),
        hardening=HARDENED,
        fails=r"(?s)- 'Hello Ada'.*\+ 'Ada'",
        repair=({"write": ["greeting.py", _GREETING]},),
        without="rm -r tests/__snapshots__",
        then="does not exist",
    ),
)
