"""What is protected, from the base tree, the commands and the user's wish."""

import pytest
from workspace_world import World, git

from loopctl.domain.globs import matches_any
from loopctl.workspace.command_programs import names_of, programs_of
from loopctl.workspace.command_settings import settings_named_by
from loopctl.workspace.protection import build_protection


@pytest.mark.parametrize(
    ("command", "programs"),
    [
        ("./check.sh", ["check.sh"]),
        ("./check.sh --fast tests/x.py", ["check.sh"]),
        ("bash -eu check.sh", ["check.sh"]),
        ("python3.11 -W error tools/run_tests.py -v", ["tools/run_tests.py"]),
        ("cd ci && ./run.sh", ["ci/run.sh"]),
        ("cd ci/a; cd ..; ./run.sh", ["ci/run.sh"]),
        ("X=1 timeout 60 env Y=2 ./check.sh", ["check.sh"]),
        ("bash -ec 'cd ci && ./run.sh' && ./b", ["ci/run.sh", "b"]),
        ("set -e\n./a\n. ./b.sh", ["a", "b.sh"]),
        ("if ./a; then ./b; else sh c; fi", ["a", "b", "c"]),
        ("(./a | ./b) && ! ./c", ["a", "b", "c"]),
        ("bash < check.sh", ["check.sh"]),
        ("sort < data.txt", []),
        ("uv run ./check.py", ["check.py"]),
        ("node test/run.js", ["test/run.js"]),
        ("python -m pytest tests", []),
        ("python -c 'import x' a.py", []),
        ("mypy src/app.py", []),
        ("make test", []),
        ("./a 'open quote", ["a"]),
        ("", []),
    ],
)
def test_programs_of_a_command(command, programs):
    assert list(programs_of(command)) == programs


def test_names_that_a_command_looks_for_in_path():
    command = "CI=1 env tox -e py && ./a; (time make test | tee out) && cd x && pytest y"
    assert names_of(command) == ("tox", "make", "tee", "pytest")


def test_only_scripts_that_base_tracks_are_protected(world):
    built = build_protection(world.project, world.base, ("./check.sh; sh nothing.sh; bash tests",))
    assert built.covers("check.sh")
    assert not built.covers("nothing.sh")
    assert built.presets == ("python", "make")


def test_a_script_behind_links_is_protected_with_the_links(repository, tmp_path):
    (repository / "scripts").mkdir()
    (repository / "scripts" / "real.sh").write_text("exit 1\n")
    (repository / "scripts" / "run.sh").symlink_to("real.sh")
    (repository / "bin").symlink_to("scripts")
    (repository / "loop.sh").symlink_to("loop.sh")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "links")
    world = World(repository, tmp_path / "links", "links", commands=("bin/run.sh", "./loop.sh"))
    covered = {path for path in world.files(world.base) if world.spec.protection.covers(path)}
    assert {"bin", "scripts/run.sh", "scripts/real.sh", "loop.sh"} <= covered
    world.project.close()


def test_a_folder_is_protected_and_opened_with_what_is_below(world):
    built = build_protection(world.project, world.base, protect=("docs", "data/"), allow=("tests",))
    assert built.covers("docs/a/b.md")
    assert built.covers("data/x")
    assert not built.covers("docsy")
    assert not built.covers("tests/test_app.py")


def test_what_a_script_reads_in_is_protected_with_it(repository, tmp_path):
    files = {
        "ci/check.sh": '. ./common.sh\n. "$HERE/lib.sh"\nsource ci/more.sh\npython app.py\n',
        "common.sh": ". ci/deep.sh\n",
        "ci/lib.sh": "true\n",
        "ci/more.sh": "true\n",
        "ci/deep.sh": ". common.sh\n",
        "app.py": "print(1)\n",
    }
    for name, content in files.items():
        path = repository / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "scripts")
    world = World(repository, tmp_path / "sourced")
    built = build_protection(world.project, world.base, commands=("sh ci/check.sh",))
    world.project.close()
    assert [name for name in files if built.covers(name)] == [n for n in files if n.endswith(".sh")]


def test_where_dependencies_are_installed_nothing_is_committed_unless_base_does(world, repository):
    """What is planted there would be taken for the programs that run the tests."""
    (repository / "package.json").write_text("{}")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "both languages")
    built = build_protection(world.project, git(repository, "rev-parse", "HEAD"))
    planted = (".venv/bin/python", "a/node_modules/.bin/jest", "env/lib/site-packages/z.pth")
    assert [path for path in planted if not matches_any(path, built.installed)] == []
    (repository / "a" / "node_modules").mkdir(parents=True)
    (repository / "a" / "node_modules" / "kept.js").write_text("")
    git(repository, "add", "-Af")
    git(repository, "commit", "-q", "-m", "vendored")
    vendored = build_protection(world.project, git(repository, "rev-parse", "HEAD"))
    assert matches_any(".venv/bin/python", vendored.installed)
    assert not matches_any("a/node_modules/.bin/jest", vendored.installed)


def test_an_environment_whose_programs_run_is_one_unless_base_has_it(world, repository):
    commands = ("a/env/bin/python -m pytest", ". venv/bin/activate && pytest", "bin/check")
    assert build_protection(world.project, world.base, commands).installed[-2:] == (
        "a/env/**",
        "venv/**",
    )
    (repository / "venv").mkdir()
    (repository / "venv" / "__init__.py").write_text("")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "a package of this name")
    base = git(repository, "rev-parse", "HEAD")
    assert build_protection(world.project, base, commands).installed[-1:] == ("a/env/**",)


@pytest.mark.parametrize("command", ["make -C sub test", "cd sub && make test"])
def test_a_makefile_that_is_not_at_the_root_is_protected_when_make_is_run(world, command):
    git(world.top, "mv", "Makefile", "README")
    git(world.top, "commit", "-q", "-m", "none at the root")
    base = git(world.top, "rev-parse", "HEAD")
    assert build_protection(world.project, base, (command,)).covers("sub/Makefile")
    assert not build_protection(world.project, base, ("pytest",)).covers("sub/Makefile")


@pytest.mark.parametrize(
    ("command", "settings"),
    [
        ("pytest -c ci/fast.cfg -q", ["ci/fast.cfg"]),
        (
            "cd ci && python -m pytest --config-file=fast.cfg @args.txt",
            ["ci/fast.cfg", "ci/args.txt"],
        ),
        ("npx jest --config ci/unit.js; ruff check --config x.toml", ["ci/unit.js", "x.toml"]),
        ("make -f build/rules test", ["build/rules"]),
        ("gcc -c src/a.c && ./server --config app.toml && python -c 'x'", []),
        ("pytest -c", [""]),
    ],
)
def test_settings_that_a_command_names(command, settings):
    assert list(settings_named_by(command)) == [name or "." for name in settings]


def test_settings_that_a_command_names_are_protected(world):
    built = build_protection(world.project, world.base, ("pytest -c app.py",))
    assert built.covers("app.py")
    for command in ("pytest app.py", "ruff check --config pyproject.toml"):
        built = build_protection(world.project, world.base, (command,))
        assert not built.covers("app.py")
        assert not built.covers("pyproject.toml")


_RULES = """\
.PHONY: lint
lint:
\ttrue
check: verify
verify:
\tgrep -qx 42 answer.txt
result: answer.txt
\tcp answer.txt result
docs:
\tmake -C sub deep
"""


def test_names_of_targets_that_need_nothing_are_protected_where_nothing_has_them(world):
    (world.top / "Makefile").write_text(_RULES)
    (world.top / "sub").mkdir()
    (world.top / "sub" / "Makefile").write_text("deep:\n\ttrue\nother:\n\ttrue\n")
    git(world.top, "add", "-A")
    git(world.top, "commit", "-qm", "rules")
    base = git(world.top, "rev-parse", "HEAD").strip()

    built = build_protection(world.project, base, ("make check",))
    assert built.covers("verify")
    assert built.covers("verify/file")
    for free in ("check", "lint", "result", "docs", "docs/a.md", "sub/other"):
        assert not built.covers(free), free
    through = build_protection(world.project, base, ("make -k docs check",))
    assert through.covers("docs")
    assert through.covers("sub/deep")


def test_what_the_base_commit_has_under_the_name_of_a_target_stays_open(world):
    (world.top / "Makefile").write_text("docs:\n\ttrue\n")
    (world.top / "docs").mkdir()
    (world.top / "docs" / "a.md").write_text("a\n")
    git(world.top, "add", "-A")
    git(world.top, "commit", "-qm", "docs")
    base = git(world.top, "rev-parse", "HEAD").strip()

    built = build_protection(world.project, base, ("make docs",))
    assert not built.covers("docs/b.md")
