"""Hold-out, confirmation and containers: from options and files to what a loop is made of."""

import os
import subprocess
from pathlib import Path

import pytest
from invocation import GIT

from loopctl.bootstrap.doctor.programs import Surroundings
from loopctl.bootstrap.doubting import container_warnings
from loopctl.bootstrap.holding_out import frozen_holdout
from loopctl.bootstrap.request import check_request, holdout_specs
from loopctl.cli.settings import load_settings
from loopctl.cli.start_request import start_request
from loopctl.domain.protection import Protection
from loopctl.errors import UsageError
from loopctl.git.repository import discover
from loopctl.workspace.holdout_digest import digest_of


@pytest.fixture
def held(repository):
    folder = repository.parent / "held"
    (folder / "tests").mkdir(parents=True)
    (folder / "accept.sh").write_text("exit 0\n")
    return folder


def asked(repository, **flags):
    flags = {"stop": ["./check.sh"], **flags}
    return start_request("goal", repository, load_settings(flags, repository))


def frozen(request, *, known=(), protection=None):
    user = discover(request.folder)
    where = Surroundings(
        top=user.top_level,
        known=frozenset(known),
        protection=protection or Protection(),
        share=(),
        setup="",
        path="/usr/bin:/bin",
    )
    return frozen_holdout(request, user, where, os.environ)


def test_nothing_is_held_out_by_default(repository):
    request = asked(repository)
    assert (request.holdout, request.confirm, request.allow_new_tests) == (None, 1, False)
    assert frozen(request) is None
    assert holdout_specs(request) == ()


def test_a_folder_and_commands_are_frozen_under_names_that_tell_nothing(repository, held):
    commands = ["sh accept.sh", "test -e a.txt"]
    holdout = frozen(asked(repository, holdout="../held", holdout_stop=commands))
    assert holdout.folder == os.path.realpath(held)
    assert holdout.digest == digest_of(held)
    assert [spec.name for spec in holdout.evaluators] == ["holdout-1", "holdout-2"]
    assert [spec.criteria.name for spec in holdout.evaluators] == ["hold-out 1", "hold-out 2"]
    assert [spec.executor.command for spec in holdout.evaluators] == commands


def test_a_folder_alone_runs_the_stop_commands_with_it(repository, held):
    flags = {"stop": ["./check.sh", "make"], "results": ["none", "r.xml"], "holdout": str(held)}
    request = asked(repository, **flags)
    executors = [spec.executor for spec in frozen(request).evaluators]
    assert [(each.command, each.results) for each in executors] == [
        ("./check.sh", "none"),
        ("make", "r.xml"),
    ]


def test_a_folder_that_a_file_names_is_meant_from_there(repository):
    (repository / "loopctl.toml").write_text("holdout = '../held'\n")
    inner = repository / "a"
    inner.mkdir()
    assert load_settings({}, inner).holdout == "../../held"
    assert load_settings({"holdout": "~/held"}, inner).holdout == f"{os.environ['HOME']}/held"


@pytest.mark.parametrize(
    "line", ["holdout = '../held'", '[tool.loopctl]\n"holdout-stop" = ["true"]']
)
def test_what_an_agent_gets_does_not_say_where_it_is(line, repository, held):
    """The worktree has every file of the base commit, and the configuration is one."""
    name = "pyproject.toml" if "tool" in line else "loopctl.toml"
    (repository / name).write_text(f"{line}\n")
    request = asked(repository, holdout=str(held))
    assert frozen(request)  # it is not committed
    for arguments in (["add", "."], ["commit", "-q", "-m", "told"]):
        subprocess.run([*GIT, *arguments], cwd=repository, check=True)
    with pytest.raises(UsageError, match=f"{name} of the base commit"):
        frozen(request)


def _inside(repository, held):
    held.rename(repository / "held")
    return repository / "held"


def _around(repository, _):
    return repository.parent


def _state(_, held):
    home = Path(os.environ["LOOPCTL_HOME"])
    home.mkdir(mode=0o700)
    held.rename(home / "held")
    return home / "held"


def _by_a_link(repository, held):
    held.rename(repository / "held")
    held.symlink_to(repository / "held")
    return held


@pytest.mark.parametrize("place", [_inside, _around, _state, _by_a_link])
def test_it_lies_where_no_agent_works(place, repository, held):
    folder = place(repository, held)
    with pytest.raises(UsageError, match="cannot be used") as refused:
        frozen(asked(repository, holdout=str(folder)))
    assert "it lies in" in refused.value.why or "it holds" in refused.value.why


def test_an_empty_folder_is_refused(repository, held):
    (held / "accept.sh").unlink()
    with pytest.raises(UsageError, match="cannot be used") as refused:
        frozen(asked(repository, holdout=str(held)))
    assert "no file" in refused.value.why


@pytest.mark.parametrize("command", ["tools/accept", "no-such-program", "./missing.sh -v"])
def test_its_program_is_there(command, repository):
    with pytest.raises(UsageError, match="was not found"):
        frozen(asked(repository, holdout_stop=[command]))


@pytest.mark.parametrize("command", ["./accept.sh", "sh accept.sh", "test -e a.txt", "cd x; ls"])
def test_its_program_may_be_in_the_folder_or_on_the_path(command, repository, held):
    assert frozen(asked(repository, holdout=str(held), holdout_stop=[command]))


def test_a_script_of_the_repository_is_the_agents_to_change_unless_it_is_protected(repository):
    request = asked(repository, holdout_stop=["sh tools/accept.sh"])
    with pytest.raises(UsageError, match=r"tools/accept\.sh, which the agent could change"):
        frozen(request, known=["tools/accept.sh"])
    protection = Protection(patterns=("tools/**",))
    assert frozen(request, known=["tools/accept.sh"], protection=protection)


def test_containers(repository):
    (repository / "loopctl.toml").write_text(
        "[container]\nread = ['/usr', '~']\nmemory = '2G'\nprocesses = 64\n"
        "file_size = '10M'\ncpu = '1m30s'\n"
    )
    (repository.parent / "user").mkdir()
    request = asked(repository, container_network=True)
    settings = request.container
    assert settings.network
    assert settings.read == ("/usr", os.environ["HOME"])
    limits = settings.limits
    assert (limits.memory_bytes, limits.processes) == (2 * 2**30, 64)
    assert (limits.file_bytes, limits.cpu_s) == (10 * 2**20, 90)
    check_request(request)
    (told,) = container_warnings(request)
    assert "no evaluator runs in one" in told


@pytest.mark.parametrize(("path", "said"), [("usr", "'usr'"), ("/nowhere/at/all", "not there")])
def test_what_containers_cannot_read(path, said, repository, monkeypatch):
    monkeypatch.setenv("LOOPCTL_CONTAINER_READ", path)
    with pytest.raises(UsageError, match=said):
        check_request(asked(repository))


@pytest.mark.parametrize("size", ["", "x", "0", "-1M", "1.5.M", "M"])
def test_sizes_that_mean_nothing(size, repository):
    (repository / "loopctl.toml").write_text(f"[container]\nmemory = '{size}'\n")
    with pytest.raises(UsageError, match="container-memory in"):
        load_settings({}, repository)


def test_confirmation_and_new_tests(repository):
    request = asked(repository, confirm="3", allow_new_tests=True)
    assert (request.confirm, request.allow_new_tests) == (3, True)


def test_the_doctor_says_what_else_has_to_pass(repository, held, typed):
    options = ("--stop", "test -e done", "--agent", "cmd:true")
    said = typed("doctor", *options, "--holdout", "../held", "--confirm", "2", "--allow-new-tests")
    assert "hold-out    the files of ../held and the stop commands" in said
    assert "everything has to pass 2 times" in said
    assert "test files that the agent adds are run as well" in said
    refused = typed("doctor", *options, "--holdout", ".", "--container-network")
    assert "refusal: the hold-out folder" in refused
    assert "network on" in refused
    assert "warning: what is said about containers has no effect" in refused


def test_a_hold_out_command_with_substitutions_is_not_guessed_at(repository):
    command = 'test "$(python3 -c "import calc; print(calc.double(7))")" = 14'
    assert frozen(asked(repository, holdout_stop=[command]))
