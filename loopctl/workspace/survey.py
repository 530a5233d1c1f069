"""Looking at a repository for suggestions: what is committed, ignored, installed.

Invariant: nothing is written and no program of the project is started; git is asked with the
user's configuration, before an agent exists.
"""

import fnmatch
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from loopctl.domain.makefile import NAMES as MAKEFILES
from loopctl.domain.suggestions.choose import PROGRAMS
from loopctl.domain.suggestions.make import SCRIPTS
from loopctl.domain.suggestions.survey import Survey
from loopctl.domain.supplies import settings_files
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.git.runner import text

_READ = (
    *("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", ".pytest.ini", "pytest.toml"),
    *("tox.ini", "noxfile.py", "*requirements*.txt", "Pipfile", "package.json", *MAKEFILES),
    *("Cargo.toml", "go.work", "Rakefile", "composer.json"),
)
_READ_PATHS = (*SCRIPTS, "requirements/*.txt", "*/requirements/*.txt", ".cargo/config*")
_READ_NAME, _READ_PATH = (
    re.compile("|".join(map(fnmatch.translate, patterns))) for patterns in (_READ, _READ_PATHS)
)
_DEPTH = 2
_MOST_FILES = 200
_LARGEST = 500_000  # bytes
_MADE = (".venv", "node_modules", "vendor", "vendor/bundle")
_ACTIVE = ("VIRTUAL_ENV", "CONDA_PREFIX")
_OF_PYTEST = r"^\s*(import|from) pytest\b|^(async )?def test_"
_OF_UNITTEST = r"^\s*(import|from) (unittest|django\.test)\b"
_TEST_FILES = "*test*.py"


def survey(
    user: UserRepository, project: ProjectRepository, environment: Mapping[str, str]
) -> Survey:
    """Look at the base commit, the checkout and the machine.

    Args:
        user: the repository, in its user's checkout.
        project: where the base commit can be read.
        environment: the user's.
    """
    entries = project.entries(user.head)
    paths = tuple(path for path in entries if _is_text(path))
    ignored = tuple(filter(_is_text, user.ignored_folders()))
    wanted = [path for path in paths if _is_read(path)][:_MOST_FILES]
    return Survey(
        paths=paths,
        texts={path: _content(project, entries[path].blob) for path in wanted},
        ignored=ignored,
        settings=settings_files(tuple(filter(_is_text, user.ignored_files()))),
        environments=tuple(
            path for path in ignored if (user.top_level / path / "pyvenv.cfg").is_file()
        ),
        ignorable=_ignorable(user, wanted),
        programs=frozenset(
            name for name in PROGRAMS if shutil.which(name, path=environment.get("PATH", ""))
        ),
        active_environment=_active_environment(user.top_level, environment),
        has_pytest_tests=user.commit_matches(user.head, _OF_PYTEST, _TEST_FILES),
        has_unittest_tests=user.commit_matches(user.head, _OF_UNITTEST, _TEST_FILES),
    )


def _is_text(path: str) -> bool:
    """Whether the path is Unicode: another one could not be written into a configuration."""
    return path.isprintable()


def _is_read(path: str) -> bool:
    if path.count("/") > _DEPTH:
        return False
    name = path.rpartition("/")[2]
    return bool(_READ_NAME.match(name) or _READ_PATH.match(path))


def _content(project: ProjectRepository, blob: str) -> str:
    found = project.read(blob)
    if found is None or found[1] != "blob" or len(found[2]) > _LARGEST:
        return ""
    return text(found[2]).encode(errors="replace").decode()


def _ignorable(user: UserRepository, manifests: list[str]) -> frozenset[str]:
    """Of the folders that setups make beside manifests, those that git would ignore."""
    folders = dict.fromkeys(["", *(path.rpartition("/")[0] for path in manifests)])
    wanted = [f"{folder}/{made}".lstrip("/") for folder in folders for made in _MADE]
    return frozenset(user.would_ignore(wanted))


def _active_environment(top: Path, environment: Mapping[str, str]) -> str:
    """An activated environment that a checkout finds through PATH, because it lies elsewhere."""
    for name in _ACTIVE:
        active = environment.get(name)
        if active and Path(active).is_absolute() and not _is_below(active, top):
            return active
    return ""


def _is_below(path: str, top: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(top))
