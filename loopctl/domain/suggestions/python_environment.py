"""The Python that runs a project's tests, and what installs its dependencies.

In this order: a virtual environment inside the checkout (a loop gets copies of it), an activated
one elsewhere (found through PATH), one that a setup command makes from the lock file in use, and
else the Python on PATH.
"""

import re
import tomllib
from collections.abc import Iterable
from typing import Any

from loopctl.domain.suggestions.suggestion import Reason, Setup
from loopctl.domain.suggestions.survey import Place
from loopctl.domain.value import Value

MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile")
_MADE = ".venv"
_WITH_TOOLS = (
    ("uv.lock", "uv", "uv sync --frozen"),
    ("poetry.lock", "poetry", "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction"),
    ("pdm.lock", "pdm", "pdm install --frozen-lockfile"),
    ("Pipfile.lock", "pipenv", "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev"),
)
_FOR_TESTS = re.compile(r"(?:.*[-_/.])?(?:tests?|testing)(?:[-_.].*)?")
_FOR_WORK = re.compile(r"(?:.*[-_/.])?(?:dev|develop|development|ci|all)(?:[-_.].*)?")
_REQUIREMENTS = ("*requirements*.txt", "requirements/*.txt")


class Environment(Value):
    """A Python to run tests with.

    Attributes:
        command: how it is called from the project's folder.
        programs: what has to be on PATH for that.
        share: the folder of the checkout that holds it.
        setup: what makes it.
        notes: what else the user should know.
    """

    command: str
    programs: tuple[str, ...] = ()
    share: tuple[Reason, ...] = ()
    setup: Setup | None = None
    notes: tuple[str, ...] = ()


def environment_for(place: Place, needs: str = "") -> Environment:
    """The Python for the tests in this folder.

    Args:
        place: the project's folder.
        needs: a package that the tests need whether the manifests name it or not.
    """
    survey = place.survey
    for folder in dict.fromkeys((place.folder, "")):
        inside = [path for path in survey.environments if path.rpartition("/")[0] == folder]
        if inside:
            up = "" if folder == place.folder else "../" * (place.folder.count("/") + 1)
            name = inside[0] if up else inside[0].rpartition("/")[2]
            because = "the virtual environment of your checkout, which git ignores"
            return Environment(
                command=f"{up}{name}/bin/python",
                share=(Reason(value=inside[0], because=because),),
            )
    python = "python" if "python" in survey.programs else "python3"
    if survey.active_environment:
        note = f"The activated environment {survey.active_environment} is found through PATH"
        return Environment(command=python, programs=(python,), notes=(note,))
    return _made(place, needs) or Environment(command=python, programs=(python,))


def _made(place: Place, needs: str) -> Environment | None:
    """An environment that a setup command makes; None when nothing has to be installed."""
    for lock, tool, command in _WITH_TOOLS:
        if place.has(lock):
            extras = " --all-extras" if tool == "uv" and _extras(_pyproject(place)) else ""
            because = f"{place.full(lock)} is in use"
            # These tools ignore their environments in a .gitignore inside them.
            return _with_setup(place, f"{command}{extras}", (tool,), because, kept_out=True)
    arguments = [*_requirements(place), *_own_package(place)]
    is_there = not needs or needs in place.survey.programs
    if not arguments and is_there:
        return None
    if needs and not re.search(rf"\b{needs}\b", _installed(place)):
        arguments.append(needs)
    upgrade = "--upgrade pip && .venv/bin/python -m pip install -q " if _group(place) else ""
    install = f".venv/bin/python -m pip install -q {upgrade}{' '.join(arguments)}"
    named = [word for word in arguments if word.endswith(".txt")]
    because = f"{', '.join(map(place.full, named))} is in use" if named else "no lock file is there"
    return _with_setup(place, f"python3 -m venv .venv && {install}", ("python3",), because)


def _with_setup(
    place: Place,
    command: str,
    programs: tuple[str, ...],
    because: str,
    *,
    kept_out: bool = False,
) -> Environment:
    setup = Setup(
        command=place.command(command),
        because=because,
        makes=place.full(_MADE),
        kept_out=kept_out or place.would_ignore(_MADE),
    )
    return Environment(command=f"{_MADE}/bin/python", programs=programs, setup=setup)


def _requirements(place: Place) -> list[str]:
    """The options for requirement files: the plain one, and those for tests or development."""
    found = place.matching(*_REQUIREMENTS)
    chosen = [path for path in found if path == "requirements.txt"]
    chosen += [path for path in _preferred(found) if path not in chosen]
    if not chosen:
        chosen = list(found[:1])
    return [word for path in chosen for word in ("-r", path)]


def _own_package(place: Place) -> list[str]:
    """The project itself, in editable mode: a copied environment leads to the copied sources."""
    document = _pyproject(place)
    if not place.has("setup.py") and not (document.get("project") and "build-system" in document):
        return []
    extras = _test_extras(document)
    package = f"-e '.[{','.join(extras)}]'" if extras else "-e ."
    group = _group(place)
    return [package, *([f"--group {group}"] if group else [])]


def _installed(place: Place) -> str:
    """The text of what the arguments for pip name: requirement files, extras, a group."""
    document = _pyproject(place)
    named = [place.text(word) for word in _requirements(place) if word != "-r"]
    project = document.get("project", {})
    if isinstance(project, dict):
        named.append(str(project.get("dependencies", "")))
        named += [str(project["optional-dependencies"][name]) for name in _test_extras(document)]
    groups = document.get("dependency-groups", {})
    return " ".join([*named, str(groups.get(_group(place), ""))])


def _test_extras(document: dict[str, Any]) -> list[str]:
    return _preferred(_extras(document))


def _preferred(names: Iterable[str]) -> list[str]:
    """Those that are for tests, else those for development as a whole."""
    known = list(names)
    for_tests = [name for name in known if _FOR_TESTS.fullmatch(name)]
    return for_tests or [name for name in known if _FOR_WORK.fullmatch(name)]


def _group(place: Place) -> str:
    """The dependency group for tests, which needs a newer pip than some Pythons bundle."""
    groups = _pyproject(place).get("dependency-groups", {})
    return next(iter(_preferred(groups)), "") if isinstance(groups, dict) else ""


def _extras(document: dict[str, Any]) -> list[str]:
    project = document.get("project", {})
    extras = project.get("optional-dependencies", {}) if isinstance(project, dict) else {}
    return list(extras) if isinstance(extras, dict) else []


def _pyproject(place: Place) -> dict[str, Any]:
    try:
        return tomllib.loads(place.text("pyproject.toml"))
    except ValueError:
        return {}
