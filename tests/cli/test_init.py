"""``loopctl init``: what is written, what is refused, and that it is read back."""

import json
import subprocess
import tomllib

import pytest
from invocation import GIT

from loopctl.cli.settings import load_settings


@pytest.fixture
def commit(repository):
    """Commits files, and makes folders that are ignored, in the repository."""

    def run(files, ignored=()):
        files = {**files, ".gitignore": "".join(f"{folder}/\n" for folder in ignored)}
        for name, text in files.items():
            path = repository / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for arguments in (["add", "-A"], ["commit", "-q", "-m", "files"]):
            subprocess.run([*GIT, *arguments], cwd=repository, check=True)
        for folder in ignored:
            (repository / folder).mkdir(parents=True)
            (repository / folder / "pyvenv.cfg").write_text("")
        return repository

    return run


def written(repository):
    return (repository / "loopctl.toml").read_text()


REPOSITORIES = {
    "nothing": ({}, ()),
    "python": ({"a.py": "", "tests/test_a.py": "import pytest\n", "requirements.txt": "x"}, ()),
    "python with an environment": ({"conftest.py": "", "goldens/a": ""}, (".venv",)),
    "version from git": ({"pyproject.toml": '[build-system]\nrequires = ["hatch-vcs"]\n'}, ()),
    "node": ({"package.json": '{"scripts": {"test": "a \\"b\\" \\\\ \\u007f \\n# x"}}'}, ()),
    "node with packages": ({"package.json": '{"scripts": {"test": "x"}}'}, ("node_modules",)),
    "make": ({"Makefile": "test:\n\tsh ci/it's.sh\n", "ci/it's.sh": ""}, ()),
    "go": ({"go.mod": "module a\n", "a_test.go": ""}, ()),
    "monorepo": (
        {
            "web/package.json": '{"scripts": {"test": "x"}, "dependencies": {"a": "1"}}',
            "ap i/conftest.py": "",
            "ap i/setup.py": "",
            "Makefile": "check:\n\ttrue\n",
        },
        ("web/node_modules",),
    ),
    "odd names": ({"golden/\"\\$(x)'\u00e9.txt": "", 'te"st.sh': "", "test.sh": ""}, ()),
}

COMMENTED_OUT = (
    *("# stop = ", "# share = ", "# protect = ", "# setup = ", "# cache = "),
    *("# isolation = ", "# sandbox."),
)


@pytest.mark.parametrize("case", REPOSITORIES)
def test_what_is_written_is_read_back(case, commit, typed):
    repository = commit(*REPOSITORIES[case])
    assert typed("init").startswith("exit 0\n")
    text = written(repository)
    settings = load_settings({}, repository)
    assert bool(settings.stop) == (case != "nothing")
    accepted = typed("doctor", "--agent", "cmd:true").startswith("exit 0\n")
    assert accepted == bool(settings.stop)
    for line in text.splitlines():  # what is commented out can be taken in as it is
        if line.startswith(COMMENTED_OUT):
            tomllib.loads(line.removeprefix("# ").partition("; s")[0])
    assert max(map(len, (row for row in text.splitlines() if "= [" not in row)), default=0) < 140


def test_the_values(commit, typed):
    repository = commit(REPOSITORIES["python with an environment"][0], (".venv",))
    typed("init")
    settings = load_settings({}, repository)
    assert settings.stop == (".venv/bin/python -m pytest -q",)
    assert settings.workspace_share == settings.evaluator_share == (".venv",)
    assert settings.protect == ("goldens/**",)


def test_the_file_is_made_of_reasons(commit, typed, text_snapshot):
    commit(*REPOSITORIES["monorepo"])
    output = typed("init", "--stdout")
    assert output.split("--- stdout\n")[1] == text_snapshot


def test_from_a_folder_below(commit, typed, monkeypatch):
    repository = commit({"a/b.py": "", "conftest.py": ""})
    monkeypatch.chdir(repository / "a")
    typed("init")
    assert "pytest" in written(repository)


def test_a_file_that_is_there_stays(commit, typed):
    repository = commit({})
    (repository / "loopctl.toml").write_text("max-rounds = 3\n")
    text = typed("init")
    assert text.startswith("exit 2\n")
    assert "loopctl init --force" in text
    assert written(repository) == "max-rounds = 3\n"
    assert typed("init", "--stdout").startswith("exit 0\n")
    assert written(repository) == "max-rounds = 3\n"
    assert typed("init", "--force").startswith("exit 0\n")
    assert written(repository) != "max-rounds = 3\n"
    assert sorted(path.name for path in repository.glob("*loopctl*")) == ["loopctl.toml"]


def test_a_broken_file_can_be_replaced(commit, typed):
    repository = commit({})
    (repository / "loopctl.toml").write_text("= [\n")
    assert typed("init").startswith("exit 2\n")
    assert typed("init", "--force").startswith("exit 0\n")


def test_a_link_is_replaced_and_not_written_through(commit, typed, tmp_path):
    repository = commit({})
    other = tmp_path / "other.toml"
    other.write_text("mine\n")
    (repository / "loopctl.toml").symlink_to(other)
    assert typed("init").startswith("exit 2\n")
    typed("init", "--force")
    assert other.read_text() == "mine\n"
    assert not (repository / "loopctl.toml").is_symlink()


@pytest.mark.parametrize("options", [(), ("--force",)])
def test_a_project_that_is_configured_elsewhere(options, commit, typed):
    repository = commit({"pyproject.toml": "[tool.loopctl]\nmax-rounds = 2\n"})
    text = typed("init", *options)
    assert text.startswith("exit 2\n")
    assert "[tool.loopctl]" in text
    assert not (repository / "loopctl.toml").exists()


def test_without_a_commit(nowhere, typed):
    text = typed("init")
    assert "git init && git add -A" in text
    subprocess.run([*GIT, "init", "-q"], cwd=nowhere, check=True)
    (nowhere / "conftest.py").write_text("")
    text = typed("init")
    assert text.startswith("exit 2\n")
    assert "git add -A && git commit" in text
    assert not (nowhere / "loopctl.toml").exists()


def test_nothing_else_is_changed(commit, typed, tmp_path):
    repository = commit({"conftest.py": ""})
    (repository / "new.py").write_text("")
    before = {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()}
    text = typed("init")
    assert "note: what is not committed was not looked at" in text
    (repository / "loopctl.toml").unlink()
    after = {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()}
    assert after == before
    assert not (tmp_path / "home").exists()


def test_an_agent_may_not(commit, typed, monkeypatch):
    repository = commit({})
    monkeypatch.setenv("LOOPCTL_LOOP", "mine")
    assert "this is a session of the loop mine" in typed("init")
    assert not (repository / "loopctl.toml").exists()


def test_the_agent_that_is_installed_is_named(commit, typed, monkeypatch, tmp_path):
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    repository = commit({"package.json": json.dumps({})})
    typed("init")
    assert load_settings({}, repository).agent.startswith("cmd:codex exec")
