"""Environments with the project installed in editable mode, made by hand: no package is built."""

import subprocess
import sys
from pathlib import Path

FINDER = """import sys
from importlib.util import spec_from_file_location
MAPPING: dict[str, str] = {mapping!r}
NAMESPACES: dict[str, list[str]] = {{}}


class _EditableFinder:
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname in MAPPING:
            return spec_from_file_location(fullname, MAPPING[fullname] + "/__init__.py")
        return None


def install():
    sys.meta_path.append(_EditableFinder)
"""
REDIRECTOR = """import sys
from importlib.util import spec_from_file_location


class RedirectingFinder:
    _redirections = {}

    @classmethod
    def map_module(cls, name, path):
        cls._redirections[name] = path

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        path = cls._redirections.get(fullname)
        return path and spec_from_file_location(fullname, path)

    @classmethod
    def install(cls):
        sys.meta_path.append(cls)
"""
IMPL = """from editables.redirector import RedirectingFinder as F
F.install()
F.map_module({name!r}, {path!r})"""


class Environment:
    """A virtual environment without pip, in which ``python`` can be started."""

    def __init__(self, folder: Path, *, system_packages: bool = False) -> None:
        self.folder = folder
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        self.site = folder / "lib" / version / "site-packages"
        self.site.mkdir(parents=True)
        self.bin = folder / "bin"
        self.bin.mkdir()
        real = Path(sys.executable).resolve()
        for name in ("python", "python3"):
            (self.bin / name).symlink_to(real)
        self.python = str(self.bin / "python")
        (folder / "pyvenv.cfg").write_text(
            f"home = {real.parent}\ninclude-system-site-packages = {str(system_packages).lower()}\n"
        )

    def write(self, name: str, text: str) -> Path:
        path = self.site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def add_path(self, name: str, folder: Path | str) -> Path:
        """As hatchling, flit, poetry-core, uv and setuptools do for a src layout."""
        return self.write(f"{name}.pth", f"{folder}\n")

    def add_finder(self, name: str, folder: Path) -> Path:
        """As setuptools does for other layouts."""
        module = f"__editable___{name}_0_1_finder"
        self.write(f"__editable__.{name}-0.1.pth", f"import {module}; {module}.install()\n")
        return self.write(f"{module}.py", FINDER.format(mapping={name: str(folder)}))

    def add_redirector(self, name: str, file: Path) -> Path:
        """As hatchling and pdm do when they are told to be exact."""
        self.write("editables/__init__.py", "")
        self.write("editables/redirector.py", REDIRECTOR)
        self.write(f"_editable_impl_{name}.pth", f"import _editable_impl_{name}")
        return self.write(f"_editable_impl_{name}.py", IMPL.format(name=name, path=str(file)))

    def add_loader(self, name: str, folder: Path) -> Path:
        """As meson-python does: a finder with a build folder, before all others."""
        module = f"_{name}_editable_loader"
        self.write(f"{name}-editable.pth", f"import {module}; {module}.init()\n")
        return self.write(f"{module}.py", f"def init():\n    return '{folder}'\n")

    def run(self, code: str, variables: dict[str, str], cwd: Path) -> str:
        done = subprocess.run(
            [self.python, "-c", code],
            env=variables,
            cwd=cwd,
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout
