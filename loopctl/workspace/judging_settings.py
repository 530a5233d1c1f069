"""The test settings inside a manifest: what of pyproject.toml and setup.cfg judges the work.

These files are the project's as a whole, but some of their sections decide which tests run.
Invariant: content that cannot be read counts as settings of its own, equal to nothing else.
"""

import configparser
import tomllib

MIXED = ("pyproject.toml", "setup.cfg")

_LARGEST = 1_000_000  # bytes; an honest manifest is far smaller
_TOOLS = ("pytest", "coverage", "tox")
_SECTIONS = ("tool:pytest", "pytest", "coverage:", "tox", "testenv")


def judging_settings(name: str, content: bytes) -> object:
    """The test settings in a file called ``name``; ``None`` when they cannot be told.

    Args:
        name: one of ``MIXED``, in any letters.
        content: the whole file.
    """
    if len(content) > _LARGEST:
        return None
    try:
        text = content.decode()
        return _of_toml(text) if name.casefold().endswith(".toml") else _of_ini(text)
    except (ValueError, AttributeError, configparser.Error, RecursionError):
        return None


def _of_toml(text: str) -> dict[str, object]:
    tools = tomllib.loads(text).get("tool", {})
    return {name: tools[name] for name in _TOOLS if tools.get(name) is not None}


def _of_ini(text: str) -> dict[str, dict[str, str]]:
    parser = configparser.RawConfigParser()
    parser.read_string(text)
    wanted = (name for name in parser.sections() if name.startswith(_SECTIONS))
    return {name: dict(parser.items(name)) for name in wanted}
