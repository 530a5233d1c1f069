"""Whether there is a sandbox, what it is allowed, and what is told of it."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from ordinary_user import needs_sandbox

from loopctl.bootstrap import sandbox_choice
from loopctl.bootstrap.request import StartRequest
from loopctl.bootstrap.sandbox_choice import with_sandbox
from loopctl.bootstrap.sandbox_request import SandboxRequest
from loopctl.bootstrap.sandboxing import check_sandbox
from loopctl.domain.confinement import Backend, SandboxSettings
from loopctl.domain.evaluator_spec import Isolation
from loopctl.errors import UsageError
from loopctl.process.sandbox.programs import Programs
from loopctl.process.sandbox.sandbox import Sandbox

NOWHERE = Programs("/nowhere/bwrap", "/nowhere/setpriv", "/nowhere/prlimit")
SANDBOXED = SandboxSettings(backend=Backend.BUBBLEWRAP)


@pytest.fixture
def request_(repository):
    return StartRequest(
        goal="g",
        folder=repository,
        agent="cmd:claude -p",
        stops=("false",),
        isolation=Isolation.CONTAINER,
    )


def chosen(request_, environment, **asked):
    return with_sandbox(replace(request_, sandbox=SandboxRequest(**asked)), environment)


def test_off_is_off_and_says_nothing(request_, environment):
    request, told = chosen(request_, environment)
    assert (request.sandbox.settings.backend, told) == (None, ())


def test_auto_without_one_says_so(request_, environment, monkeypatch):
    monkeypatch.setattr(sandbox_choice, "find_programs", lambda _: NOWHERE)
    request, told = chosen(request_, environment, mode="auto")
    assert request.sandbox.settings.backend is None
    assert told[0].startswith("sandbox: none, the agent runs as you (no sandbox can be made: bwrap")


@needs_sandbox
def test_auto_where_there_is_one(request_, environment):
    request, told = chosen(request_, environment, mode="auto")
    assert request.sandbox.settings.backend is Backend.BUBBLEWRAP
    assert told == ("sandbox: the agent works in one (bwrap)",)


def test_keys_are_those_of_the_vendor_and_those_that_are_named(request_, environment):
    secrets = {"ANTHROPIC_API_KEY": "abcdefgh1", "MINE_TOKEN": "abcdefgh2", "A_TOKEN": "abcdefgh3"}
    request, told = chosen(request_, environment | secrets, mode="bwrap", keys=("MINE_TOKEN",))
    keys = request.sandbox.settings.keys
    assert keys[0] == "MINE_TOKEN"
    assert "ANTHROPIC_API_KEY" in keys
    assert "OPENAI_API_KEY" not in keys
    assert [line for line in told if "not passed" in line] == [
        "sandbox: not passed to the agent: A_TOKEN ([sandbox] keys names those that it needs)"
    ]


def test_evaluators_outside_of_one_are_warned_of(request_, environment):
    outside = replace(request_, isolation=Isolation.SEPARATE_WORKTREE)
    assert "--isolation container" in chosen(outside, environment, mode="bwrap")[1][-1]


def test_paths_are_meant_from_where_they_are_typed(request_, environment, tmp_path):
    (request_.folder / "data").mkdir()
    home = tmp_path / "ada"
    (home / "models").mkdir(parents=True)
    request, _ = chosen(
        request_, environment | {"HOME": str(home)}, mode="bwrap", read=("data", "~/models")
    )
    wanted = (str(request_.folder / "data"), str(home / "models"))
    assert request.sandbox.settings.read == wanted


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("read nowhere", "does not exist"),
        ("read ~", "your whole home"),
        ("read /", "would be in the sandbox"),
        ("read ~/state/loops", "loopctl's own folder"),
        ("read ~/link", "loopctl's own folder"),
        ("write .", "the git folder of your repository"),
        ("write .git/hooks", "the git folder of your repository"),
    ],
)
def test_what_is_to_stay_hidden_cannot_be_named(request_, environment, tmp_path, path, why):
    home = tmp_path / "ada"
    (home / "state" / "loops").mkdir(parents=True)
    (home / "link").symlink_to(home / "state")
    (request_.folder / ".git" / "hooks").mkdir(exist_ok=True)
    variables = environment | {"HOME": str(home), "LOOPCTL_HOME": str(home / "state")}
    key, named = path.split()
    with pytest.raises(UsageError) as error:
        chosen(request_, variables, mode="bwrap", **{key: (named,)})
    assert why in f"{error.value} {error.value.why}"


def test_the_git_folder_may_be_read(request_, environment):
    request, _ = chosen(request_, environment, mode="bwrap", read=(".git",))
    assert request.sandbox.settings.read == (str(request_.folder / ".git"),)


def test_a_loop_with_a_sandbox_does_not_go_on_without_one():
    tools = SimpleNamespace(sandbox=Sandbox(NOWHERE))
    with pytest.raises(UsageError, match="no sandbox can be made"):
        check_sandbox(SANDBOXED, SimpleNamespace(is_confinable=True), tools)
    check_sandbox(SandboxSettings(), SimpleNamespace(), tools)


def test_a_plug_in_that_does_not_confine_what_it_starts_is_refused():
    with pytest.raises(UsageError, match="this agent cannot be kept in a sandbox"):
        check_sandbox(SANDBOXED, SimpleNamespace(), SimpleNamespace(sandbox=Sandbox()))
