"""The environment that judges: what may not change, and what is told."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from loopctl.errors import SupplyError
from loopctl.workspace.base_writes import BaseWrites
from loopctl.workspace.editable_installs import ProjectRoots
from loopctl.workspace.installed_again import is_installed_again
from loopctl.workspace.installed_files import look
from loopctl.workspace.installed_watch import InstalledWatch


@dataclass
class Environment:
    """A virtual environment with pytest and a plug-in, and its interpreter's library."""

    root: Path

    def __post_init__(self):
        self.prefix, self.base = self.root / "venv", self.root / "base"
        self.site = self.prefix / "lib/python3.12/site-packages"
        self.library = self.base / "lib/python3.12"
        self.node = self.root / "node_modules"
        for path in ("pytest/__init__.py", "_pytest/runner.py", "cov/plugin.py", "other/a.py"):
            self.write(self.site / path)
        self.write(self.site / "_pytest/__pycache__/runner.cpython-312.pyc")
        self.write(self.site / "cov-1.dist-info/entry_points.txt", "[pytest11]\ncov = cov.plugin\n")
        self.write(self.site / "other-1.dist-info/entry_points.txt", "[console_scripts]\na = b:c\n")
        self.write(self.site / "own.pth", "/somewhere\n")
        for path in ("os.py", "unittest/case.py", "json/decoder.py"):
            self.write(self.library / path)
        self.write(self.base / "bin/python3")
        self.write(self.prefix / "bin/pytest")
        (self.prefix / "bin/python").symlink_to(self.base / "bin/python3")
        for path in (".bin/jest", "jest/package.json", "@scope/a/package.json"):
            self.write(self.node / path)

    @staticmethod
    def write(path: Path, text: str = "x\n") -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def watch(self, *, enforced: bool = True, file: Path | None = None) -> InstalledWatch:
        roots = ProjectRoots(frozenset({str(self.root / "project")}), "/nonexistent")
        watch = InstalledWatch(
            lambda: look([self.site], [self.node]),
            lambda file: is_installed_again(file, roots),
            BaseWrites(file),
            enforced=enforced,
        )
        assert watch.check() == ()
        return watch


@pytest.fixture
def environment(tmp_path):
    return Environment(tmp_path)


JUDGING = [
    "venv/lib/python3.12/site-packages/_pytest/runner.py",
    "venv/lib/python3.12/site-packages/_pytest/new.py",
    "venv/lib/python3.12/site-packages/pytest.py",
    "venv/lib/python3.12/site-packages/cov/plugin.py",
    "venv/lib/python3.12/site-packages/own.pth",
    "venv/lib/python3.12/site-packages/evil.pth",
    "venv/lib/python3.12/site-packages/sitecustomize.py",
    "venv/lib/python3.12/site-packages/usercustomize/__init__.py",
    "venv/lib/python3.12/sitecustomize.py",
    "base/lib/python3.12/os.py",
    "base/lib/python3.12/unittest/case.py",
    "venv/bin/pytest",
    "venv/pyvenv.cfg",
    "base/bin/python3",
    "node_modules/.bin/jest",
]


@pytest.mark.parametrize("path", JUDGING)
def test_what_takes_part_in_every_judgement_may_not_change(environment, path):
    watch = environment.watch()
    environment.write(environment.root / path, "import evil\n")
    assert any(
        named.endswith(path.rpartition("/")[2]) or "python" in named
        for named in watch.moved(is_base=False)
    )
    for _ in range(2):
        with pytest.raises(SupplyError, match="the environment that judges was changed"):
            watch.check()


def test_a_file_that_an_installer_links_into_another_environment_is_the_same(environment):
    runner = environment.site / "_pytest/runner.py"
    (environment.root / "cache").hardlink_to(runner)
    watch = environment.watch()
    (environment.root / "elsewhere").hardlink_to(runner)
    assert (watch.moved(is_base=False), watch.check()) == ((), ())
    found = runner.stat()
    runner.write_text("y\n")
    os.utime(runner, ns=(found.st_atime_ns, found.st_mtime_ns))
    with pytest.raises(SupplyError):
        watch.check()


def test_a_new_plug_in_may_not_appear(environment):
    watch = environment.watch()
    points = environment.site / "evil-1.dist-info/entry_points.txt"
    environment.write(points, "[console_scripts]\na = b:c\n\n[pytest11]\nevil = evil\n")
    with pytest.raises(SupplyError, match=r"evil-1\.dist-info/entry_points\.txt"):
        watch.check()


def test_other_packages_and_compiled_code_are_told_or_nothing(environment):
    watch = environment.watch()
    environment.write(environment.site / "other/a.py", "changed\n")
    environment.write(environment.site / "_pytest/__pycache__/new.cpython-312.pyc")
    environment.write(environment.library / "json/decoder.py", "changed\n")
    assert watch.check() == ()
    environment.write(environment.site / "new-2.dist-info/RECORD")
    environment.write(environment.node / "@scope/b/package.json")
    assert (watch.moved(is_base=False)) == ()
    assert watch.check() == ("installed since the start: @scope/b, new-2",)
    assert watch.check() == ("installed since the start: @scope/b, new-2",)


def test_compiled_code_of_what_judges_may_come_but_not_be_written_again(environment):
    old = environment.site / "_pytest/__pycache__/runner.cpython-312.pyc"
    new = environment.site / "_pytest/__pycache__/new.cpython-312.pyc"
    watch = environment.watch()
    environment.write(new)
    assert (watch.moved(is_base=False), watch.check()) == ((), ())
    old.unlink()
    assert watch.check() == ()
    environment.write(old, "other code\n")
    assert watch.moved(is_base=False) == (str(old),)
    with pytest.raises(SupplyError, match=r"runner\.cpython-312\.pyc"):
        watch.check()


def test_modules_that_are_installed_at_the_start(environment):
    for name in ("one.py", "fast.cpython-312-x86_64-linux-gnu.so", "own.txt"):
        environment.write(environment.site / name)
    watch = environment.watch()
    environment.write(environment.site / "later/__init__.py")
    watch.check()
    assert watch.modules == {"pytest", "_pytest", "cov", "other", "one", "fast"}


def test_judging_the_base_commit_may_compile(environment):
    compiled = environment.site / "_pytest/__pycache__/runner.cpython-312.pyc"
    watch = environment.watch()
    environment.write(compiled, "of another time\n")
    assert watch.moved(is_base=True) == ()
    assert watch.check() == ()
    environment.write(compiled, "and of another one\n")
    with pytest.raises(SupplyError):
        watch.check()


def test_where_nothing_ran_on_the_base_commit_it_is_told(environment):
    watch = environment.watch(enforced=False)
    evil = environment.site / "evil.pth"
    environment.write(evil, "import evil\n")
    assert watch.moved(is_base=False) == ()
    assert watch.check() == (f"the environment that judges was changed: {evil}",)
    assert watch.check() == ()


def test_what_judging_the_base_commit_writes_may_be_written_again(environment, tmp_path):
    file = tmp_path / "writes.json"
    watch = environment.watch(file=file)
    own = environment.site / "own.pth"
    environment.write(own, "/a/checkout\n")
    assert watch.moved(is_base=True) == (str(own),)
    for later in (watch, environment.watch(file=file)):
        environment.write(own, f"/another/checkout/{id(later)}\n")
        assert later.moved(is_base=False) == ()
        assert later.check() == ()


def test_the_project_may_be_installed_again(environment):
    watch = environment.watch()
    project = environment.root / "project"
    finder = environment.site / "__editable___app_1_finder.py"
    environment.write(
        finder, f"class _EditableFinder:\n    pass\nMAPPING = {{'app': '{project}'}}\n"
    )
    starts = "import __editable___app_1_finder; __editable___app_1_finder.install()"
    first, second = environment.site / "__editable__.app-1.pth", environment.site / "app.pth"
    environment.write(first, starts)
    environment.write(second, f"# by hand\n{project}/src\n")
    assert watch.moved(is_base=False) == ()
    assert watch.check() == (f"the project was installed again: {first}, {second}",)
    environment.write(first, f"{starts}; import evil\n")
    with pytest.raises(SupplyError):
        watch.check()


@pytest.mark.parametrize(
    "text",
    [
        "/elsewhere\n",
        "import evil\n",
        "import\tevil\n",
        "import __editable___a_finder; __editable___a_finder.install()\n",
    ],
)
def test_what_leads_elsewhere_is_no_editable_install(environment, text):
    watch = environment.watch()
    environment.write(environment.site / "new.pth", f"{environment.root}/project\n{text}")
    with pytest.raises(SupplyError):
        watch.check()
