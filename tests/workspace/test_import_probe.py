"""The proof that nothing of the project is imported from the user's files."""

import asyncio
from pathlib import Path

import pytest
from editable_world import Environment

from loopctl.errors import SupplyError
from loopctl.process.guard_client import Guard
from loopctl.process.masking import Masker
from loopctl.process.toolbox import Toolbox
from loopctl.workspace.checkout_imports import CheckoutImports
from loopctl.workspace.editable_installs import Pointer, ProjectRoots, spellings
from loopctl.workspace.import_probe import ImportProbe, top_level_names
from loopctl.workspace.interpreters import Commands
from loopctl.workspace.redirection import Led, Redirection

HIDDEN_PATH = "import sys; sys.path.append('{0}' + '{1}')\n"


@pytest.fixture
def environment(tmp_path) -> Environment:
    return Environment(tmp_path / "venv")


@pytest.fixture
def repo(tmp_path) -> Path:
    for root in ("repo", "place"):
        write(tmp_path / root, "pyproject.toml", "src/product/__init__.py", "src/one.py")
    return tmp_path / "repo"


def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("raise SystemExit('it was run')\n")


def ask(environment, repo):
    async def asked():
        guard = await Guard.start()
        try:
            place = repo.parent / "place"
            empty = repo.parent / "empty"
            empty.mkdir(exist_ok=True)
            probe = ImportProbe(Toolbox(guard, Masker({})), Commands())
            roots = ProjectRoots.of(spellings([repo]), place)
            return await probe.ask({"PATH": str(environment.bin)}, roots, (), empty)
        finally:
            guard.close()

    return asyncio.run(asked())


def test_a_pointer_of_an_unknown_kind_is_noticed(environment, repo):
    """Its path is put together as the interpreter starts: nobody could read it."""
    assert ask(environment, repo) == ()
    text = str(repo / "src")
    environment.write("x.pth", HIDDEN_PATH.format(text[:8], text[8:]))
    with pytest.raises(SupplyError, match=r"imports one from .*not from the checkout"):
        ask(environment, repo)


def test_an_installed_copy_is_told(environment, repo):
    copy = environment.write("product/__init__.py", "")
    told = ask(environment, repo)
    assert told[0].startswith(f"a copy of product is installed: {copy} is imported unless")


def test_without_python_nothing_is_asked(repo, tmp_path):
    environment = Environment(tmp_path / "broken")
    for name in ("python", "python3"):
        (environment.bin / name).unlink()
        (environment.bin / name).write_text("#!/bin/sh\necho product zz; exit 3\n")
        (environment.bin / name).chmod(0o755)
    assert ask(environment, repo) == ()


def test_the_names_of_a_project(tmp_path):
    write(tmp_path, "flat/__init__.py", "tests/__init__.py", "setup.py", "conftest.py", "mod.py")
    write(tmp_path, "src/inner/__init__.py", "data/x.txt", "packages/a/src/deep/__init__.py")
    write(tmp_path, "no-name/__init__.py", "__main__.py")
    assert top_level_names(tmp_path) == ("inner", "flat", "mod")
    led = (Pointer(tmp_path / "x.pth", "packages/a/src"),)
    assert top_level_names(tmp_path, led) == ("inner", "flat", "mod", "deep")


def test_what_cannot_be_installed_has_no_names(tmp_path):
    write(tmp_path, "flat/__init__.py")
    assert top_level_names(tmp_path) == ()
    led = (Pointer(tmp_path / "x.pth", "flat/__init__.py"),)
    assert top_level_names(tmp_path, led) == ("flat",)


def test_it_is_asked_again_only_for_other_pointers(environment, repo, tmp_path):
    record = tmp_path / "asked"
    (environment.bin / "python").unlink()
    (environment.bin / "python3").unlink()
    (environment.bin / "python").write_text(f"#!/bin/sh\necho asked >> {record}\n")
    (environment.bin / "python").chmod(0o755)
    pointer = Pointer(Path("/copy-1/x.pth"), "src")
    same = Pointer(Path("/copy-2/x.pth"), "src")
    variables = {"PATH": f"{environment.bin}:/bin"}

    async def prove() -> list[int]:
        guard = await Guard.start()
        try:
            probe = ImportProbe(Toolbox(guard, Masker({})), Commands())
            imports = CheckoutImports(Redirection(frozenset()), probe)
            counts = []
            for pointers in ((), (), (pointer,), (same,), (pointer, same)):
                led = Led(variables, ("a",), pointers)
                assert await imports.proved(led, repo.parent / "place", tmp_path) == led
                counts.append(len(record.read_text().splitlines()))
            return counts
        finally:
            guard.close()

    assert asyncio.run(prove()) == [1, 1, 2, 2, 3]
