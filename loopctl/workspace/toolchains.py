"""Toolchain homes: where compilers and package managers of the user keep what they need.

An evaluator gets a new HOME, in which rustup, cargo, go or Maven would find nothing. Invariant:
only variables are passed, and only for folders that exist; nothing is copied or written.
"""

from collections.abc import Mapping
from pathlib import Path

# Variable, and the folder below HOME that the tool uses when the variable is not set.
_HOMES = {
    "RUSTUP_HOME": ".rustup",
    "CARGO_HOME": ".cargo",
    "GOROOT": "",
    "JAVA_HOME": "",
    "PYENV_ROOT": ".pyenv",
    "RBENV_ROOT": ".rbenv",
    "NVM_DIR": ".nvm",
    "VOLTA_HOME": ".volta",
    "SDKMAN_DIR": ".sdkman",
    "VIRTUAL_ENV": "",
}
TOOLCHAIN_HOMES = (*_HOMES, "GOMODCACHE")
"""The variables that name a folder."""

_GO_MODULES = "go/pkg/mod"
_MAVEN_REPOSITORY = ".m2/repository"


def toolchain_homes(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that lead tools to what the user has installed for them.

    Args:
        environment: the user's.
    """
    home = Path(environment.get("HOME") or "/nonexistent")
    found = {
        name: environment.get(name) or (str(home / folder) if folder else "")
        for name, folder in _HOMES.items()
    }
    found["GOMODCACHE"] = environment.get("GOMODCACHE") or str(_go_modules(environment, home))
    homes = {name: path for name, path in found.items() if path and Path(path).is_dir()}
    repository = home / _MAVEN_REPOSITORY
    if repository.is_dir():
        homes["MAVEN_OPTS"] = f"-Dmaven.repo.local={repository}"
    return homes


def _go_modules(environment: Mapping[str, str], home: Path) -> Path:
    first = environment.get("GOPATH", "").partition(":")[0]
    return Path(first) / "pkg" / "mod" if first else home / _GO_MODULES
