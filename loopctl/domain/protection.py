"""Which paths of a repository judge the work, and so are not the agent's to change.

A preset belongs to a language and is chosen by what the base tree holds. Patterns are globs over
whole paths with ``/`` as separator: ``*`` stays inside a folder, ``**`` crosses folders. Paths
are compared without regard to case, so that a twin in other letters does not slip through.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from loopctl.domain.value import Value


class Preset(Value):
    """The protected paths of one language.

    Attributes:
        name: the language.
        markers: the base tree holds one of these: the preset applies.
        patterns: what it protects.
        leaves_open: what it does not cover, for the user to read.
    """

    name: str
    markers: tuple[str, ...]
    patterns: tuple[str, ...]
    leaves_open: str


PYTHON = Preset(
    name="python",
    markers=("**/*.py", "*.py"),
    patterns=(
        "**/test_*.py",
        "**/*_test.py",
        "**/conftest.py",
        "**/tests/**",
        "**/test/**",
        "**/pytest.ini",
        "**/.pytest.ini",
        "**/pytest.toml",
        "**/.pytest.toml",
        "**/tox.ini",
        "**/noxfile.py",
        "**/.coveragerc",
        "**/sitecustomize.py",
        "**/usercustomize.py",
    ),
    leaves_open="pyproject.toml and setup.cfg (test settings in them are protected), "
    "doctests, test helpers outside test folders",
)
MAKE = Preset(
    name="make",
    markers=("Makefile", "makefile", "GNUmakefile"),
    patterns=("**/Makefile", "**/makefile", "**/GNUmakefile", "**/*.mk"),
    leaves_open="scripts that the recipes call",
)
PRESETS = (PYTHON, MAKE)


class Protection(Value):
    """What is protected in one loop.

    Attributes:
        presets: names of the presets in use.
        patterns: everything that is protected.
        allowed: what the user opened again.
    """

    presets: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()

    def covers(self, path: str) -> bool:
        """Whether ``path`` is protected."""
        return matches_any(path, self.patterns) and not matches_any(path, self.allowed)


def choose_presets(base_paths: Iterable[str]) -> tuple[Preset, ...]:
    """The presets whose markers the base tree holds."""
    paths = tuple(base_paths)
    return tuple(
        preset for preset in PRESETS if any(matches_any(path, preset.markers) for path in paths)
    )


def matches_any(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether any of ``patterns`` matches the whole of ``path``."""
    return bool(patterns) and _compiled(patterns).fullmatch(path.casefold()) is not None


@lru_cache(maxsize=64)
def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(_regex(pattern.casefold()) for pattern in patterns), re.DOTALL)


def _regex(pattern: str) -> str:
    """A glob as a regular expression; a trailing ``/`` means everything below."""
    if pattern.endswith("/"):
        pattern += "**"
    parts: list[str] = []
    for token in re.split(r"(\*\*/|\*\*|\*|\?)", pattern.removeprefix("./").removeprefix("/")):
        match token:
            case "**/":
                parts.append("(?:.*/)?")
            case "**":
                parts.append(".*")
            case "*":
                parts.append("[^/]*")
            case "?":
                parts.append("[^/]")
            case _:
                parts.append(re.escape(token))
    return "".join(parts)
