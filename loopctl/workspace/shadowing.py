"""Added files that Python would import in place of the test runner's own modules.

Python looks for modules first beside the program that it runs, or in the current folder: a
``pytest.py`` there is run instead of pytest. Invariant: such a file is no part of the judged tree
unless the base commit has it or the user allows it; modules inside packages are not meant.
"""

import sys

from loopctl.domain.globs import matches_any
from loopctl.domain.presets import PYTHON
from loopctl.domain.protection import Protection
from loopctl.git.change import GITLINK, SYMLINK, Change

_RUNNERS = frozenset(
    {"pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments", "exceptiongroup"}
    | {"tomli", "coverage", "xdist", "execnet", "hypothesis", "nose2", "tox", "nox", "mypy"}
    | {"typing_extensions", "mypy_extensions", "anyio", "faker", "pyfakefs", "requests_mock"}
    | {"respx", "schemathesis", "sybil", "syrupy", "typeguard"}
)
_NAMES = _RUNNERS | sys.stdlib_module_names
# Plug-ins are loaded by the names of their modules, before any test.
_PLUGINS = ("pytest_", "_pytest_", "_hypothesis_")
_IMPORTED = (".py", ".so", ".pyd")


def shadows_runner(protection: Protection, change: Change) -> bool:
    """Whether a change adds a module that hides one of the runner or the standard library."""
    if change.old or PYTHON.name not in protection.presets:
        return False
    folder, _, name = change.path.rpartition("/")
    if name.startswith("__init__.") and name.endswith(_IMPORTED):
        folder, _, name = folder.rpartition("/")
    elif not name.endswith(_IMPORTED) and change.new_mode not in (SYMLINK, GITLINK):
        return False
    is_root = folder in ("", *protection.import_roots)
    module = name.partition(".")[0]
    shadows = is_root and (module in _NAMES or module.startswith(_PLUGINS))
    return shadows and not matches_any(change.path, protection.allowed)
