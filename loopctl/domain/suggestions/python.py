"""Python: pytest, unittest, Django's runner; tox and nox beside them."""

import re

from loopctl.domain.globs import matches_any
from loopctl.domain.suggestions.python_environment import MANIFESTS, environment_for
from loopctl.domain.suggestions.suggestion import Reason, Strength, Suggestion
from loopctl.domain.suggestions.survey import Place, quoted

NAME = "python"
_PYTEST = "-m pytest -q"
_TESTS = ("**/test_*.py", "**/*_test.py", "**/tests/**/*.py", "**/tests.py", "**/conftest.py")
_UNITTEST_NAMES = ("test*.py", "*_test.py")
_VERSION_FROM_GIT = re.compile(
    r"setuptools[-_]scm|hatch-vcs|versioningit|versioneer|poetry-dynamic-versioning|pbr\b"
)
_PYTEST_SETTINGS = (
    ("pyproject.toml", "[tool.pytest"),
    ("pytest.ini", ""),
    (".pytest.ini", ""),
    ("pytest.toml", ""),
    ("tox.ini", "[pytest]"),
    ("setup.cfg", "[tool:pytest]"),
)
_MENTIONS = ("pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "tox.ini", "noxfile.py")


def suggest(place: Place) -> tuple[Suggestion, ...]:
    """What judges a Python project in this folder."""
    if not place.has(*MANIFESTS):
        place = place.without_projects(MANIFESTS)
    tests = place.matching(*_TESTS)
    if not tests and not place.has(*MANIFESTS):
        return ()
    runner = _runner(place, tests)
    return (runner, *_environment_runners(place, runner))


def _runner(place: Place, tests: tuple[str, ...]) -> Suggestion:
    survey, found = place.survey, Strength.FOUND if tests else Strength.GUESSED
    reason = _pytest_because(place)
    if reason:
        reason += "" if tests else ", but no test file was found"
        strength = Strength.CONFIGURED if tests else Strength.GUESSED
        return _suggestion(place, (_PYTEST,), reason, strength, needs="pytest")
    if place.has("manage.py"):
        return _suggestion(place, ("manage.py test",), "manage.py is Django's", found)
    if survey.has_pytest_tests:
        return _suggestion(place, (_PYTEST,), "there are tests for pytest", found, needs="pytest")
    if survey.has_unittest_tests:
        calls = _unittest(place, tests)
        return _suggestion(place, calls, "there are tests of unittest", found)
    # Not unittest, which succeeds when there is no test at all.
    return _suggestion(place, (_PYTEST,), "no test was found", Strength.GUESSED, needs="pytest")


def _suggestion(
    place: Place, calls: tuple[str, ...], because: str, strength: Strength, needs: str = ""
) -> Suggestion:
    python = environment_for(place, needs)
    prefix = ""
    if _needs_src(place):
        prefix = "PYTHONPATH=src:$PYTHONPATH "
        because += ", and src holds its code"
    notes = python.notes
    if "/" in python.command:
        activate = python.command.replace("/python", "/activate")
        whole = place.command(f". {activate} && {_joined(f'{prefix}python', calls)}")
        notes += (f"Tests that start programs of the environment by name need: {whole}",)
    return Suggestion(
        language=NAME,
        command=place.command(_joined(f"{prefix}{python.command}", calls)),
        because=because,
        folder=place.folder,
        strength=strength,
        programs=python.programs,
        share=python.share,
        setup=python.setup,
        git=_git(place),
        notes=notes,
    )


def _joined(interpreter: str, calls: tuple[str, ...]) -> str:
    return " && ".join(f"{interpreter} {call}" for call in calls)


def _pytest_because(place: Place) -> str:
    """Why the project is tested with pytest; ``""`` when nothing says so."""
    for name, section in _PYTEST_SETTINGS:
        if place.has(name) and section in place.settings(name):
            return f"pytest is configured in {place.full(name)}"
    if place.matching("**/conftest.py"):
        return "conftest.py belongs to pytest"
    mentions = (*_MENTIONS, *place.matching("*requirements*.txt", "requirements/*.txt"))
    for name in mentions:
        if re.search(r"\bpytest\b", place.settings(name)):
            return f"{place.full(name)} names pytest"
    return ""


def _unittest(place: Place, tests: tuple[str, ...]) -> tuple[str, ...]:
    """What finds every test with unittest: one set of arguments for each folder to start from.

    It descends into packages alone, and succeeds where it finds nothing: it has to start in the
    folder above the outermost package of the tests, which is also where they import from.
    """
    kept = tuple(path for path in tests if path.split("/")[0] in {"tests", "test"}) or tests
    for pattern in _UNITTEST_NAMES:
        starts = {_above_packages(place, path) for path in kept if _is_named(path, pattern)}
        if starts:
            named = "" if pattern == _UNITTEST_NAMES[0] else f"-p '{pattern}' "
            return tuple(_discovery(start, named) for start in sorted(starts))
    return (_discovery("", ""),)


def _is_named(path: str, pattern: str) -> bool:
    return matches_any(path, (f"**/{pattern}",))


def _discovery(start: str, named: str) -> str:
    if not start and not named:
        return "-m unittest -q"
    return f"-m unittest discover {f'-s {quoted(start)} ' if start else ''}{named}-q"


def _above_packages(place: Place, path: str) -> str:
    """The folder in which the outermost package around a test lies."""
    folder = path.rpartition("/")[0]
    while folder and place.has(f"{folder}/__init__.py"):
        folder = folder.rpartition("/")[0]
    return folder


def _needs_src(place: Place) -> bool:
    """Whether the code lies in ``src`` and nothing tells the tests so."""
    if not place.matching("src/*.py", "src/*/__init__.py"):
        return False
    names = ("pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini", ".pytest.ini")
    return not any(
        re.search(r"^\s*pythonpath\s*=", place.text(name), re.MULTILINE) for name in names
    )


def _git(place: Place) -> Reason | None:
    for name in ("pyproject.toml", "setup.py", "setup.cfg"):
        found = _VERSION_FROM_GIT.search(place.settings(name))
        if found:
            because = f"{found[0]} in {place.full(name)} makes the version from tags"
            return Reason(value="history", because=because)
    return None


def _environment_runners(place: Place, runner: Suggestion) -> tuple[Suggestion, ...]:
    """Runners that make environments of their own for each evaluation, which is slow."""
    found = []
    is_tox = place.has("tox.ini") and "[testenv" in place.settings("tox.ini")
    if is_tox or "[tool.tox" in place.settings("pyproject.toml"):
        found.append(("tox", "tox -q", "tox.ini" if is_tox else "pyproject.toml"))
    if place.has("noxfile.py"):
        found.append(("nox", "nox", "noxfile.py"))
    return tuple(
        Suggestion(
            language=NAME,
            command=place.command(command),
            because=f"{place.full(file)} configures {tool}, which installs anew in each checkout",
            folder=place.folder,
            strength=Strength.FOUND,
            programs=(tool,),
            git=runner.git,
        )
        for tool, command, file in found
    )
