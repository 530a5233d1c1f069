from workspace_world import git, make_repository

from loopctl.git.repository import discover
from loopctl.workspace.project import project_id


def test_all_checkouts_of_a_repository_are_one_project(repository, tmp_path):
    git(repository, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "other")
    (tmp_path / "alias").symlink_to(repository)
    other = make_repository(tmp_path / "another")
    ids = [project_id(discover(top)) for top in (repository, tmp_path / "linked")]
    ids += [project_id(discover(tmp_path / "alias")), project_id(discover(repository / "tests"))]
    assert len(set(ids)) == 1
    assert len(ids[0]) == 16
    assert int(ids[0], 16) >= 0
    assert project_id(discover(other)) != ids[0]
