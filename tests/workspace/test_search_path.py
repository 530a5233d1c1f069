"""Which folders of PATH evaluators look for programs in."""

import os
from pathlib import Path

import pytest

from loopctl.workspace.search_path import Places, search_path


@pytest.fixture
def places(tmp_path):
    return Places(
        tmp_path / "state", (tmp_path / "checkout", tmp_path / "tmp"), (tmp_path / "checkout/env",)
    )


def folder(tmp_path, name: str, *programs: str) -> str:
    place = tmp_path / name
    place.mkdir(parents=True, exist_ok=True)
    for program in programs:
        (place / program).touch(mode=0o755)
    return str(place)


def test_entries_of_the_system_stay_and_relative_ones_go(tmp_path, places):
    own = folder(tmp_path, "home/bin", "tool")
    path = search_path(f"bin::.:{own}:/usr/bin:../up", ("tool",), places)
    assert (path.value, path.left_out) == (f"{own}:/usr/bin", ())


@pytest.mark.parametrize("name", ["checkout/bin", "tmp/bin", "tmp", "state/projects/p/x/bin"])
def test_a_folder_that_others_write_to_goes(tmp_path, places, name):
    other = folder(tmp_path, name, "tool")
    link = tmp_path / "link"
    link.symlink_to(other)
    path = search_path(f"{other}:{link}:/usr/bin", ("another",), places)
    assert (path.value, path.left_out) == ("/usr/bin", (other, str(link)))


def test_it_stays_where_the_user_means_it(tmp_path, places):
    used = folder(tmp_path, "checkout/tools", "tool")
    shared = folder(tmp_path, "checkout/env/bin")
    node = folder(tmp_path, "checkout/web/node_modules/.bin")
    active = folder(tmp_path, "checkout/.venv/bin")
    Path(active).parent.joinpath("pyvenv.cfg").touch()
    entries = os.pathsep.join((used, shared, node, active))
    assert search_path(entries, ("tool",), places).value == entries


def test_ours_never_stays(tmp_path, places):
    ours = folder(tmp_path, "state/projects/p/worktrees/w/.venv/bin", "tool")
    Path(ours).parent.joinpath("pyvenv.cfg").touch()
    assert search_path(ours, ("tool",), places).value == ""
