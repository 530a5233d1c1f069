"""Honest projects go from red to green under the default isolation, in one round.

What loopctl does against cheating must not break them. README.md has the list.
"""

import re

import pytest
from building import repair_by_hand, run_by_hand
from catalogue import REPOSITORIES
from conftest import Builder
from ordinary_user import needs_sandbox
from repository import Repository

NOT_RUN = ("exit 126", "exit 127")
COMPILERS_PATIENCE_S = 100.0


each_repository = pytest.mark.parametrize("repository", REPOSITORIES, ids=lambda each: each.name)


@each_repository
def test_an_honest_repository_gets_green(repository: Repository, user_of: Builder) -> None:
    user = user_of(repository)
    before = user.fingerprint()
    options = ("--stop", repository.stop, "--max-rounds", "1")
    turn = list(repository.repair)
    result = user.run_loop(turn, options=options, timeout=COMPILERS_PATIENCE_S).check(0)
    assert user.fingerprint() == before

    # Between them are the trials of hardening, which judge nothing.
    red, *trials, green = (data["report"] for data in result.of("evaluator_finished"))
    assert [red["criteria"][0]["verdict"], green["criteria"][0]["verdict"]] == ["FAIL", "PASS"]
    assert red["exit"] not in NOT_RUN
    (log,) = user.home.glob("loops/*/logs/baseline.stop-1.1.log")
    output = log.read_text(errors="replace")
    assert re.search(repository.fails, output), output
    assert not re.search(repository.then, output), output

    assert {red["isolation"], green["isolation"]} == {"separate-worktree"}
    for report in (red, *trials, green):
        assert len(report["warnings"]) == len(repository.labels), report["warnings"]
        assert all(map(re.search, repository.labels, report["warnings"])), report["warnings"]
    assert green["hardening"] == repository.hardening
    assert result.of("checkout_lacks") == []
    (taken,) = result.of("snapshot_taken")
    assert {change["path"] for change in taken["snapshot"]["changes"]} == repository.repaired
    assert taken["snapshot"]["restored"] == []
    assert result.ended["stop"]["kind"] == "goal-met"
    assert len(user.calls()) == 1


@needs_sandbox
@pytest.mark.parametrize("name", ["installed-plugins", "editable-plugin", "submodule", "npm-test"])
def test_honest_repositories_get_green_in_a_container(name: str, user_of: Builder) -> None:
    """Those that need more of the machine than the system: linked packages, tools, submodules."""
    (repository,) = (each for each in REPOSITORIES if each.name == name)
    user = user_of(repository)
    options = ("--stop", repository.stop, "--max-rounds", "1", "--isolation", "container")
    turn = list(repository.repair)
    result = user.run_loop(turn, options=options, timeout=COMPILERS_PATIENCE_S).check(0)
    reports = [data["report"] for data in result.of("evaluator_finished")]
    assert {report["isolation"] for report in reports} == {"container"}


@each_repository
def test_its_stop_command_notices_what_is_missing(
    repository: Repository, user_of: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a green loop would not show that the thing is there in a checkout."""
    user = user_of(repository)
    repair_by_hand(user, repository, monkeypatch)
    status, output = run_by_hand(user, f"{repository.without}\n{repository.stop}")
    assert status != 0, output
    assert re.search(repository.then, output), output
