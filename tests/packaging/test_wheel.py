"""An installed loopctl is complete: what the checkout has, the wheel has."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-cache-dir", "wheel"]
    options = ["--no-deps", "--no-build-isolation", "--no-index", "-q", "-w", str(folder)]
    env = os.environ | {"HOME": str(folder)}
    done = subprocess.run(
        [*pip, *options, str(ROOT)], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_has_every_module_of_the_package(names):
    modules = {str(path.relative_to(ROOT)) for path in ROOT.glob("loopctl/**/*.py")}
    assert modules
    assert modules <= names


def test_is_typed_and_licensed(names):
    assert "loopctl/py.typed" in names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_has_the_migrations_inside_the_package(names):
    migrations = {
        f"loopctl/migrations/{path.relative_to(ROOT / 'alembic')}"
        for path in ROOT.glob("alembic/**/*.py")
    }
    assert "loopctl/migrations/env.py" in migrations
    assert any(name.startswith("loopctl/migrations/versions/") for name in migrations)
    assert migrations <= names


def test_installs_nothing_beside_the_package(names):
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"loopctl"}
