"""Results in the JUnit XML format, as most test runners write them.

Source: the ``testsuites``/``testsuite``/``testcase`` elements that pytest, surefire, gradle,
nextest, jest-junit and others agree on; junitparser reads them.
"""

from collections.abc import Iterator
from itertools import chain
from xml.etree.ElementTree import ParseError

from junitparser import Error, Failure, JUnitXml, JUnitXmlError, Skipped, TestCase

from loopctl.domain.suite import Outcome


def read_junit(content: bytes) -> list[tuple[str, Outcome]]:
    """The id and the outcome of every test case.

    Raises:
        ValueError: it is not JUnit XML.
    """
    try:
        return list(_cases(JUnitXml.fromstring(content)))
    except (ParseError, JUnitXmlError, LookupError, RecursionError) as error:
        # An encoding that nobody knows is a LookupError, suites within suites may have no end.
        raise ValueError(f"it is not JUnit XML: {error}") from error


def _cases(document: JUnitXml) -> Iterator[tuple[str, Outcome]]:
    # Tests that belong to no suite: Node writes them directly below the root.
    suites = [document.iterchildren(TestCase), *document]  # type: ignore[no-untyped-call]  # of junitparser
    for case in chain.from_iterable(suites):
        yield "::".join(filter(None, (case.classname, case.name))), _outcome(case)


def _outcome(case: TestCase) -> Outcome:
    results = case.result
    for kind, outcome in (
        (Error, Outcome.ERROR),
        (Failure, Outcome.FAILED),
        (Skipped, Outcome.SKIPPED),
    ):
        if any(isinstance(result, kind) for result in results):
            return outcome
    return Outcome.PASSED
