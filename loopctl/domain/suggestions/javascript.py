"""JavaScript and TypeScript: the test script of ``package.json``, and the manager in use."""

import json
import re
from typing import Any

from loopctl.domain.script_doubts import PLACEHOLDER, package_scripts
from loopctl.domain.suggestions.suggestion import Reason, Setup, Strength, Suggestion
from loopctl.domain.suggestions.survey import Place

NAME = "javascript"
MANIFESTS = ("package.json",)
_TESTS = ("**/*.test.*", "**/*.spec.*", "**/__tests__/**", "test/**", "tests/**")
_LOCKS = (
    ("pnpm-lock.yaml", "pnpm", "pnpm install --frozen-lockfile"),
    ("yarn.lock", "yarn", "yarn install --frozen-lockfile"),
    ("bun.lock", "bun", "bun install --frozen-lockfile"),
    ("bun.lockb", "bun", "bun install --frozen-lockfile"),
    ("package-lock.json", "npm", "npm ci"),
    ("npm-shrinkwrap.json", "npm", "npm ci"),
)
_RUNNERS = (("vitest", "vitest run"), ("jest", "jest"), ("mocha", "mocha"), ("ava", "ava"))
_BUILT = re.compile(r"(?:^|[\s/'\"])(dist|build|lib|out)/")
_MODULES = "node_modules"


def suggest(place: Place) -> tuple[Suggestion, ...]:
    """What judges a package in this folder."""
    if not place.has("package.json"):
        return ()
    manifest = _manifest(place)
    lock, manager, install = _manager(place, manifest)
    command, because, strength = _command(place, manifest, manager)
    if not command:
        return ()
    share, setup = _dependencies(place, manifest, lock, manager, install)
    return (
        Suggestion(
            language=NAME,
            command=place.command(command),
            because=because,
            folder=place.folder,
            strength=strength,
            programs=("node",) if command.startswith("node ") else ("node", manager),
            share=share,
            setup=setup,
        ),
    )


def _manager(place: Place, manifest: dict[str, Any]) -> tuple[str, str, str]:
    """The lock file, the manager that owns it, and how that installs what is locked."""
    above = Place(place.survey)
    for where in (place, above):
        for lock, manager, install in _LOCKS:
            if where.has(lock):
                is_berry = manager == "yarn" and (
                    where.has(".yarnrc.yml") or not _is_classic(manifest)
                )
                return where.full(lock), manager, _immutable(install) if is_berry else install
    named = str(manifest.get("packageManager", "")).partition("@")[0]
    manager = named if named in {"pnpm", "yarn", "bun"} else "npm"
    return "", manager, f"{manager} install"


def _is_classic(manifest: dict[str, Any]) -> bool:
    """Whether yarn is of the first generation, as far as the manifest says."""
    name, _, version = str(manifest.get("packageManager", "")).partition("@")
    return name != "yarn" or version.startswith("1")


def _immutable(install: str) -> str:
    return install.replace("--frozen-lockfile", "--immutable")


def _command(place: Place, manifest: dict[str, Any], manager: str) -> tuple[str, str, Strength]:
    scripts = package_scripts(place.text("package.json"))
    line, where = scripts.get("test", ""), place.full("package.json")
    run = "bun run test" if manager == "bun" else f"{manager} test"
    if line and PLACEHOLDER not in line:
        if "react-scripts test" in line:
            run = f"CI=true {run}"  # else it watches
        elif _needs_build(place, scripts, line):
            run = f"{manager} run build && {run}"
        return run, f"{where} has a script `test`: {line}", Strength.CONFIGURED
    if any(each in _dependencies_of(manifest) for each, _ in _RUNNERS):
        name, tool = next(pair for pair in _RUNNERS if pair[0] in _dependencies_of(manifest))
        return f"npx --no-install {tool}", f"{where} depends on {name}", Strength.FOUND
    if place.matching(*_TESTS):
        return "node --test", "test files are there, and no test script", Strength.GUESSED
    return "", "", Strength.GUESSED


def _needs_build(place: Place, scripts: dict[str, str], line: str) -> bool:
    """Whether the tests read what a build writes and no script builds it before them."""
    built = _BUILT.search(line)
    build = scripts.get("build", "")
    if built is None or not build or "pretest" in scripts or "build" in line.split():
        return False
    if set(_parts(line)[:-1]) & set(_parts(build)):
        return False  # it builds itself
    return not place.matching(f"{built[1]}/**")


def _parts(line: str) -> list[str]:
    return [part.strip() for part in line.split("&&")]


def _dependencies(
    place: Place, manifest: dict[str, Any], lock: str, manager: str, install: str
) -> tuple[tuple[Reason, ...], Setup | None]:
    """The installed packages of the checkout, else the command that installs them."""
    ignored = place.survey.ignored
    folders = {_MODULES, place.full(_MODULES)}
    folders |= {path for path in ignored if path.startswith(f"{place.folder}/".lstrip("/"))}
    shares = tuple(
        Reason(value=path, because="the installed packages of your checkout, which git ignores")
        for path in ignored
        if path in folders and path.rpartition("/")[2] == _MODULES
    )
    if shares or not _dependencies_of(manifest):
        return shares, None
    where = Place(place.survey) if lock and "/" not in lock else place
    setup = Setup(
        command=where.command(install),
        because=f"{lock} is in use" if lock else f"{manager} is used, and nothing is locked",
        makes=where.full(_MODULES),
        kept_out=where.would_ignore(_MODULES),
    )
    return (), setup


def _dependencies_of(manifest: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key in ("dependencies", "devDependencies", "optionalDependencies"):
        table = manifest.get(key)
        found |= table if isinstance(table, dict) else {}
    return found


def _manifest(place: Place) -> dict[str, Any]:
    try:
        manifest = json.loads(place.text("package.json"))
    except (ValueError, RecursionError):
        return {}
    return manifest if isinstance(manifest, dict) else {}
