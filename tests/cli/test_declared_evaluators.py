"""Evaluators that a configuration declares by name, and those that are typed."""

import pytest

from loopctl.bootstrap.preparing import prepare
from loopctl.bootstrap.request import check_request, evaluator_specs
from loopctl.cli.settings import explain_settings, load_settings
from loopctl.cli.start_request import start_request
from loopctl.domain.evaluator_spec import Isolation, ProviderExecutor, ShellExecutor
from loopctl.errors import UsageError

TABLES = """
agent = "cmd:true"
[evaluators.api]
command = "./api.sh"
criteria = "contract"
results = "api.xml"
isolation = "same-workspace"
[evaluators.docs]
command = "make docs"
criteria = ["builds", {name = "links", description = "none is dead"}]
[evaluators.style]
provider = "acme:Style"
config = {level = 3, rules = ["a"]}
[evaluators]
lint = "make lint"
"""


@pytest.fixture
def declare(repository):
    def write(text):
        (repository / "loopctl.toml").write_text(text)

    return write


def specs(repository, **flags):
    request = start_request("g", repository, load_settings(flags, repository))
    check_request(request)
    request, _ = prepare(request, {})
    return {spec.name: spec for spec in evaluator_specs(request, lambda text: text)}


def test_all_kinds(declare, repository):
    declare(TABLES)
    found = specs(repository)
    assert list(found) == ["api", "docs", "style", "lint"]
    assert found["api"].executor == ShellExecutor(command="./api.sh", results="api.xml")
    assert found["api"].criteria.declared is None
    assert found["api"].isolation is Isolation.SAME_WORKSPACE
    assert found["docs"].criteria.declared == ("builds", "links")
    assert found["docs"].isolation is Isolation.SEPARATE_WORKTREE
    assert found["style"].executor == ProviderExecutor(
        name="acme:Style", config={"level": 3, "rules": ["a"]}
    )
    assert found["lint"].criteria.declared == ("lint",)


def test_they_are_picked_by_name_beside_plug_ins_and_typed_commands(declare, repository):
    declare(TABLES)
    flags = {"evaluators": ["docs", "other"], "stop": ["true"], "contract": ["./c", "./c"]}
    found = specs(repository, **flags)
    assert list(found) == ["stop-1", "contract-1", "docs", "other"]
    assert found["contract-1"].criteria.declared is None
    assert found["other"].executor == ProviderExecutor(name="other")


def test_an_empty_list_uses_none(declare, repository, monkeypatch):
    declare(TABLES)
    monkeypatch.setenv("LOOPCTL_EVALUATORS", "[]")
    assert list(specs(repository, stop=["true"])) == ["stop-1"]


def test_a_stronger_file_replaces_a_whole_table_and_names_what_is_used(
    declare, repository, tmp_path, monkeypatch
):
    weak = tmp_path / "config.toml"
    weak.write_text(
        '[evaluators.api]\ncommand = "x"\nresults = "r"\n[evaluators.own]\ncommand = "y"'
    )
    monkeypatch.setenv("LOOPCTL_CONFIG", str(weak))
    declare('agent = "cmd:true"\n[evaluators.api]\ncommand = "z"\n')
    found = specs(repository)
    assert list(found) == ["api"]
    assert found["api"].executor == ShellExecutor(command="z")
    assert list(specs(repository, evaluators=["own", "api"])) == ["own", "api"]
    explained = explain_settings({}, repository)
    assert explained.origins["evaluators"].startswith("evaluators in ")
    assert "declared" not in explained.origins


def test_a_rubric_file_is_meant_from_where_the_table_is(declare, repository, tmp_path):
    inner = repository / "inner"
    inner.mkdir()
    (repository / "R.md").write_text("* **Fast**: it is\n* **Small**: it is\n")
    declare('agent = "cmd:true"\n[evaluators.q]\ncommand = "true"\nrubric = "R.md"\n')
    assert specs(inner)["q"].criteria.declared == ("Fast", "Small")


def test_the_rubric_of_an_evaluator_that_is_not_used_may_be_gone(declare, repository):
    declare('agent = "cmd:true"\n[evaluators.q]\ncommand = "true"\nrubric = "R.md"\n')
    assert list(specs(repository, evaluators=["other"])) == ["other"]
    with pytest.raises(UsageError, match=r"R\.md cannot be read"):
        specs(repository)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("results = 'x'", "it needs either a command or a provider"),
        ("command = ' '", "it needs either a command or a provider"),
        ("command = 'a'\nprovider = 'b'", "it needs either a command or a provider"),
        ("command = 'a'\nkind = 'b'", "kind: Extra inputs"),
        ("command = 'a'\ncriteria = 'many'", "criteria: it has to be 'single' or 'contract'"),
        ("command = 'a'\ncriteria = []", "it has 0 criteria"),
        ("command = 'a'\ncriteria = ['x', 'X']", "two criteria called 'X'"),
        ("command = 'a'\ncriteria = ['']", "1 to 100 characters"),
        ('command = "a"\ncriteria = ["a\\nb"]', "one line of printable text"),
        ("command = 'a'\ncriteria = 'contract'\nrubric = 'R.md'", "leave one of the two out"),
        ("command = 'a'\nconfig = 1", "config is for a provider"),
        ("provider = 'a'\nresults = 'b'", "results are written by a command"),
        ("provider = 'a'\nconfig = {day = 2026-01-01}", "config"),
        ("command = 'a'\nisolation = 'moon'", "isolation: it has to be 'same-workspace'"),
    ],
)
def test_a_table_that_means_nothing_is_refused(declare, repository, table, said):
    declare(f"[evaluators.api]\n{table}\n")
    with pytest.raises(UsageError) as refused:
        load_settings({}, repository)
    assert str(refused.value).startswith("[evaluators.api] in ")
    assert said in str(refused.value)
    assert "known keys: command, provider" in refused.value.why


@pytest.mark.parametrize(
    "name", ["judge", "stop-1", "contract-2", "holdout-1", "a b", '""', "x" * 41]
)
def test_names_that_cannot_be_used(declare, repository, name):
    quoted = name if name == '""' else f'"{name}"'
    declare(f'[evaluators]\n{quoted} = "true"\n')
    with pytest.raises(UsageError, match="its name"):
        load_settings({}, repository)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('command = "a"\nisolation = "remote"', "the isolation remote is not available"),
        ('command = "a"\nresults = "../x"', "results cannot be '../x'"),
    ],
)
def test_what_is_used_is_checked_as_what_is_typed(declare, repository, table, said):
    declare(f'agent = "cmd:true"\n[evaluators.api]\n{table}\n')
    with pytest.raises(UsageError, match=said):
        specs(repository)
    assert list(specs(repository, evaluators=["other"])) == ["other"]


def test_a_declared_evaluator_is_no_variable(nowhere, monkeypatch):
    monkeypatch.setenv("LOOPCTL_DECLARED", "{}")
    with pytest.raises(UsageError, match="LOOPCTL_DECLARED is not one of loopctl's"):
        load_settings({}, nowhere)


def test_a_variable_of_a_report_is_no_misspelt_setting(nowhere, monkeypatch):
    """A command that judges may run loopctl itself."""
    monkeypatch.setenv("LOOPCTL_REPORT", "/tmp/x")
    monkeypatch.setenv("LOOPCTL_REPORT_NONCE", "n")
    load_settings({}, nowhere)


def test_an_unknown_name_lists_both_kinds(declare, repository, typed):
    declare(TABLES)
    refused = typed("run", "g", "--evaluator", "nobody")
    assert "no evaluator is called 'nobody'" in refused
    assert "declared in the configuration: api, docs, style, lint" in refused


def test_the_doctor_tells_what_they_judge(declare, repository, typed):
    declare('agent = "cmd:true"\n' + TABLES.partition("\n[")[2].join(["[", ""]))
    text = typed("doctor", "--evaluator", "api", "--evaluator", "docs", "--contract", "true")
    for line in ("contract-1: true", "api: ./api.sh", "docs: make docs", "links", "same-workspace"):
        assert line in text
