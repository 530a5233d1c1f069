"""The JSON schema of a payload as models are shown it.

It has no references, because not every client of models follows them; no titles, which only
repeat the names; no words that were written for developers; and none of the fields that are ours.
"""

from typing import Any

from pydantic import BaseModel

OURS = frozenset({"kind"})
"""Fields by which stored payloads are told apart: models do not write them."""

_PREFIX = "#/$defs/"


def schema_of(payload: type[BaseModel]) -> dict[str, Any]:
    """The schema of ``payload``; its fields are named as models write them."""
    whole = payload.model_json_schema(by_alias=True)
    shown = _shown(_undocumented(whole), whole.get("$defs", {}))
    for name in OURS:
        shown["properties"].pop(name, None)
    return shown


def _shown(part: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A schema with what it refers to in its place."""
    reference = part.get("$ref")
    if reference is not None:
        target = _undocumented(definitions[reference.removeprefix(_PREFIX)])
        beside = {name: value for name, value in part.items() if name != "$ref"}
        return _shown(target | beside, definitions)
    shown: dict[str, Any] = {}
    for name, value in part.items():
        match name:
            case "$defs" | "title":
                continue
            case "properties":
                shown[name] = {key: _shown(each, definitions) for key, each in value.items()}
            case "items":
                shown[name] = _shown(value, definitions)
            case "anyOf":
                shown[name] = [_shown(each, definitions) for each in value]
            case _:
                shown[name] = value
    return shown


def _undocumented(definition: dict[str, Any]) -> dict[str, Any]:
    """The schema of a class without its docstring."""
    return {name: value for name, value in definition.items() if name != "description"}
