"""Doubts about what a stop command runs: package scripts, rules of make, shell scripts."""

import json

import pytest

from loopctl.domain.script_doubts import script_doubts


def doubts(command, **files):
    named = {name.replace("__", "/").replace("_", "."): text for name, text in files.items()}
    found = script_doubts(command, {**named, **files}.get)
    assert all(doubt.remedy for doubt in found)
    return [doubt.problem for doubt in found]


def package(line, name="test"):
    return json.dumps({"scripts": {name: line}})


@pytest.mark.parametrize("command", ["npm test", "npm t", "pnpm run test", "yarn -s test"])
def test_a_placeholder_script(command):
    (problem,) = doubts(command, package_json=package("echo tests pass"))
    assert problem == (
        "the script `test` in package.json: it always succeeds, whatever the work is"
    )


def test_the_placeholder_of_npm():
    line = 'echo "Error: no test specified" && exit 1'
    (problem,) = doubts("npm test", package_json=package(line))
    assert "placeholder" in problem


def test_a_package_in_a_folder():
    (problem,) = doubts("cd web && npm run ci", web__package_json=package("vitest || true", "ci"))
    assert problem.startswith("the script `ci` in web/package.json: `|| true`")


@pytest.mark.parametrize(
    ("makefile", "said"),
    [
        ("test:\n\t@echo no tests yet\n", "always succeeds"),
        ("test:\n\techo a\n\ttrue\n", "always succeeds"),
        (".PHONY: test\ntest:\n", "runs nothing"),
        ("test: ; @true\n", "always succeeds"),
        ("test:\n\t-pytest -q\n", "the - before `pytest -q`"),
        ("test: build\n\tpytest | tail -3\n", "`tail`"),
        ("A = 1\nall test::\n\tpytest || true\n", "`|| true`"),
    ],
)
def test_rules(makefile, said):
    (problem,) = doubts("make test", Makefile=makefile)
    assert problem.startswith("the rule `test`")
    assert said in problem


@pytest.mark.parametrize(
    ("command", "makefile"),
    [
        ("make test", "test: unit\nunit:\n\tpytest\n"),
        ("make test", "test:\n\t@echo testing\n\tpytest -q\n\t-rm -r out\n"),
        ("make other", "test:\n\ttrue\n"),
        ("make", ".PHONY: all\nall:\n\tpytest\ntest:\n\ttrue\n"),
        ("make test", "test := true\n"),
        ("make test", "test: a \\\n  b\n\tx=$$(cat a) && test $$x = 1\n"),
    ],
)
def test_honest_rules(command, makefile):
    assert doubts(command, Makefile=makefile) == []


@pytest.mark.parametrize("command", ["./check.sh", "sh check.sh", "cd ci && ../check.sh"])
def test_shell_scripts(command):
    files = {"check.sh": "#!/bin/sh\nset +e\npytest\nexit 0\n"}
    problems = [doubt.problem for doubt in script_doubts(command, files.get)]
    assert len(problems) == 2
    assert all(problem.startswith("in check.sh: ") for problem in problems)


@pytest.mark.parametrize(
    "text",
    [
        "#!/bin/sh -e\nruff check\npytest\n",
        "#!/bin/bash\nset -euo pipefail\nruff check\npytest | tee log\n",
        "#!/usr/bin/env python3\nprint('true')\n",
        "",
    ],
)
def test_honest_scripts(text):
    assert script_doubts("./check.sh", {"check.sh": text}.get) == ()


@pytest.mark.parametrize("command", ["npm test", "make test", "./check.sh", "pytest", "sh -c x"])
def test_what_is_not_there_raises_no_doubt(command):
    assert script_doubts(command, lambda _: None) == ()
    assert script_doubts(command, lambda _: "{") == ()
