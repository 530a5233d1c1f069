"""What ``loopctl init`` writes is enough to drive a real project from red to green."""

import json
import shutil
from collections.abc import Callable

import pytest
from harness import World


def python(world: World) -> dict:
    """Sources in ``src`` that are not installed, and a conftest."""
    for name in ("calc.py", "tests/test_calc.py"):
        (world.repository / name).unlink()
    world.write("src/calc/__init__.py", "def double(x):\n    return x\n")
    world.write(
        "checks/test_double.py",
        "from calc import double\n\n\ndef test_double():\n    assert double(21) == 42\n",
    )
    return {"write": ["src/calc/__init__.py", "def double(x):\n    return 2 * x\n"]}


def make(world: World) -> dict:
    for name in ("calc.py", "conftest.py", "tests/test_calc.py"):
        (world.repository / name).unlink()
    world.write("Makefile", ".PHONY: test\ntest:\n\t@sh check.sh\n")
    return {"write": ["answer.txt", "42\n"]}


def node(world: World) -> dict:
    """A package that needs an installed one, which git ignores."""
    for name in ("calc.py", "conftest.py", "tests/test_calc.py"):
        (world.repository / name).unlink()
    package = {"scripts": {"test": "node --test"}, "dependencies": {"doubling": "1"}}
    world.write("package.json", json.dumps(package))
    world.write(".gitignore", "node_modules/\n")
    world.write("node_modules/doubling/package.json", '{"main": "index.js"}')
    world.write("node_modules/doubling/index.js", "module.exports = x => 2 * x\n")
    world.write("index.js", "exports.four = 0\n")
    world.write(
        "test/four.test.js",
        "const {test} = require('node:test'), assert = require('node:assert')\n"
        "test('four', () => assert.equal(require('../index.js').four, 4))\n",
    )
    return {"write": ["index.js", "exports.four = require('doubling')(2)\n"]}


@pytest.mark.parametrize(
    ("make_project", "stop"),
    [
        (python, "PYTHONPATH=src:$PYTHONPATH python -m pytest -q"),
        (make, "make test"),
        pytest.param(
            node,
            "npm test",
            marks=pytest.mark.skipif(not shutil.which("npm"), reason="npm is not installed"),
        ),
    ],
)
def test_red_to_green(make_project: Callable[[World], dict], stop: str, world: World):
    fix = make_project(world)
    world.commit("the project")
    before = world.fingerprint()
    written = world.run_loopctl("init").check(0)
    assert f"stop = {stop}" in written.stdout
    world.run_loopctl("doctor", "--agent", "cmd:true").check(0)
    result = world.run_loopctl(
        "run", "g", "--name", "demo", "--json", "--agent", world.agent([fix])
    )
    assert result.check(0).stop["kind"] == "goal-met"
    assert "warning: " not in result.stderr
    assert len(world.calls()) == 1
    assert world.fingerprint().keys() - before.keys() == {"loopctl.toml"}
