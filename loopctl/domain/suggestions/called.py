"""Files of a repository that judge the work beside what the presets protect.

Scripts that a makefile or a package script runs, and folders of expected results. Invariant: a
path that a preset of the repository covers is not named again.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator

from loopctl.domain.globs import matches_any
from loopctl.domain.makefile import NAMES, rules_of
from loopctl.domain.presets import choose_presets
from loopctl.domain.script_doubts import package_scripts
from loopctl.domain.shell_text import simple_commands
from loopctl.domain.suggestions.suggestion import Reason
from loopctl.domain.suggestions.survey import Survey

_EXPECTED = frozenset(
    {"golden", "goldens", "testdata", "test_data", "test-data", "expected", "fixtures"}
    | {"snapshots", "__snapshots__", "expected_output", "reference_output"}
)
_INTERPRETER = re.compile(r"(?:ba|da|z|k)?sh|\.|source|python[\d.]*|node|ruby|perl|php")
_JUDGING = re.compile(r"(?:pre|post)?(?:test|check|ci|verify|lint|coverage).*")
_MOST = 8


def judging_files(survey: Survey) -> tuple[Reason, ...]:
    """Globs to protect, each with its reason; the first few."""
    presets = choose_presets(survey.paths)
    covered = tuple(pattern for preset in presets for pattern in preset.patterns)
    found = {
        path: because
        for path, because in (*_scripts(survey), *_expected(survey.paths))
        if not matches_any(path.replace("/**", "/x"), covered)
    }
    return tuple(Reason(value=path, because=because) for path, because in found.items())[:_MOST]


def _scripts(survey: Survey) -> Iterator[tuple[str, str]]:
    """Tracked scripts that the judging rules and package scripts run, at the root."""
    known = frozenset(survey.paths)
    makefile = next((name for name in NAMES if name in survey.texts), "")
    rules = rules_of(survey.texts.get(makefile, ""))
    lines = [
        (line.lstrip("@-+ "), f"the rule `{name}` runs it")
        for name, rule in rules.items()
        if _JUDGING.fullmatch(name)
        for line in rule.recipe
    ]
    scripts = package_scripts(survey.texts.get("package.json", ""))
    lines += [
        (line, f"the script `{name}` in package.json runs it")
        for name, line in scripts.items()
        if _JUDGING.fullmatch(name)
    ]
    for line, because in lines:
        for path in called_files(line, known):
            yield path, because


def called_files(command: str, known: Iterable[str]) -> tuple[str, ...]:
    """Those of the known paths that a command at the root runs as programs or scripts."""
    known = frozenset(known)
    found = []
    folder = ""
    for part in simple_commands(command) or ():
        words = part.program
        if words[:1] == ("cd",):
            folder = posixpath.join(folder, *words[1:2])
            continue
        named = list(words[:1])
        if named and _INTERPRETER.fullmatch(posixpath.basename(named[0])):
            named += [word for word in words[1:] if not word.startswith("-")][:1]
        found += [posixpath.normpath(posixpath.join(folder, name)) for name in named]
    return tuple(dict.fromkeys(path for path in found if path in known))


def _expected(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The topmost folders of expected results, as globs for all that is below."""
    for path in paths:
        parents = path.split("/")[:-1]
        depth = next((n for n, name in enumerate(parents, 1) if name.lower() in _EXPECTED), 0)
        if depth:
            yield "/".join(parents[:depth]) + "/**", "what the tests compare with"
