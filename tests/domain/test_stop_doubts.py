"""What is doubtful about stop commands, and what is not."""

import pytest

from loopctl.domain.stop_doubts import stop_doubts

ALWAYS = "it always succeeds"
LOST = "may fail unnoticed"
DOUBTFUL = {
    "true": ALWAYS,
    ":": ALWAYS,
    "echo all tests passed": ALWAYS,
    "exit 0": ALWAYS,
    "/bin/true": ALWAYS,
    "FOO=1 true; echo 'a && b'": ALWAYS,
    "sh -c true": ALWAYS,
    "bash -ec 'echo ok'": ALWAYS,
    "pytest -q || true": "`|| true`",
    "pytest -q || :": "`|| :`",
    "pytest || echo failed": "`|| echo failed`",
    "pytest || exit 0": "`|| exit 0`",
    "make lint || true; make test || true": "`|| true`",
    "bash -c 'pytest || true'": "`|| true`",
    "pytest; exit 0": LOST,
    "pytest; true": LOST,
    "pytest\necho done": LOST,
    "ruff check .; pytest": LOST,
    "set -x; pytest; echo done": LOST,
    "set +e; pytest; make": "`set +e`",
    "set -e; set +ex; pytest": "`set +ex`",
    "trap 'rm -rf x; exit 0' EXIT; pytest": "trap",
    "pytest -q | tail -5": "`tail`, not of `pytest -q`",
    "pytest 2>&1 | tee log && make": "`tee`",
    "bash -c 'pytest | cat'": "`cat`",
    "pytest &": "background",
    "server & pytest": "background",
    "python -m pytest --collect-only": "--collect-only",
    "make -n test": "-n",
    "make -i test": "-i",
    "npm test --if-present": "--if-present",
    "./mvnw -q -DskipTests verify": "-DskipTests",
    "cargo test --no-run": "--no-run",
    "ruff check --exit-zero": "--exit-zero",
}
HONEST = (
    "python -m pytest -q",
    "PYTHONPATH=src python -m unittest -q",
    "cd backend && make test",
    "cd backend; make test",
    ". .venv/bin/activate; pytest",
    "export A=1\npytest -q\n",
    "set -e; ruff check .; pytest",
    "bash -ec 'ruff check .; pytest'",
    "bash -eo pipefail -c 'pytest | tee log; make'",
    "set -o pipefail; pytest | tail -5",
    "git diff | grep -q x",
    "a | grep -c 1 | grep -qx 0",
    "test -e done || exit 1; pytest",
    "pytest > log 2>&1",
    "pytest &> log",
    "grep -q 'a || true' x",
    'python -c "import a; assert a.b() == 1; true"',
    "test -e a || test -e b",
    "true && pytest",
    "! grep -rq TODO src",
    "for f in *.sh; do sh -n $f || exit 1; done",
    "(cd a && make)",
    "echo start; pytest",
    "npm test  # was: npm test || true",
    "cat <<EOF | sh; true\nx\nEOF",
    "pytest 'open",
    "",
    "gmake -C sub -k test",
)


@pytest.mark.parametrize("command", DOUBTFUL)
def test_doubtful(command):
    doubts = stop_doubts(command)
    assert any(DOUBTFUL[command] in doubt.problem for doubt in doubts), doubts
    assert all(doubt.remedy for doubt in doubts)


@pytest.mark.parametrize("command", HONEST)
def test_honest(command):
    assert stop_doubts(command) == ()


def test_a_long_command_is_shown_short():
    (doubt,) = stop_doubts(f"pytest {'x' * 500} | tail")
    assert len(doubt.problem) < 200
