"""Virtual environments with chosen packages, linked from the one that the tests run in.

Nothing is downloaded, and a package that nobody asked for is not there: pytest loads every
plug-in that it finds.
"""

import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

PYTEST = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
_NOT_A_PACKAGE = ("..", "__pycache__")
_RUN_PYTEST = "import sys\nfrom pytest import console_main\nsys.exit(console_main())\n"


def make_environment(folder: Path, distributions: Iterable[str] = ()) -> Path:
    """Make one and return its ``site-packages``."""
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", "--symlinks", str(folder)], check=True
    )
    site = next(folder.glob("lib/python*/site-packages"))
    for name in distributions:
        _link(name, site)
    if (site / "pytest").exists():
        write_script(folder / "bin" / "pytest", _RUN_PYTEST)
    return site


def write_script(path: Path, code: str) -> None:
    """A console script of the environment that ``path`` lies in."""
    path.write_text(f"#!{path.parent}/python\n{code}")
    path.chmod(0o755)


def activated(folder: Path, path: str) -> dict[str, str]:
    """What ``activate`` sets.

    Args:
        folder: of the environment.
        path: the PATH so far.
    """
    return {"VIRTUAL_ENV": str(folder), "PATH": f"{folder}/bin:{path}"}


def _link(name: str, site: Path) -> None:
    found = distribution(name)
    tops = {file.parts[0] for file in found.files or ()}
    for top in tops.difference(_NOT_A_PACKAGE):
        link = site / top
        if not link.exists():
            link.symlink_to(found.locate_file(top))
