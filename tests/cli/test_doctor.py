"""``loopctl doctor``: what a run would do and what is in its way, without a trace of its own."""

import inspect
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import pytest
from invocation import GIT, filtered
from ordinary_user import HINDRANCE

from loopctl.bootstrap.doctor.diagnosis import Level
from loopctl.bootstrap.doctor.programs import Origin
from loopctl.cli.doctor import doctor
from loopctl.cli.run import run
from loopctl.store.database import Database
from loopctl.store.home import state_home
from loopctl.store.schema import VERSION

RUN = ("doctor", "--stop", "test -e done", "--agent", "cmd:touch done")


def git(folder, *arguments):
    subprocess.run([*GIT, *arguments], cwd=folder, check=True, capture_output=True)


def commit(repository, **files):
    for name, text in files.items():
        path = repository / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "files")


@pytest.fixture
def seen(typed):
    """Types the doctor's command and returns its JSON, with the exit code."""

    def look(*options):
        code, _, rest = typed(*(options or RUN), "--json").partition("\n--- stdout\n")
        return {"exit": code.removeprefix("exit "), **json.loads(rest.partition("--- stderr")[0])}

    return look


def told(document, level):
    return [each["text"] for each in document["findings"] if each["level"] == level]


def everything(*roots):
    return {
        str(path): (path.read_bytes() if path.is_file() else None, path.lstat().st_mtime_ns)
        for root in roots
        for path in (root, *root.rglob("*"))
    }


def test_the_text(repository, typed, text_snapshot, monkeypatch):
    monkeypatch.setenv("API_TOKEN", "a-very-secret-value")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    commit(
        repository,
        Makefile="test:\n\tsh tools/run.sh\n",
        _DOT_gitignore=".venv/\n",
        loopctl_DOT_toml='stop = ["./check.sh || true", "grep a-very-secret-value a.txt"]\n'
        'protect = ["golden/**"]\nmax-usd = 3\n[evaluator]\nshare = [".venv"]\nenv = ["NONE"]\n',
        check_DOT_sh="#!/bin/sh\n",
    )
    (repository / ".venv").mkdir()
    (repository / ".venv" / "file").write_text("x" * 2_000_000)
    (repository / "new").write_text("")
    options = ("--agent", "cmd:true", "--assume-usd-per-round", "0.5", "--allow", "check.sh")
    text = filtered(typed("doctor", *options), str(repository.parent))
    assert "a-very-secret-value" not in text
    by_machine = ("  git  ", "  free  ", "  passed  ", "  claude  ", "  codex  ", "  sandbox  ")
    lines = [line for line in text.splitlines() if not line.startswith((*by_machine, "  search  "))]
    assert "\n".join(lines) == text_snapshot


def test_a_run_could_start(repository, seen):
    document = seen()
    assert (document["exit"], document["can_start"]) == ("0", True)
    assert told(document, "refusal") == told(document, "warning") == []
    assert document["repository"]["branch"] == "main"
    assert document["agent"]["program"].endswith("/touch")
    assert document["state"] | {"free_bytes": 0} == {
        "folder": str(repository.parent / "home"),
        "exists": False,
        "database": str(repository.parent / "home" / "loopctl.db"),
        "version": None,
        "free_bytes": 0,
    }


REFUSED = {
    "no stop": (("doctor", "--agent", "cmd:true"), {}, "nothing would judge the work"),
    "no agent": (("doctor", "--stop", "false"), {}, "no agent is named"),
    "agent that is not there": ((*RUN, "--agent", "cmd:./x"), {}, "program was not found"),
    "plug-in": ((*RUN, "--evaluator", "nobody"), {}, "no evaluator is called 'nobody'"),
    "policy": ((*RUN, "--budget-policy", "nobody"), {}, "no budget_policies plug-in"),
    "isolation": ((*RUN, "--isolation", "remote"), {}, "not available in this version"),
    "container": (
        (*RUN, "--isolation", "container"),
        {"LOOPCTL_CONTAINER_READ": "/"},
        "sandbox" if HINDRANCE else "[container] read cannot name /",
    ),
    "value": ((*RUN, "--max-rounds", "x"), {}, "--max-rounds: 'x' is not a whole number"),
    "cap": ((*RUN, "--max-usd", "1"), {}, "a cap in dollars cannot be kept"),
    "branch": ((*RUN, "--branch", "main"), {}, "the branch 'main' exists already"),
    "variable": (RUN, {"LOOPCTL_MAX_ROUND": "1"}, "LOOPCTL_MAX_ROUND is not one of loopctl's"),
    "share": (RUN, {"LOOPCTL_EVALUATOR_SHARE": "gone"}, "[evaluator] share names gone"),
    "address": (
        (*RUN[:3], "--agent", "openai:a"),
        {"OPENAI_API_KEY": "made up", "OPENAI_BASE_URL": "box/v1"},
        "OPENAI_BASE_URL holds 'box/v1'",
    ),
    "key of a fall-back": (
        (*RUN[:3], "--agent", "openai:a@http://127.0.0.1:1/v1", "--fallback-model", "google:b"),
        {},
        "there is no key for google:b",
    ),
    "agent session": (RUN, {"LOOPCTL_LOOP": "mine"}, "this is a session of the loop mine"),
    "home": (RUN, {"LOOPCTL_HOME": "relative"}, "relative cannot be the state folder"),
    "home in nowhere": (RUN, {"LOOPCTL_HOME": "/nowhere/x"}, "/nowhere/x cannot be the state"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_would_be_refused(case, repository, seen, typed, monkeypatch):
    options, variables, said = REFUSED[case]
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    document = seen(*options)
    assert (document["exit"], document["can_start"]) == ("2", False)
    refusals = told(document, "refusal")
    assert any(said in text for text in refusals), refusals
    assert "repository" in document
    # The doctor is right: a run is refused with the same words.
    refused = typed("run", "goal", *options[1:])
    assert refused.startswith("exit 2\n")
    assert any(text in refused for text in refusals)


def test_every_reason_is_told_at_once(repository, seen):
    refusals = told(seen("doctor", "--isolation", "remote", "--max-rounds", "0"), "refusal")
    assert len(refusals) == 2
    assert not (repository.parent / "home").exists()


@pytest.mark.parametrize("has_git", [False, True])
def test_no_repository_or_no_commit(has_git, nowhere, seen):
    if has_git:
        git(nowhere, "init", "-q")
    document = seen()
    assert document["exit"] == "2"
    (finding,) = document["findings"]
    assert finding["topic"] == "repository"
    assert "git add -A && git commit" in finding["next"]
    assert document["state"]["version"] is None


def test_a_configuration_that_cannot_be_read(repository, seen):
    (repository / "loopctl.toml").write_text("stop = [\n")
    document = seen()
    assert document["exit"] == "2"
    assert "is not valid TOML" in told(document, "refusal")[0]
    assert document["repository"]["files"] == 1


def test_nothing_is_changed(repository, seen, tmp_path, monkeypatch):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    before = everything(repository)
    seen()
    assert everything(repository) == before
    assert list(temporary.iterdir()) == []
    assert not (tmp_path / "home").exists()
    Database.open(state_home(os.environ)).close()
    before = everything(repository, tmp_path / "home")
    assert seen()["state"]["version"] == VERSION
    assert everything(repository, tmp_path / "home") == before


def test_a_database_in_use_is_read_and_left_alone(repository, seen, tmp_path):
    database = Database.open(state_home(os.environ))
    try:
        with database.read():
            before = sorted(path.name for path in (tmp_path / "home").iterdir())
            assert seen()["state"]["version"] == VERSION
            assert sorted(path.name for path in (tmp_path / "home").iterdir()) == before
    finally:
        database.close()


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"no database" * 100, "is damaged"), (b"", "holds loops")],
)
def test_a_database_that_cannot_be_used(content, said, repository, seen, tmp_path):
    home = state_home(os.environ)
    (home.path / "loops" / "x").mkdir(parents=True)
    home.database.write_bytes(content)
    document = seen()
    assert document["exit"] == "2"
    (finding,) = [each for each in document["findings"] if each["level"] == "refusal"]
    assert said in finding["text"] + finding["why"]
    assert home.database.read_bytes() == content


def test_a_state_folder_that_others_can_see_is_not_made_private(repository, seen, tmp_path):
    home = state_home(os.environ).path
    home.chmod(0o755)
    assert seen()["exit"] == "0"
    assert home.stat().st_mode & 0o777 == 0o755
    (home / "picture.png").write_text("")
    assert "cannot be the state folder" in told(seen(), "refusal")[0]


def test_programs(repository, seen, monkeypatch, tmp_path):
    commit(
        repository,
        check_DOT_sh="#!/bin/sh -e\n",
        tools__run_DOT_py="",
        _DOT_gitignore=".venv/\nout/\n",
    )
    for name in (".venv/bin/python", "tools/out/tool", ".venv/bin/pytest"):
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{repository}/.venv/bin:/usr/bin:/bin")
    command = "./check.sh && python3 tools/run.py; cd tools/out && ./tool; nothing -x; pytest"
    options = ("doctor", "--agent", "cmd:true", "--stop", command, "--allow", "tools/**")
    document = seen(*options)
    programs = document["judging"]["evaluators"][0]["programs"]
    assert [(each["name"], each["origin"]) for each in programs] == [
        ("check.sh", "protected"),
        ("tools/run.py", "open"),
        ("python3", "path"),
        ("tools/out/tool", "ignored"),
        ("nothing", "missing"),
        ("pytest", "checkout-path"),
    ]
    told_of = [each for each in document["findings"] if each["topic"] == "judging"]
    assert '[evaluator] share = ["tools/out"]' in str(told_of)
    assert any("nothing was not found" in each["text"] for each in told_of)
    monkeypatch.setenv("LOOPCTL_EVALUATOR_SHARE", '[".venv/", "tools/out"]')
    origins = {
        each["name"]: each["origin"]
        for each in seen(*options)["judging"]["evaluators"][0]["programs"]
    }
    assert (origins["tools/out/tool"], origins["pytest"]) == ("shared", "shared")
    monkeypatch.delenv("LOOPCTL_EVALUATOR_SHARE")
    monkeypatch.setenv("LOOPCTL_EVALUATOR_SETUP", "no-such-manager sync")
    warnings = told(seen("doctor", "--agent", "cmd:true", "--stop", ".venv/bin/python"), "warning")
    assert warnings == ["no-such-manager was not found: [evaluator] setup would fail"]


def test_a_command_means_the_folder_in_which_it_was_typed(repository, seen, monkeypatch):
    commit(repository, ci__check_DOT_sh="#!/bin/sh\ntrue\n", ci__package_DOT_json="{}")
    monkeypatch.chdir(repository / "ci")
    document = seen("doctor", "--agent", "cmd:true", "--stop", "./check.sh")
    (evaluator,) = document["judging"]["evaluators"]
    assert document["judging"]["cwd"] == "ci"
    assert [each["name"] for each in evaluator["programs"]] == ["ci/check.sh"]
    assert evaluator["doubts"] == ["in check.sh: it always succeeds, whatever the work is"]


def test_what_a_checkout_lacks(repository, seen):
    commit(repository, _DOT_gitignore="node_modules/\n__pycache__/\n.env\n*.log\n")
    for name in (".env", "a.log"):
        (repository / name).write_text("")
    for folder in ("node_modules", "__pycache__"):
        (repository / folder).mkdir()
        (repository / folder / "x").write_text("")
    document = seen()
    assert document["supplies"]["lacking"] == ["node_modules", ".env"]
    assert "git ignores, so that no checkout has: node_modules, .env" in told(document, "note")
    assert "build them there" not in str(document["findings"])
    document = seen(*RUN, "--isolation", "same-workspace", "--stop", "node_modules/x")
    assert "git ignores, so that no worktree has: node_modules, .env" in told(document, "note")
    next_steps = "\n".join(each["next"] for each in document["findings"])
    assert '[workspace] share = ["node_modules", ".env"]' in next_steps
    assert '[workspace] share = ["node_modules"] (or commit it)' in next_steps


def test_what_was_built_is_doubted_when_it_is_shared(repository, seen, monkeypatch):
    commit(repository, _DOT_gitignore="dist/\n")
    (repository / "dist").mkdir()
    (repository / "dist" / "index.js").write_text("0\n")
    monkeypatch.setenv("LOOPCTL_EVALUATOR_SHARE", "dist")
    (warning,) = told(seen(*RUN), "warning")
    assert warning.startswith("[evaluator] share: dist is copied as it is in your checkout")


def test_globs_that_match_nothing(repository, seen):
    warnings = told(seen(*RUN, "--protect", "goldn/**", "--allow", "a.txt"), "warning")
    assert warnings == ["--protect goldn/** matches no file of the base commit"]


def test_layouts(repository, seen, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")  # where git-lfs may be set up
    commit(repository, _DOT_gitattributes="*.bin filter=lfs\n")
    sub = tmp_path / "sub"
    git(tmp_path, "clone", "-q", str(repository), str(sub))
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(sub), "s")
    git(repository, "commit", "-q", "-m", "a submodule")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", str(clone))
    git(clone, "checkout", "-q", "--detach")
    git(clone, "sparse-checkout", "set", "--no-cone", "/*")
    os.chdir(clone)
    document = seen()
    facts = document["repository"]
    assert (facts["shallow"], facts["sparse"], facts["lfs"], facts["branch"]) == (
        True,
        True,
        True,
        None,
    )
    assert facts["submodules"] == ["s"]
    text = "\n".join(told(document, "warning") + told(document, "note"))
    for said in ("git LFS", "1 submodule without content: s", "shallow", "sparse", "detached"):
        assert said in text
    assert document["exit"] == "0"


def test_what_is_not_committed(repository, seen):
    (repository / "a.txt").write_text("changed\n")
    (repository / "b.txt").write_text("")
    assert any("1 unstaged, 1 untracked" in said for said in told(seen(), "note"))


def test_origins(repository, seen, monkeypatch, tmp_path):
    monkeypatch.setenv("LOOPCTL_MAX_TIME", "5m")
    user = tmp_path / "user.toml"
    user.write_text("max-rounds = 3\n")
    monkeypatch.setenv("LOOPCTL_CONFIG", str(user))
    (repository / "loopctl.toml").write_text("protect = ['a.txt']\n")
    configuration = seen()["configuration"]
    own = str(repository / "loopctl.toml")
    assert configuration["files"] == [own, str(user)]
    assert configuration["origins"] == {
        "agent": "--agent",
        "stop": "--stop",
        "max_time": "LOOPCTL_MAX_TIME",
        "max_rounds": f"max-rounds in {user}",
        "protect": f"protect in {own}",
    }


def test_an_agent_of_the_repository_is_no_finding(repository, seen):
    agent = repository / "my agent.sh"
    agent.write_text("#!/bin/sh\n")
    agent.chmod(0o755)
    document = seen("doctor", "--stop", "false", "--agent", "cmd:'./my agent.sh' x")
    assert document["agent"]["program"] == str(agent)
    assert Path(document["agent"]["program"]).is_file()


def test_the_options_are_those_of_run():
    of_run = dict(inspect.signature(run).parameters)
    del of_run["goal"], of_run["quiet"]
    assert dict(inspect.signature(doctor).parameters) == of_run


def test_the_document_is_documented(repository, seen):
    (repository / "x").write_text("")
    document = seen(*RUN, "--protect", "a.txt", "--max-time", "1h")
    text = (Path(__file__).parents[2] / "docs" / "json.md").read_text()
    section = text.split("## `doctor --json`")[1].split("\n## ")[0]
    named = set(re.findall(r"`([\w-]+)`", section))

    def keys(value):
        match value:
            case dict():
                return set(value) | {key for each in value.values() for key in keys(each)}
            case list():
                return {key for each in value for key in keys(each)}
        return set()

    del document["exit"]
    settings = set(document["configuration"].pop("origins"))
    assert keys(document) <= named
    assert {"stop", "agent", "protect", "max_time"} == settings
    assert {str(origin) for origin in Origin} | {str(level) for level in Level} <= named


def test_what_is_built_from_the_sources_is_better_built_again(repository, seen):
    commit(repository, _DOT_gitignore="dist/\n")
    (repository / "dist").mkdir()
    (repository / "dist" / "x").write_text("")
    next_steps = [each["next"] for each in seen()["findings"]]
    assert 'if the stop command needs them: build them there, or [evaluator] share = ["dist"]' in (
        next_steps
    )


def test_contents_of_lfs_that_are_not_here(repository, seen, tmp_path, monkeypatch):
    program = tmp_path / "bin" / "git-lfs"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    for key in ("clean", "smudge"):
        git(repository, "config", f"filter.lfs.{key}", "cat")
    head = "version https://git-lfs.github.com/spec/v1\noid sha256:"
    pointers = {
        f"{name}_bin": f"{head}{digit * 64}\nsize 5\n"
        for name, digit in (("here", "a"), ("away", "b"))
    }
    commit(repository, _DOT_gitattributes="*_bin filter=lfs\n", **pointers)
    (repository / "here_bin").write_text("hello")
    warnings = told(seen(), "warning")
    assert [each for each in warnings if "git LFS" in each] == [
        "1 file of git LFS without content: away_bin; agent and stop commands get the pointer"
    ]


def test_what_is_there_and_what_the_lack_of_it_costs(
    repository, tmp_path, seen, typed, monkeypatch
):
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("claude", "rg", "bwrap"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("GEMINI_API_KEY", "a-very-secret-value")
    machine = seen()["machine"]
    assert machine["agents"] == [
        {"name": "claude", "program": str(folder / "claude")},
        {"name": "codex", "program": None},
    ]
    assert [(each["provider"], each["variable"]) for each in machine["keys"]] == [
        ("anthropic", None),
        ("openai", None),
        ("google", "GEMINI_API_KEY"),
    ]
    assert machine["search"] == str(folder / "rg")
    assert (machine["sandbox"] is None) == bool(machine["sandbox_problem"]) == bool(HINDRANCE)
    text = typed(*RUN)
    assert "a-very-secret-value" not in text
    assert ("run as you" if HINDRANCE else "--isolation container") in text
    assert "no ANTHROPIC_API_KEY is set" in text
    assert 'codex       is not on PATH: no --agent "cmd:codex exec' in text


def test_what_would_be_chosen_is_told(repository, tmp_path, seen, monkeypatch):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "codex").write_text("#!/bin/sh\n")
    (folder / "codex").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    document = seen("doctor", "--stop", "test -e done")
    assert document["agent"]["agent"].startswith("cmd:codex exec")
    (chosen,) = document["choices"]["chosen"]
    assert chosen.startswith("agent: cmd:codex exec")
    assert "choices" not in seen()


def test_a_judge_is_told_with_its_criteria_and_models(repository, seen):
    (repository / "R.md").write_text("- **Small**: it is small\n- **Plain**: it is plain\n")
    judge = ("--judge", "R.md", "--judge-model", "openai:j", "--judge-fallback-model", "k")
    document = seen("doctor", "--agent", "cmd:true", *judge)
    (evaluator,) = document["judging"]["evaluators"]
    assert (evaluator["name"], evaluator["rubric"]) == ("judge", "R.md")
    assert evaluator["models"] == ["openai:j", "openai:k"]
    assert "a language model alone judges" in " ".join(told(document, "warning"))
    models = {each["model"] for each in document["agent"]["models"]}
    assert models == {"openai:j", "openai:k"}


def test_a_judge_without_a_key_is_refused_before_anything_is_paid_for(
    repository, seen, typed, monkeypatch
):
    (repository / "R.md").write_text("- **Small**: it is small\n")
    loop = (*RUN[1:], "--judge", "R.md", "--judge-model", "openai:j", "--max-rounds", "1")
    said = "there is no key for openai:j"
    document = seen("doctor", *loop)
    assert any(said in text for text in told(document, "refusal"))
    assert typed("run", "goal", *loop).startswith(
        f"exit 2\n--- stdout\n--- stderr\nloopctl: {said}"
    )
    # The same holds for a restart: here the command fails, and the judge was never asked.
    monkeypatch.setenv("OPENAI_API_KEY", "made up")
    never = ("--stop", "false", "--agent", "cmd:touch done", *loop[4:])
    assert typed("run", "goal", "--name", "x", *never).startswith("exit 10\n")
    monkeypatch.delenv("OPENAI_API_KEY")
    assert said in typed("status", "x", "--restart")


def test_a_rubric_that_is_not_there(repository, seen, typed):
    options = ("--agent", "cmd:true", "--judge", "no.md", "--judge-model", "openai:j")
    document = seen("doctor", *options)
    assert document["exit"] == "2"
    assert any("the rubric no.md cannot be read" in text for text in told(document, "refusal"))
    assert "the rubric no.md cannot be read" in typed("run", "goal", *options)
