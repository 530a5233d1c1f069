"""A script in a JSON file, for a server that is started as a program.

The file holds ``{"turns": [...]}``, or several lanes as ``{"lanes": [{"turns": [...]}, ...]}``.
Objects have the fields of the classes in ``script``, ``fault`` and ``tokens``::

    {"lanes": [
      {"model": "judge", "turns": [{"text": "PASS", "usage": {"input": 50, "output": 2}}]},
      {"turns": [
        {"calls": [{"tool": "read_file", "arguments": {"path": "a.py"}}]},
        {"fault": {"kind": "rate_limit", "retry_after": "1"}},
        {"text": "done"}
      ]}
    ]}

Invariant: a script is understood whole, or not at all; nothing in it is passed over.
"""

import json
from pathlib import Path
from typing import Any, TypeVar

from loopctl.testing.scripted_llm.fault import Fault
from loopctl.testing.scripted_llm.script import Call, Lane, Turn
from loopctl.testing.scripted_llm.tokens import Tokens

Part = TypeVar("Part")


def read_script(path: Path) -> list[Lane]:
    """The lanes in a file.

    Raises:
        OSError: it cannot be read.
        ValueError: it holds something else; the text says where and what.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is no JSON: {error}") from error
    if not isinstance(document, dict):
        raise ValueError(f"{path}: a script is an object with turns or lanes")  # noqa: TRY004
    try:
        return [_lane(lane) for lane in document.get("lanes", [document])]
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error


def _lane(document: dict[str, Any]) -> Lane:
    fields = _fields(document, "lane")
    if "turns" not in fields:
        raise ValueError(f"a lane has no turns: {document}")
    return _made(Lane, {"steps": [_turn(turn) for turn in fields.pop("turns")], **fields})


def _turn(document: dict[str, Any]) -> Turn:
    fields = _fields(document, "turn")
    if "calls" in fields:
        fields["calls"] = tuple(_made(Call, _fields(call, "call")) for call in fields["calls"])
    if "usage" in fields:
        fields["usage"] = _made(Tokens, _fields(fields["usage"], "usage"))
    if "fault" in fields:
        fields["fault"] = _made(Fault, _fields(fields["fault"], "fault"))
    return _made(Turn, fields)


def _fields(document: object, noun: str) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise ValueError(f"not a {noun}, which is an object: {document!r}")  # noqa: TRY004
    return dict(document)


def _made(part: type[Part], fields: dict[str, Any]) -> Part:
    """A part of the script; what it has no field for is named."""
    try:
        return part(**fields)
    except TypeError as error:
        raise ValueError(f"not a {part.__name__.lower()}: {fields}: {error}") from error
