"""The test settings inside a manifest: what of pyproject.toml or package.json judges the work.

These files are the project's as a whole, but some of their sections decide which tests run.
Invariant: content that cannot be read counts as settings of its own, equal to nothing else.
"""

import configparser
import json
import tomllib
from collections.abc import Callable
from typing import Any

from loopctl.domain.linters import manifest_keys

_LARGEST = 1_000_000  # bytes; an honest manifest is far smaller
_PYTHON_TOOLS = ("pytest", "coverage", "tox")
_INI_SECTIONS = ("tool:pytest", "pytest", "coverage:", "tox", "testenv")
_NODE_KEYS = ("jest", "vitest", "mocha", "ava", "nyc", "c8", "tap")
_NODE_SCRIPTS = ("test", "pretest", "posttest", "check", "lint", "ci", "verify", "coverage")
_CARGO_KEYS = ("test", "bench", "patch", "replace")
_CARGO_TARGETS = ("lib", "bin")
_COMPOSER_KEYS = ("scripts", "autoload-dev")


def judging_settings(name: str, content: bytes, linters: tuple[str, ...] = ()) -> object:
    """The test settings in a manifest; ``None`` when they cannot be told.

    Args:
        name: its file name, in any letters.
        content: the whole file.
        linters: programs that judge as well.
    """
    read = _READERS.get(name.casefold())
    if read is None or len(content) > _LARGEST:
        return None
    try:
        return read(content.decode(), manifest_keys(linters))
    except (ValueError, AttributeError, TypeError, configparser.Error, RecursionError):
        return None


def _pyproject(text: str, added: tuple[str, ...]) -> dict[str, Any]:
    return _chosen(tomllib.loads(text).get("tool", {}), (*_PYTHON_TOOLS, *added))


def _setup_cfg(text: str, added: tuple[str, ...]) -> dict[str, Any]:
    parser = configparser.RawConfigParser()
    parser.read_string(text)
    wanted = (name for name in parser.sections() if name.startswith((*_INI_SECTIONS, *added)))
    return {name: dict(parser.items(name)) for name in wanted}


def _package_json(text: str, added: tuple[str, ...]) -> dict[str, Any]:
    """The test runners' settings and the scripts that check something, not those that build."""
    manifest = json.loads(text)
    scripts = manifest.get("scripts", {})
    checks = {name: scripts[name] for name in scripts if name.startswith(_NODE_SCRIPTS)}
    return _chosen(manifest, (*_NODE_KEYS, *added)) | {"scripts": checks}


def _cargo(text: str, added: tuple[str, ...]) -> dict[str, Any]:
    """Test targets, replaced dependencies, and whether a target is tested at all."""
    manifest = tomllib.loads(text)
    found = _chosen(manifest, (*_CARGO_KEYS, *(("lints",) if "clippy" in added else ())))
    for target in _CARGO_TARGETS:
        tables = manifest.get(target, [])
        listed = tables if isinstance(tables, list) else [tables]
        found[target] = [_chosen(table, ("name", "test", "doctest", "harness")) for table in listed]
    found["package"] = _chosen(manifest.get("package", {}), ("autotests", "autobenches"))
    found["profile"] = _chosen(manifest.get("profile", {}), ("test", "dev"))
    return found


def _composer(text: str, added: tuple[str, ...]) -> dict[str, Any]:
    return _chosen(json.loads(text), (*_COMPOSER_KEYS, *added))


def _chosen(table: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: table[key] for key in keys if table.get(key) is not None}


_READERS: dict[str, Callable[[str, tuple[str, ...]], dict[str, Any]]] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "package.json": _package_json,
    "cargo.toml": _cargo,
    "composer.json": _composer,
}
