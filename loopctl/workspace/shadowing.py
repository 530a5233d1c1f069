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
    if change.old:
        return False
    is_link = change.new_mode in (SYMLINK, GITLINK)
    module = root_module(protection, change.path, is_link=is_link)
    shadows = module in _NAMES or module.startswith(_PLUGINS)
    return shadows and not matches_any(change.path, protection.allowed)


def root_module(protection: Protection, path: str, *, is_link: bool = False) -> str:
    """The module that a file is, where Python looks before it looks among what is installed.

    Args:
        protection: what is protected.
        path: of the file.
        is_link: it may be a folder as well.

    Returns:
        Its name; ``""`` when the file is none, lies in a package, or Python is not spoken here.
    """
    folder, _, name = path.rpartition("/")
    if name.startswith("__init__.") and name.endswith(_IMPORTED):
        folder, _, name = folder.rpartition("/")
    elif not name.endswith(_IMPORTED) and not is_link:
        return ""
    is_root = PYTHON.name in protection.presets and folder in ("", *protection.import_roots)
    return name.partition(".")[0] if is_root else ""
