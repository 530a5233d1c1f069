"""The report that a shell evaluator may write: named criteria, each with a verdict and evidence.

Invariant: what is read is exactly one document of the one known version that repeats the nonce of
its run. Nothing is guessed, completed or taken from a document that says something twice.
"""

import json
from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, ValidationError

from loopctl.domain.criteria import Verdict
from loopctl.domain.value import Value

MAX_BYTES = 1_000_000
MAX_CRITERIA = 200
NAME_CHARACTERS = 100


def criterion_name(name: str) -> str:
    """The name of a criterion as it is: one line of printable text.

    Raises:
        ValueError: it is none.
    """
    if not name.isprintable() or name != " ".join(name.split()):
        raise ValueError("a name is one line of printable text without blanks around it")
    return name


def _whole_number(value: object) -> object:
    """Python holds ``true`` and ``1.0`` for the same as 1."""
    if type(value) is not int:
        raise ValueError("it has to be a whole number")
    return value


class WrittenCriterion(Value):
    """One criterion of a report.

    Attributes:
        name: what it is called, the same in every report.
        verdict: the outcome; ERROR says that it could not be judged.
        evidence: lines that let a reader check it; a PASS without any is none.
    """

    model_config = ConfigDict(title="Criterion")

    name: Annotated[
        str, Field(min_length=1, max_length=NAME_CHARACTERS), AfterValidator(criterion_name)
    ]
    verdict: Verdict
    evidence: tuple[str, ...] = ()


class WrittenReport(Value):
    """The whole document.

    Attributes:
        version: of this format.
        nonce: the content of ``LOOPCTL_REPORT_NONCE``.
        criteria: what was judged, each under a name of its own.
    """

    model_config = ConfigDict(title="Report")

    version: Annotated[Literal[1], BeforeValidator(_whole_number)]
    nonce: str
    criteria: Annotated[tuple[WrittenCriterion, ...], Field(min_length=1, max_length=MAX_CRITERIA)]


def read_report(
    content: bytes, nonce: str, mask: Callable[[str], str]
) -> tuple[WrittenCriterion, ...]:
    """The criteria of a report, in the order in which it names them.

    Args:
        content: the document.
        nonce: what it has to repeat.
        mask: takes secrets out of a name, before it is stored or shown anywhere.

    Raises:
        ValueError: it is not a report of this run; the text says why, for people.
    """
    report = _parsed(content)
    if report.nonce != nonce:
        raise ValueError("it does not repeat the nonce of this run")
    criteria = tuple(entry.evolve(name=mask(entry.name)) for entry in report.criteria)
    names: set[str] = set()
    for entry in criteria:
        if entry.name.casefold() in names:
            raise ValueError(f"it has two criteria called {entry.name!r}")
        names.add(entry.name.casefold())
    return criteria


def _parsed(content: bytes) -> WrittenReport:
    try:
        json.loads(content.decode(), object_pairs_hook=_no_key_twice)
        return WrittenReport.model_validate_json(content, strict=True)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(map(str, problem["loc"])) or "the document"
        raise ValueError(f"it does not fit the schema: {place}: {problem['msg']}") from error
    except UnicodeDecodeError as error:
        raise ValueError("it is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is not JSON: {error}") from error


def _no_key_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} comes twice in one object")
        found[key] = value
    return found
