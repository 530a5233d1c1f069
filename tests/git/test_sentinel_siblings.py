"""Two loops in one repository: what one puts back, the other does not bring back."""

import pytest
from git_world import git
from sentinel_world import Watched

from loopctl.git.sentinel.watch import Sentinel


@pytest.fixture
def watched(tmp_path):
    made = Watched(tmp_path)
    made.sentinel.begin()
    return made


def tamper(watched):
    """The first loop's agent does what acts later, in its turn."""
    hook = watched.git_dir / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\nevil\n")
    hook.chmod(0o755)
    watched.agent("config", "core.pager", "evil")
    return hook


def second(watched):
    """A loop that begins meanwhile; its state is beside that of the first one."""
    state = watched.state.with_name("other")
    state.mkdir()
    sentinel = Sentinel(
        watched.user_repository,
        watched.worktree,
        "loopctl/other",
        file=state / "index.sentinel",
        kept=state / "put-back",
    )
    sentinel.begin()
    return sentinel


def test_what_the_other_loop_has_put_back_stays_away(watched):
    hook = tamper(watched)
    other = second(watched)
    assert all(each.reverted for each in watched.compare())
    assert other.compare() == ()
    assert not hook.exists()
    assert "evil" not in (watched.git_dir / "config").read_text()


def test_what_else_becomes_of_it_is_said_and_left_alone(watched):
    hook = tamper(watched)
    other = second(watched)
    watched.user("config", "--unset", "core.pager")
    watched.user("config", "user.name", "Grace")
    hook.write_text("#!/bin/sh\nmine\n")
    found = {each.what: each for each in other.compare()}
    assert not any(each.reverted for each in found.values())
    assert "differed already" in found["hooks/pre-commit"].detail
    assert hook.read_text().endswith("mine\n")
    assert git(watched.top, "config", "user.name") == "Grace"


def test_what_both_had_seen_alike_is_put_back_as_ever(watched):
    other = second(watched)
    hook = tamper(watched)
    assert all(each.reverted for each in other.compare())
    assert not hook.exists()
    assert watched.compare() == ()
