"""The variables of an evaluator: new folders, the user's toolchains, what is named."""

from pathlib import Path

import pytest

from loopctl.domain.supplies import EvaluatorSupplies
from loopctl.workspace.checkout_environment import CheckoutEnvironment
from loopctl.workspace.shared_paths import redirected
from loopctl.workspace.toolchains import toolchain_homes


@pytest.fixture
def home(tmp_path) -> Path:
    for name in (".cargo", "go/pkg/mod", ".m2/repository", "jdk", "gone-not"):
        (tmp_path / "user" / name).mkdir(parents=True)
    return tmp_path / "user"


def test_homes_that_exist_are_passed_and_others_are_not(home):
    user = {"HOME": str(home), "JAVA_HOME": f"{home}/jdk", "GOROOT": f"{home}/gone"}
    assert toolchain_homes(user) == {
        "CARGO_HOME": f"{home}/.cargo",
        "JAVA_HOME": f"{home}/jdk",
        "GOMODCACHE": f"{home}/go/pkg/mod",
        "MAVEN_OPTS": f"-Dmaven.repo.local={home}/.m2/repository",
    }


def test_a_users_own_places_win_over_the_defaults(home):
    (home / "elsewhere" / "pkg" / "mod").mkdir(parents=True)
    user = {"HOME": str(home), "GOPATH": f"{home}/elsewhere:/x", "CARGO_HOME": f"{home}/jdk"}
    found = toolchain_homes(user)
    assert found["GOMODCACHE"] == f"{home}/elsewhere/pkg/mod"
    assert found["CARGO_HOME"] == f"{home}/jdk"


def test_a_user_without_a_home_has_none(tmp_path):
    assert toolchain_homes({}) == {}


def made(home, tmp_path, passed=(), cache=(), **user) -> dict[str, str]:
    supplies = EvaluatorSupplies(cache=cache, share=("env",))
    environment = {"HOME": str(home), "PATH": f"{tmp_path}/repo/env/bin:/bin", **user}
    factory = CheckoutEnvironment(
        environment, passed, {"COMPOSE_PROJECT_NAME": "loopctl-x"}, supplies, tmp_path / "repo"
    )
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    return factory.supplied(fresh, tmp_path / "tmp", tmp_path / "checkout")


def test_the_evaluators_home_is_new_and_its_shared_tools_are_its_own(home, tmp_path):
    variables = made(home, tmp_path, SECRET="s")
    assert variables["HOME"] == str(tmp_path / "fresh")
    assert variables["CARGO_HOME"] == f"{home}/.cargo"
    assert variables["COMPOSE_PROJECT_NAME"] == "loopctl-x"
    assert variables["PATH"] == f"{tmp_path}/checkout/env/bin:/bin"
    assert "SECRET" not in variables


def test_named_variables_and_families_win(home, tmp_path):
    variables = made(
        home,
        tmp_path,
        passed=("DOCKER_*", "COMPOSE_PROJECT_NAME", "CARGO_HOME"),
        DOCKER_HOST="unix:///x",
        COMPOSE_PROJECT_NAME="mine",
        CARGO_HOME="/my/own",
        OTHER="x",
    )
    assert variables["DOCKER_HOST"] == "unix:///x"
    assert (variables["COMPOSE_PROJECT_NAME"], variables["CARGO_HOME"]) == ("mine", "/my/own")
    assert "OTHER" not in variables


def test_a_family_that_is_not_named_is_not_passed(home, tmp_path):
    variables = made(home, tmp_path, DOCKER_HOST="unix:///x", COMPOSE_PROJECT_NAME="mine")
    assert "DOCKER_HOST" not in variables
    assert variables["COMPOSE_PROJECT_NAME"] == "loopctl-x"


def test_a_cache_below_home_is_found_at_the_same_place(home, tmp_path):
    variables = made(home, tmp_path, cache=("~/.cache/pip", "/var/cache/x"))
    (Path(variables["HOME"]) / ".cache" / "pip" / "file").write_text("x")
    assert (home / ".cache" / "pip" / "file").read_text() == "x"
    assert [each.name for each in Path(variables["HOME"]).iterdir()] == [".cache"]


def test_only_paths_inside_a_shared_folder_are_redirected():
    user = {"PATH": "/repo/env/bin:/repo/env2/bin:/repo:/bin", "VIRTUAL_ENV": "/repo/env", "X": "1"}
    assert redirected(user, Path("/repo"), Path("/new"), ("env",)) == {
        "PATH": "/new/env/bin:/repo/env2/bin:/repo:/bin",
        "VIRTUAL_ENV": "/new/env",
        "X": "1",
    }
    assert redirected(user, Path("/repo"), Path("/new"), ()) == user


def test_path_and_locale_are_those_of_the_start(tmp_path):
    now = {"PATH": "/later", "LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8", "TOKEN": "t"}
    frozen = {"PATH": "/start", "TZ": "UTC"}
    made = CheckoutEnvironment(now, ("TOKEN",), {}, EvaluatorSupplies(), tmp_path, frozen=frozen)
    variables = made.variables(tmp_path / "home", tmp_path / "tmp")
    assert (variables["PATH"], variables["TZ"], variables["TOKEN"]) == ("/start", "UTC", "t")
    assert not {"LANG", "LC_ALL"} & variables.keys()


def test_keys_that_were_named_are_told(tmp_path):
    user = {"OPENAI_API_KEY": "sk-0123456789", "CI": "true", "OTHER_TOKEN": "x" * 20}
    made = CheckoutEnvironment(user, ("OPENAI_*", "CI"), {}, EvaluatorSupplies(), tmp_path)
    assert made.labels() == ("passed by name: OPENAI_API_KEY",)
