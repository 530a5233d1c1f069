"""What is given to the user id of programs in a sandbox, and what stays ours."""

import os

import pytest

from loopctl.process.sandbox.owner import UNPRIVILEGED
from loopctl.workspace.ownership import give


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands anything over")
def test_links_are_handed_over_and_not_followed(tmp_path):
    mine = tmp_path / "mine"
    mine.write_text("")
    ours = tmp_path / "ours"
    (ours / "sub").mkdir(parents=True)
    (ours / "sub" / "link").symlink_to(mine)
    (ours / "away").symlink_to(tmp_path)
    give(UNPRIVILEGED, ours)
    assert mine.stat().st_uid == tmp_path.stat().st_uid == 0
    assert {each.lstat().st_uid for each in (ours, *ours.rglob("*"))} == {UNPRIVILEGED}
