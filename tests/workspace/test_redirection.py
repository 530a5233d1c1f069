"""Programs are led to the place where they run, or it is said why they cannot be."""

from pathlib import Path

import pytest
from editable_world import Environment

from loopctl.errors import SupplyError
from loopctl.workspace.editable_installs import spellings
from loopctl.workspace.interpreters import Commands
from loopctl.workspace.redirection import Redirection

TELL = """
import importlib, sys
for name in {names!r}:
    try:
        module = importlib.import_module(name)
        print(name, module.__file__ or sorted(module.__path__))
    except ImportError:
        print(name, "is not there")
print([path for path in sys.path if path.startswith({top!r})])
print("hidden" in sys.modules, sys.modules["sitecustomize"].__file__)
"""


@pytest.fixture
def environment(tmp_path) -> Environment:
    return Environment(tmp_path / "venv")


@pytest.fixture
def repo(tmp_path) -> Path:
    for root in ("repo", "place"):
        for package in ("src/product", "flat", "odd/renamed", "exact", "src/space/part"):
            (tmp_path / root / package).mkdir(parents=True)
            if package != "src/space/part":
                (tmp_path / root / package / "__init__.py").write_text("")
    (tmp_path / "repo" / "src" / "deleted.py").write_text("")
    (tmp_path / "repo" / "src" / "space" / "gone.py").write_text("")
    (tmp_path / "place" / "src" / "added.py").write_text("")
    return tmp_path / "repo"


def redirection(repo: Path, *shell: str, scripts=()) -> Redirection:
    return Redirection(spellings([repo]), Commands(shell, scripts))


@pytest.mark.parametrize("folder", ["venv", "repo/.venv"])
def test_every_kind_imports_from_the_place(repo, tmp_path, folder):
    """Whether the environment itself lies in the user's checkout or not."""
    environment = Environment(tmp_path / folder)
    environment.add_path("product", repo / "src")
    environment.add_finder("flat", repo / "flat")
    environment.add_finder("mapped", repo / "odd" / "renamed")
    environment.add_redirector("exact", repo / "exact" / "__init__.py")
    environment.write("after.pth", f"{tmp_path}\n")
    environment.write("sitecustomize.py", "import sys\nsys.modules['hidden'] = sys\n")
    place = tmp_path / "place"
    names = ["product", "flat", "mapped", "exact", "space.part", "added", "deleted", "space.gone"]
    user = {"PATH": str(environment.bin), "PYTHONPATH": str(repo)}
    led = redirection(repo).lead(user, place, tmp_path / "loop")
    code = TELL.format(names=names, top=str(tmp_path))
    lines = environment.run(code, led.variables, tmp_path).splitlines()
    assert lines == [
        f"product {place}/src/product/__init__.py",
        f"flat {place}/flat/__init__.py",
        f"mapped {place}/odd/renamed/__init__.py",
        f"exact {place}/exact/__init__.py",
        f"space.part ['{place}/src/space/part']",
        f"added {place}/src/added.py",
        "deleted is not there",
        "space.gone is not there",
        repr([str(place), str(environment.site), str(tmp_path), f"{place}/src"]),
        f"True {environment.site}/sitecustomize.py",
    ]
    assert led.told[0] == "redirected to the loop's own files: PYTHONPATH, the root"
    assert f"{environment.site}/product.pth leads to src" in " ".join(led.told)


def test_nothing_changes_where_nothing_leads_to_the_project(environment, repo, tmp_path):
    user = {"PATH": str(environment.bin), "PYTHONPATH": "/x:rel:", "NODE_PATH": ""}
    led = redirection(repo).lead(user, tmp_path / "place", tmp_path / "loop")
    assert (led.variables, led.told, led.pointers) == (user, (), ())
    assert not (tmp_path / "loop").exists()


def test_search_paths_are_led_there_and_other_variables_are_not(repo, tmp_path):
    user = {
        "NODE_PATH": f"/x:{repo}/lib:{repo}2",
        "PYTHONPATH": str(repo / "src"),
        "OTHER": str(repo),
    }
    led = redirection(repo).lead(user, tmp_path / "place", tmp_path / "loop")
    assert led.variables == {
        "NODE_PATH": f"/x:{tmp_path}/place/lib:{repo}2",
        "PYTHONPATH": f"{tmp_path}/place/src",
        "OTHER": str(repo),
    }
    assert led.told == (
        "redirected to the loop's own files: PYTHONPATH, src",
        "redirected to the loop's own files: NODE_PATH, lib",
    )


def test_an_obstacle_is_refused_for_a_verdict_and_left_for_an_agent(environment, repo, tmp_path):
    environment.add_path("product", repo / "src")
    file = environment.add_loader("compiled", repo / "build")
    user = {"PATH": str(environment.bin)}
    with pytest.raises(SupplyError, match="cannot be redirected") as refused:
        redirection(repo).lead(user, tmp_path / "place", tmp_path / "loop")
    assert str(file) in refused.value.message
    assert "--stop" in refused.value.next_step
    led = redirection(repo).lead_if_possible(user, tmp_path / "place", tmp_path / "loop")
    assert led.variables["PYTHONPATH"] == f"{tmp_path}/loop/imports"
    assert len(led.told) == 1


@pytest.mark.parametrize(
    "command",
    [
        "python -I -m pytest",
        "python3.11 -uE x.py",
        "python -B -S x.py",
        "PYTHONPATH=src pytest",
        "export PYTHONPATH='src'; pytest",
        "unset PYTHONPATH; pytest",
        "env -i PATH=$PATH pytest",
    ],
)
def test_a_command_that_puts_the_hook_aside_is_refused(environment, repo, tmp_path, command):
    user = {"PATH": str(environment.bin)}
    for each in (redirection(repo, command), redirection(repo, "make", scripts=(command,))):
        each.lead(user, tmp_path / "place", tmp_path / "loop")
    environment.add_path("product", repo / "src")
    for each in (redirection(repo, command), redirection(repo, "make", scripts=(command,))):
        with pytest.raises(SupplyError) as refused:
            each.lead(user, tmp_path / "place", tmp_path / "loop")
        assert "puts aside" in refused.value.why


@pytest.mark.parametrize(
    "command",
    [
        "python -m pytest -I -S -E",
        "PYTHONPATH=src:$PYTHONPATH pytest",
        'PYTHONPATH="${PYTHONPATH}:src" pytest',
        "PYTHONPATH += :src",
        "MYPYPATH=src mypy .",
        "python -c 'import this' -I",
        "python -Werror -m pytest",
    ],
)
def test_a_command_that_keeps_the_hook_is_none_of_that(environment, repo, tmp_path, command):
    environment.add_path("product", repo / "src")
    user = {"PATH": str(environment.bin)}
    assert redirection(repo, command).lead(user, tmp_path / "place", tmp_path / "loop").pointers


def test_a_hook_that_was_changed_is_written_again(environment, repo, tmp_path):
    environment.add_path("product", repo / "src")
    user, place = {"PATH": str(environment.bin)}, tmp_path / "place"
    hook = tmp_path / "loop" / "imports" / "sitecustomize.py"
    redirection(repo).lead(user, place, tmp_path / "loop")
    written = hook.read_bytes()
    hook.write_text("raise SystemExit")
    redirection(repo).lead(user, place, tmp_path / "loop")
    assert hook.read_bytes() == written
