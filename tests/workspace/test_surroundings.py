"""What is put above the checkouts is no part of a verdict."""

import pytest

from loopctl.errors import SupplyError
from loopctl.workspace.surroundings import Surroundings


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "loops" / "1" / "checkouts"
    root.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / ".git").mkdir()
    return root


@pytest.mark.parametrize("above", [".", "..", "../.."])
@pytest.mark.parametrize("name", ["ruff.toml", "conftest.py", ".ignore", ".shellcheckrc"])
def test_what_appears_is_refused(root, above, name):
    surroundings = Surroundings(root, root)
    surroundings.check()
    (root / above / name).write_text("")
    with pytest.raises(SupplyError, match=name):
        surroundings.check()


@pytest.mark.parametrize("path", ["pyproject.toml", "node_modules/left-pad", ".cargo/config.toml"])
def test_what_was_there_may_stay_but_not_change(root, tmp_path, path):
    surroundings = Surroundings(root, root)
    (root / "work").mkdir()
    (tmp_path / ".git" / "index").write_text("the user's")
    (tmp_path / "notes.txt").write_text("the user's")
    surroundings.check()
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text("x = 1")
    with pytest.raises(SupplyError):
        surroundings.check()


@pytest.mark.parametrize("above", [".", "..", "../.."])
def test_in_folders_of_our_own_nothing_is_accepted(root, above):
    """A restart comes after the agent."""
    home = root.parent.parent
    Surroundings(root, home).check()
    (root / above / "pytest.ini").write_text("")
    with pytest.raises(SupplyError):
        Surroundings(root, home).check()


def test_a_link_in_place_of_a_folder_is_another(root, tmp_path):
    surroundings = Surroundings(root, root)
    (tmp_path / "node_modules").rename(tmp_path / "moved")
    (tmp_path / "node_modules").symlink_to("moved")
    with pytest.raises(SupplyError, match="node_modules"):
        surroundings.check()
