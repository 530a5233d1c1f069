"""Programs that come into the folders of PATH while a loop runs."""

from pathlib import Path

import pytest

from loopctl.domain.tool import Workbench
from loopctl.errors import SupplyError
from loopctl.workspace.base_writes import BaseWrites
from loopctl.workspace.path_watch import PathWatch
from loopctl.workspace.resolved_tools import resolve_tools
from loopctl.workspace.tool_watch import ToolWatch


def program(place: Path, name: str, text: str = "#!/bin/sh\n") -> str:
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_text(text)
    (place / name).chmod(0o755)
    return str(place / name)


@pytest.fixture
def folders(tmp_path):
    program(tmp_path / "first", "own")
    program(tmp_path / "second", "cmp")
    return tmp_path / "first", tmp_path / "second"


def test_a_program_that_hides_another_is_seen(folders):
    first, second = folders
    watch = PathWatch(f"{first}:{second}")
    assert watch.look().hidden == {}
    (first / "notes").write_text("no program")
    program(second, "own")
    assert watch.look().hidden == {}
    shim = program(first, "cmp")
    assert watch.look().hidden == {str(second / "cmp"): shim}


def test_new_and_replaced_programs_are_told(folders):
    first, second = folders
    watch = PathWatch(f"{first}:{second}:/usr/bin:/nonexistent")
    new = program(second, "another")
    changed = program(first, "own", "#!/bin/sh\nexit 0\n")
    assert watch.look().others == (changed, new)
    assert watch.accept() == (changed, new)
    assert watch.look().others == ()


def test_what_hides_another_gives_no_verdict(folders, tmp_path):
    first, second = folders
    bench = Workbench(variables=(("PATH", f"{first}:{second}"),))
    watch = ToolWatch(bench, BaseWrites(tmp_path / "writes"), tmp_path / "kept")
    program(first, "fresh")
    assert watch.check() == (f"new on PATH: {first / 'fresh'}",)
    program(first, "cmp")
    with pytest.raises(SupplyError, match="on PATH since the loop began"):
        watch.check()


def test_what_judging_the_base_commit_installs_may_come_again(folders, tmp_path):
    first, second = folders
    bench = Workbench(variables=(("PATH", f"{first}:{second}"),))
    watch = ToolWatch(bench, BaseWrites(tmp_path / "writes"), tmp_path / "kept")
    program(first, "cmp")
    watch.moved(is_base=True)
    program(first, "cmp", "#!/bin/sh\nexit 1\n")
    assert watch.check() == ()


def test_an_outside_script_is_watched_with_the_files_that_it_names(tmp_path):
    ci = tmp_path / "ci"
    check = program(
        ci, "check.sh", 'HERE=$(dirname "$0")\nsh "$HERE/inner.sh" | cmp - $HERE/want\n'
    )
    program(ci, "inner.sh", 'python3 "$(dirname "$0")/judge.py"\n')
    program(ci, "judge.py", "import helper\nfrom rules import strict\n")
    for name in ("want", "helper.py", "rules/__init__.py", "unnamed.py"):
        (ci / name).parent.mkdir(exist_ok=True)
        (ci / name).write_text("1\n")
    found = {each.name for each in resolve_tools((check,), (), "/usr/bin:/bin")}
    named = {Path(name).relative_to(ci).as_posix() for name in found if name.startswith(str(ci))}
    assert named == {"check.sh", "inner.sh", "judge.py", "want", "helper.py", "rules/__init__.py"}
