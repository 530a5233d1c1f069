"""The seal of what was asked for: another specification breaks it, and nothing that agents say."""

from loopctl.git.spec_seal import SpecSeal


def sealed(loop, digest="d1"):
    return SpecSeal(loop.project, "abc", digest)


def test_a_seal_holds_for_what_was_sealed_alone(loop):
    assert not sealed(loop).is_broken()  # a loop of an earlier version has none
    sealed(loop).leave()
    sealed(loop, "d2").leave()  # what was sealed once is not sealed anew
    assert not sealed(loop).is_broken()
    assert sealed(loop, "d2").is_broken()


def test_the_snapshots_are_sealed_too(loop):
    message = f"loopctl: demo, round 1\n\n{sealed(loop).trailer}"
    commit = loop.project.write_commit(loop.project.empty_tree, (), message, 1)
    loop.project.swap_ref("refs/loopctl/abc/rounds/1", commit, None)
    assert sealed(loop, "d2").is_broken()


def test_a_commit_of_the_agent_breaks_no_seal(loop):
    sealed(loop).leave()
    message = f"work\n\n{sealed(loop, 'forged').trailer}"
    commit = loop.project.write_commit(loop.project.empty_tree, (), message, 1)
    loop.project.swap_ref("refs/loopctl/abc/agent/1", commit, None)
    assert not sealed(loop).is_broken()
