"""The result floor: what a run must not fall below to be a PASS, whatever its exit status says.

Every test that ran on the base commit must run, none may be newly skipped, none may fail, and at
least one must pass. Invariant: the floor only ever takes a PASS away.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from loopctl.domain.suite import Outcome, Suite, SuiteResult, suite_digest, without_moments

_RAN = frozenset({Outcome.PASSED, Outcome.FAILED})
_BROKEN = frozenset({Outcome.FAILED, Outcome.ERROR})
LISTED_IDS = 20
SHOWN_BREACH_IDS = 3


@dataclass(frozen=True)
class Comparison:
    """One run of a suite beside the base commit's. The tuples hold ids, sorted.

    Attributes:
        result: the figures.
        failures: fail now, when nothing is known of the base commit.
        new_failures: fail now, and did not on the base commit.
        old_failures: failed on the base commit already.
        missing: ran on the base commit, and not now.
        newly_skipped: did not skip on the base commit, and do now; or all tests of a module that
            could not be run there.
    """

    result: SuiteResult
    failures: tuple[str, ...]
    new_failures: tuple[str, ...]
    old_failures: tuple[str, ...]
    missing: tuple[str, ...]
    newly_skipped: tuple[str, ...]

    @property
    def breaches(self) -> tuple[str, ...]:
        """Why this run is no PASS, a line for each reason; empty when the floor holds."""
        failed = (*self.failures, *self.new_failures, *self.old_failures)
        found = [
            _breach(ids, words)
            for ids, words in (
                (failed, "failed"),
                (self.missing, "ran on the base commit and did not run now"),
                (self.newly_skipped, "newly skipped"),
            )
            if ids
        ]
        if not found and not self.result.passed:
            found.append("no test was run")
        return tuple(found)

    def lines(self) -> tuple[str, ...]:
        """The figures, then the ids that explain them, for people and agents."""
        lists = (
            ("failing", self.failures),
            ("newly failing", self.new_failures),
            ("failing as on the base commit", self.old_failures),
            ("did not run, but did on the base commit", self.missing),
            ("newly skipped", self.newly_skipped),
        )
        return (self._figures(), *(line for words, ids in lists for line in _listed(words, ids)))

    def _figures(self) -> str:
        result = self.result
        parts = [f"{result.passed} passed"]
        if result.failed:
            newly = "" if self.failures else f" ({result.new_failures or 'none'} of them newly)"
            parts.append(f"{result.failed} failed{newly}")
        if result.skipped:
            parts.append(f"{result.skipped} skipped")
        if result.missing:
            parts.append(f"{result.missing} did not run")
        return f"tests: {', '.join(parts)}"


def compare(now: Suite, base: Suite | None) -> Comparison:
    """Hold a run against the base commit's.

    Args:
        now: the run.
        base: that on the base commit; None when nothing is known of it.
    """
    known = {} if base is None else base
    broken = {name for name, outcome in now.items() if outcome in _BROKEN}
    old = {name for name in broken if known.get(name) in _BROKEN}
    missing = _missing(now, known)
    skipped = {name for name, outcome in now.items() if outcome is Outcome.SKIPPED}
    newly = [name for name in skipped if known.get(name, Outcome.SKIPPED) is not Outcome.SKIPPED]
    newly += _skipped_as_a_whole(now, known)
    return Comparison(
        result=SuiteResult(
            passed=len(now) - len(broken) - len(skipped),
            failed=len(broken),
            errors=sum(outcome is Outcome.ERROR for outcome in now.values()),
            skipped=len(skipped),
            missing=len(missing),
            new_failures=0 if base is None else len(broken - old),
            digest=suite_digest(now),
        ),
        failures=_sorted(broken) if base is None else (),
        new_failures=() if base is None else _sorted(broken - old),
        old_failures=_sorted(old),
        missing=_sorted(missing),
        newly_skipped=_sorted(newly),
    )


def _missing(now: Suite, known: Suite) -> list[str]:
    """What ran on the base commit and not now.

    Some ids hold a time or a random identifier: such a test ran when there is one more now that is
    called the same but for that.
    """
    gone = [name for name, outcome in known.items() if outcome in _RAN and name not in now]
    if not gone:
        return []
    new = (name for name, outcome in now.items() if outcome in _RAN and name not in known)
    others = Counter(map(without_moments, new))
    missing = []
    for name in gone:
        others[without_moments(name)] -= 1
        if others[without_moments(name)] < 0:
            missing.append(name)
    return missing


def _skipped_as_a_whole(now: Suite, known: Suite) -> list[str]:
    """The tests of modules that could not be run on the base commit, if all of each are skipped."""
    broken = {name for name, outcome in known.items() if outcome is Outcome.ERROR}
    tests: dict[str, list[str]] = {}
    ran: set[str] = set()
    for name, outcome in now.items() if broken else ():
        module = name.partition("::")[0]
        while module and module not in broken:
            module = module.rpartition(".")[0]
        if module and name not in known:
            tests.setdefault(module, []).append(name)
            ran |= set() if outcome is Outcome.SKIPPED else {module}
    return [name for module, names in tests.items() if module not in ran for name in names]


def _sorted(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(ids))


def _breach(ids: tuple[str, ...], words: str) -> str:
    named = ", ".join(ids[:SHOWN_BREACH_IDS])
    more = f" and {len(ids) - SHOWN_BREACH_IDS} more" if len(ids) > SHOWN_BREACH_IDS else ""
    noun = "test" if len(ids) == 1 else "tests"
    return f"{len(ids)} {noun} {words}: {named}{more}"


def _listed(words: str, ids: tuple[str, ...]) -> list[str]:
    lines = [f"{words}: {name}" for name in ids[:LISTED_IDS]]
    hidden = len(ids) - LISTED_IDS
    return [*lines, f"{words}: and {hidden} more"] if hidden > 0 else lines
