"""What the doctor found, as text and as JSON."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from loopctl.bootstrap.doctor.diagnosis import Diagnosis, Finding, Level, Topic
from loopctl.observe.plain import count, one_line

SCHEMA = "loopctl.doctor/1"
_LABEL = 12


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """Every topic under its name, then what it comes to."""
    parts = ["\n".join(_topic(topic)) for topic in diagnosis.topics]
    return "\n\n".join([*parts, _verdict(diagnosis)])


def diagnosis_object(diagnosis: Diagnosis) -> dict[str, Any]:
    """The document of ``doctor --json``."""
    return {
        "schema": SCHEMA,
        "can_start": not diagnosis.refusals,
        "findings": [
            {"topic": topic.name, **_finding_object(finding)}
            for topic in diagnosis.topics
            for finding in topic.findings
        ],
        **{topic.name: dict(topic.facts) for topic in diagnosis.topics},
    }


def masked(document: Any, mask: Callable[[str], str]) -> Any:
    """The document with every text in it masked."""
    match document:
        case str():
            return mask(document)
        case list():
            return [masked(each, mask) for each in document]
        case dict():
            return {key: masked(value, mask) for key, value in document.items()}
        case _:
            return document


def origin_rows(files: Sequence[Path], origins: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Which files were read, and where each setting was said."""
    rows = [("read", one_line(str(path))) for path in files] or [("read", "no file")]
    by_origin: dict[str, list[str]] = {}
    for name, origin in origins.items():
        place = origin.partition(" in ")[2] or origin
        by_origin.setdefault(place, []).append(name.replace("_", "-"))
    return (*rows, *(("from", _said(place, names)) for place, names in by_origin.items()))


def _said(place: str, names: list[str]) -> str:
    spelt = place.removeprefix("--").removeprefix("LOOPCTL_").lower().replace("_", "-")
    return one_line(place if names == [spelt] else f"{place}: {', '.join(names)}")


def _topic(topic: Topic) -> Iterator[str]:
    yield topic.name
    for label, text in topic.rows:
        yield f"  {label:<{_LABEL}}{text}".rstrip()
    for finding in topic.findings:
        yield f"  {finding.level}: {one_line(finding.text)}"
        if finding.why:
            yield f"      why: {one_line(finding.why)}"
        if finding.next_step:
            yield f"      next: {one_line(finding.next_step)}"


def _verdict(diagnosis: Diagnosis) -> str:
    warnings = sum(finding.level is Level.WARNING for finding in diagnosis.findings)
    told = f" ({count(warnings, 'warning')})" if warnings else ""
    if diagnosis.refusals:
        return f"a run would be refused: {count(len(diagnosis.refusals), 'reason')} above{told}"
    return f"a run could start{told}"


def _finding_object(finding: Finding) -> dict[str, str]:
    return {
        "level": finding.level,
        "text": finding.text,
        "why": finding.why,
        "next": finding.next_step,
    }
