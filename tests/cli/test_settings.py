"""Flags over variables over the project's file over the user's file over defaults."""

import inspect
import subprocess

import pytest
from invocation import GIT

from loopctl.cli.config_file import TABLES
from loopctl.cli.run import run
from loopctl.cli.settings import Settings, load_settings
from loopctl.errors import UsageError


@pytest.fixture
def user_file(tmp_path, monkeypatch):
    path = tmp_path / "config.toml"
    monkeypatch.setenv("LOOPCTL_CONFIG", str(path))
    path.write_text("")
    return path


def test_the_layers(repository, user_file, monkeypatch):
    seen = []
    user_file.write_text("max-rounds = 2\nagent = 'user'\nbranch = 'kept'\n")
    seen.append(load_settings({}, repository).max_rounds)
    (repository / "loopctl.toml").write_text("max-rounds = 3\nagent = 'project'\n")
    seen.append(load_settings({}, repository).max_rounds)
    monkeypatch.setenv("LOOPCTL_MAX_ROUNDS", "4")
    seen.append(load_settings({}, repository).max_rounds)
    settings = load_settings({"max_rounds": "5"}, repository)
    assert [*seen, settings.max_rounds] == [2, 3, 4, 5]
    assert (settings.agent, settings.branch) == ("project", "kept")


def test_a_list_replaces_a_list(repository, user_file):
    user_file.write_text("stop = ['a', 'b']\nprotect = ['x']\n")
    settings = load_settings({"stop": ["c"]}, repository)
    assert (settings.stop, settings.protect) == (("c",), ("x",))


def test_pyproject_and_kebab_or_snake(repository):
    (repository / "pyproject.toml").write_text(
        '[tool.loopctl]\nmax_rounds = 3\nround-timeout = "5m"\nmax-usd = 1.5\nstop = "true"\n'
    )
    settings = load_settings({}, repository)
    assert (settings.max_rounds, settings.round_timeout) == (3, 300)
    assert (settings.max_usd, settings.stop) == (1_500_000, ("true",))


def test_a_pyproject_of_others_is_no_configuration(repository):
    (repository / "pyproject.toml").write_text("[tool.ruff]\nline-length = 100\n")
    defaults = Settings().model_dump() | {"cwd": str(repository)}
    assert load_settings({}, repository).model_dump() == defaults


def test_the_table_of_the_evaluator(repository):
    (repository / "loopctl.toml").write_text(
        "[evaluator]\nenv = ['CI_TOKEN']\nisolation = 'same-workspace'\ntimeout = '20s'\n"
    )
    settings = load_settings({}, repository)
    assert settings.evaluator_env == ("CI_TOKEN",)
    assert (settings.isolation, settings.eval_timeout) == ("same-workspace", 20)
    assert load_settings({"isolation": "separate-worktree"}, repository).isolation == (
        "separate-worktree"
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("pytest -q", ("pytest -q",)),
        ('["a", "b"]', ("a", "b")),
        ("[ -f ok ]", ("[ -f ok ]",)),
        ("", ()),
    ],
)
def test_lists_in_variables(value, expected, nowhere, monkeypatch):
    monkeypatch.setenv("LOOPCTL_STOP", value)
    assert load_settings({}, nowhere).stop == expected


def test_a_folder_inside_the_checkout(repository):
    """A part of a project has its own file; the root's says the rest."""
    (repository / "loopctl.toml").write_text("agent = 'cmd:x'\nbranch = 'root'\n")
    inner = repository / "a" / "b"
    inner.mkdir(parents=True)
    (inner.parent / "loopctl.toml").write_text("agent = 'cmd:y'\n")
    for settings in (load_settings({}, inner), load_settings({"cwd": "a"}, repository)):
        assert (settings.agent, settings.branch) == ("cmd:y", "root")


@pytest.mark.parametrize(
    ("flags", "root", "inner", "place"),
    [
        ({"stop": ["x"]}, "", "", "a/b"),
        ({}, "stop = 'x'", "", "."),
        ({}, "stop = 'x'", "stop = 'y'", "a"),
        ({"stop": ["x"]}, "stop = 'x'", "cwd = 'c'", "c"),
        ({"stop": ["x"], "cwd": "d"}, "", "cwd = 'c'", "a/b/d"),
    ],
)
def test_commands_run_where_they_were_written(flags, root, inner, place, repository):
    typed = repository / "a" / "b"
    typed.mkdir(parents=True)
    (repository / "loopctl.toml").write_text(root)
    (typed.parent / "loopctl.toml").write_text(inner)
    assert load_settings(flags, typed).cwd == str(repository / place)


def test_a_variable_counts_as_typed(repository, monkeypatch):
    monkeypatch.setenv("LOOPCTL_STOP", "x")
    (repository / "loopctl.toml").write_text("stop = 'x'")
    (repository / "a").mkdir()
    assert load_settings({}, repository / "a").cwd == str(repository / "a")


def test_a_linked_worktree_has_its_own_file(repository, tmp_path):
    linked = tmp_path / "linked"
    subprocess.run([*GIT, "worktree", "add", "-q", str(linked)], check=True)
    (repository / "loopctl.toml").write_text("agent = 'main'\n")
    (linked / "loopctl.toml").write_text("agent = 'linked'\n")
    assert load_settings({}, linked).agent == "linked"


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("loopctl.toml", "max-roundz = 1\n", "loopctl.toml has an unknown key: max-roundz"),
        ("loopctl.toml", "[evaluator]\nenvs = []\n", "has an unknown key: evaluator.envs"),
        ("loopctl.toml", "agent = \n", "loopctl.toml is not valid TOML"),
        ("loopctl.toml", "\xff", "loopctl.toml is not valid TOML"),
        ("loopctl.toml", "max-usd = nan\n", "max-usd in "),
        ("loopctl.toml", "max-rounds = true\n", "'True' is not a whole number"),
        ("loopctl.toml", "stop = [1]\n", "stop in "),
        ("loopctl.toml", "isolation = 'x'\n[evaluator]\nisolation = 'y'\n", "says twice"),
        ("pyproject.toml", "[tool.loopctl]\nx = 1\n", "pyproject.toml has an unknown key: x"),
        ("pyproject.toml", "[tool]\nloopctl = 1\n", "has to be a table"),
    ],
)
def test_files_that_cannot_be_used(file, content, said, repository):
    (repository / file).write_text(content, encoding="latin-1")
    with pytest.raises(UsageError) as caught:
        load_settings({}, repository)
    assert said in caught.value.message


def test_the_line_of_bad_toml_and_the_known_keys_are_told(repository):
    path = repository / "loopctl.toml"
    path.write_text("agent = 'x'\nstop = [\n")
    with pytest.raises(UsageError, match="not valid TOML") as caught:
        load_settings({}, repository)
    assert "line 3" in caught.value.why or "end of document" in caught.value.why
    assert "loopctl init --stdout" in caught.value.next_step
    path.write_text("x = 1\n")
    with pytest.raises(UsageError, match="unknown key") as caught:
        load_settings({}, repository)
    assert {"max-rounds", "stop", "evaluator"} <= set(
        caught.value.why.removeprefix("known keys: ").split(", ")
    )
    assert caught.value.next_step == "correct it, or take it out"
    path.write_text("[evaluator]\nenvs = []\n")
    with pytest.raises(UsageError) as caught:
        load_settings({}, repository)
    assert caught.value.next_step == "write env, or take it out"


def test_two_files_of_one_project(repository):
    (repository / "loopctl.toml").write_text("")
    (repository / "pyproject.toml").write_text("[tool.loopctl]\n")
    with pytest.raises(UsageError, match="both configure this folder"):
        load_settings({}, repository)


def test_a_named_file_has_to_be_there(nowhere, tmp_path, monkeypatch):
    monkeypatch.setenv("LOOPCTL_CONFIG", str(tmp_path / "gone.toml"))
    with pytest.raises(UsageError, match=r"gone\.toml cannot be read"):
        load_settings({}, nowhere)


def test_the_origin_of_a_bad_value_is_told(nowhere, monkeypatch):
    monkeypatch.setenv("LOOPCTL_MAX_USD", "much")
    with pytest.raises(UsageError, match=r"^LOOPCTL_MAX_USD: 'much' is not an amount"):
        load_settings({}, nowhere)
    with pytest.raises(UsageError, match=r"^--max-usd: 'more' is not an amount"):
        load_settings({"max_usd": "more"}, nowhere)


def test_every_option_of_run_is_a_setting():
    options = set(inspect.signature(run).parameters) - {"goal", "json", "quiet"}
    in_files_only = {name for table in TABLES.values() for name in table.values()}
    in_files_only |= {"prices", "declared"}
    assert options | in_files_only == set(Settings.model_fields)


def test_a_misspelt_variable_is_refused_by_name(nowhere, monkeypatch):
    monkeypatch.setenv("LOOPCTL_MAX_ROUND", "1")
    with pytest.raises(UsageError, match="LOOPCTL_MAX_ROUND ") as refused:
        load_settings({}, nowhere)
    assert "LOOPCTL_MAX_ROUNDS" in refused.value.why


def test_results_belong_to_the_stop_commands_they_were_written_beside(
    repository, user_file, monkeypatch
):
    """A stop command that is typed has not what a file says of another one."""
    user_file.write_text("[evaluator]\nresults = ['far.xml']\n")
    (repository / "loopctl.toml").write_text("stop = ['a']\n")
    assert load_settings({}, repository).results == ()
    (repository / "loopctl.toml").write_text("stop = ['a']\n[evaluator]\nresults = ['a.xml']\n")
    assert load_settings({}, repository).results == ("a.xml",)
    assert load_settings({"stop": ["b"]}, repository).results == ()
    assert load_settings({"results": ["b.xml"]}, repository).results == ("b.xml",)
    monkeypatch.setenv("LOOPCTL_STOP", "c")
    assert load_settings({}, repository).results == ()
    assert load_settings({"results": ["c.xml"]}, repository).results == ("c.xml",)


def test_prices_of_all_files_are_one_table_and_the_stronger_file_wins(repository, user_file):
    user_file.write_text(
        '[prices."openai:*"]\ninput = 1\noutput = 2\n'
        '[prices."openai:gpt-*"]\ninput = 1\noutput = 3\n'
        '[prices."openai:gpt-x"]\ninput = 1\noutput = 4\ncache-read = 0.5\n'
    )
    (repository / "loopctl.toml").write_text(
        'prices."openai:gpt-x" = { input = 3.0, output = 15.0 }\n'
    )
    table = load_settings({}, repository).price_table
    assert [(line.model, line.rate.output) for line in table] == [
        ("openai:gpt-x", 15.0),
        ("openai:gpt-*", 3.0),
        ("openai:*", 2.0),
    ]
    assert table[0].rate.cache_read is None


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("{ input = 1 }", "the price of m in .*: output: Field required"),
        ("{ input = 1, output = -1 }", "output: "),
        ("{ input = inf, output = 1 }", "input: "),
        ("{ input = 1, output = 1, out = 1 }", "out: "),
        ("3", "input: "),
    ],
)
def test_a_price_that_means_nothing_is_refused(table, said, repository):
    (repository / "loopctl.toml").write_text(f"prices.m = {table}\n")
    with pytest.raises(UsageError, match=said) as refused:
        load_settings({}, repository)
    assert 'prices."m" = {' in refused.value.next_step


def test_a_rubric_is_meant_from_where_it_was_written(repository, monkeypatch):
    inner = repository / "a"
    inner.mkdir()
    (repository / "loopctl.toml").write_text("judge = 'docs/R.md'\n")
    assert load_settings({}, inner).judge == "../docs/R.md"
    assert load_settings({"judge": "R.md"}, inner).judge == "R.md"
    monkeypatch.setenv("LOOPCTL_JUDGE", "S.md")
    assert load_settings({}, inner).judge == "S.md"


def test_a_reflector_is_not_available_yet(nowhere):
    assert load_settings({"on_concern": "ignore"}, nowhere).on_concern == "ignore"
    with pytest.raises(UsageError, match="--on-concern: reflect is not available"):
        load_settings({"on_concern": "reflect"}, nowhere)


@pytest.mark.parametrize(("text", "meant"), [("true", True), ("false", False), ("", None)])
def test_whether_a_handoff_is_required(text, meant, nowhere, monkeypatch):
    monkeypatch.setenv("LOOPCTL_REQUIRE_HANDOFF", text)
    assert load_settings({}, nowhere).require_handoff is meant
