"""A suite: what each test of one run came to, by the id that the test framework gives it.

Invariant: a suite is only ever what a results file says that this run has written. Two runs are
the same when every id came to the same outcome in both; the digest tells.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum

from pydantic import NonNegativeInt

from loopctl.domain.value import Value

_VOLATILE = re.compile(
    # A UUID, a date with a time of day, seconds or their parts since 1970.
    r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
    r"|\d{4}-\d\d-\d\d[T_ ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|(?<![\w.])1\d{9}(?:\d{3}){0,3}(?:\.\d+)?(?![\w.])"
)
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+")


class Outcome(StrEnum):
    """What one test came to, the best first.

    ``ERROR`` is a test that could not be run to its end, such as a module that cannot be imported.
    """

    PASSED = "passed"
    SKIPPED = "skipped"
    FAILED = "failed"
    ERROR = "error"


_RANK = list(Outcome)
Suite = Mapping[str, Outcome]


class SuiteResult(Value):
    """A suite in figures, beside the base commit's.

    Attributes:
        passed: tests that passed.
        failed: tests that failed or could not be run to their end.
        errors: of the failed, those that could not be run to their end.
        skipped: tests that were skipped.
        missing: tests that ran on the base commit and not in this run.
        new_failures: of the failed, those that did not fail on the base commit.
        digest: tells apart two runs in which any test came to something else.
        record: digest of the file that keeps the suite; ``""`` for all but the baseline.
    """

    passed: NonNegativeInt
    failed: NonNegativeInt
    errors: NonNegativeInt = 0
    skipped: NonNegativeInt
    missing: NonNegativeInt = 0
    new_failures: NonNegativeInt = 0
    digest: str = ""
    record: str = ""

    @property
    def total(self) -> int:
        """Tests that ran or should have; the skipped are not among them."""
        return self.passed + self.failed + self.missing

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed}/{self.total} tests{skipped}"


def collect(
    cases: Iterable[tuple[str, Outcome]], places: Mapping[str, str] | None = None
) -> dict[str, Outcome]:
    """One outcome for each id: the worst, when an id comes more than once.

    What is another in every run is made the same in all ids: addresses, and the folders of the run.

    Args:
        cases: what was found.
        places: paths that only this run has, and what stands for each; an inner one first.
    """
    suite: dict[str, Outcome] = {}
    for found, outcome in cases:
        name = _ADDRESS.sub("0x", found)
        for path, stand_in in (places or {}).items():
            name = name.replace(path, stand_in)
        known = suite.get(name, outcome)
        suite[name] = max(known, outcome, key=_RANK.index)
    return suite


def without_moments(name: str) -> str:
    """An id in which random identifiers and times are made the same."""
    return _VOLATILE.sub("*", name)


def suite_digest(suite: Suite) -> str:
    """A digest of all ids and outcomes (16 hexadecimal digits)."""
    digest = hashlib.sha256()
    for line in sorted(f"{without_moments(name)} {suite[name]}" for name in suite):
        digest.update(f"{line}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:16]
