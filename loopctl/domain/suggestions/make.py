"""Make, and scripts at well-known places: what a project without a language's own runner uses."""

from loopctl.domain.makefile import NAMES, rules_of
from loopctl.domain.suggestions.suggestion import Suggestion
from loopctl.domain.suggestions.survey import Place

MAKE, SCRIPT = "make", "script"
MANIFESTS = NAMES
_TARGETS = ("test", "check", "tests")
SCRIPTS = (
    *("test.sh", "check.sh", "run_tests.sh", "run-tests.sh", "runtests.sh", "script/test"),
    *("scripts/test", "scripts/test.sh", "bin/test", "tests/run.sh", "test/run.sh"),
)


def suggest(place: Place) -> tuple[Suggestion, ...]:
    """A target of the makefile, and a script that tests."""
    found = []
    makefile = place.first(*NAMES)
    rules = rules_of(place.text(makefile))
    target = next((name for name in _TARGETS if name in rules), "")
    if target:
        found.append(
            Suggestion(
                language=MAKE,
                command=place.command(f"make {target}"),
                because=f"{place.full(makefile)} has a target `{target}`",
                folder=place.folder,
                programs=("make",),
            )
        )
    script = place.first(*SCRIPTS)
    if script:
        found.append(
            Suggestion(
                language=SCRIPT,
                command=place.command(f"{_shell(place.text(script))} {script}"),
                because=f"{place.full(script)} is there",
                folder=place.folder,
                programs=("sh",),
            )
        )
    return tuple(found)


def _shell(script: str) -> str:
    return "bash" if "bash" in script.partition("\n")[0] else "sh"
