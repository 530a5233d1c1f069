"""A command whose results are read: what it takes to be a PASS, and what is said of it."""

import json
import os
import shlex
import sys
from pathlib import Path

import pytest

from loopctl.domain.criteria import Verdict
from loopctl.domain.evaluator_spec import Isolation, ShellExecutor
from loopctl.domain.hardening import Hardening
from loopctl.evaluators import results_file
from loopctl.evaluators.base_record import kept_record
from loopctl.process.masking import Masker

PASS, FAIL, ERROR = Verdict.PASS, Verdict.FAIL, Verdict.ERROR
PYTEST = f"{shlex.quote(sys.executable)} -m pytest -q -p no:cacheprovider"
GREEN = "def test_one(): pass\ndef test_two(): pass\n"


def xml(passing=(), failing=(), skipped=()):
    cases = [f"<testcase name='{name}'/>" for name in passing]
    cases += [f"<testcase name='{name}'><failure/></testcase>" for name in failing]
    cases += [f"<testcase name='{name}'><skipped/></testcase>" for name in skipped]
    return f"<testsuite>{''.join(cases)}</testsuite>"


def writing(document, path="r.xml", status=0):
    return f"printf '%s' {shlex.quote(document)} > {path}; exit {status}"


@pytest.fixture
def bench(court, tmp_path):
    """Judges commands with results, the first on the base commit."""
    (tmp_path / "tmp").mkdir()
    court.environment["TMPDIR"] = str(tmp_path / "tmp")
    court.environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # they take half the time
    court.record = tmp_path / "record.json"
    court.digest = ""

    def judge(command, results="r.xml", *, baseline=False, hardening=Hardening.NONE):
        executor = ShellExecutor(command=command, results=results)
        report = court.judge(
            command,
            executor=executor,
            record=court.record,
            record_digest=court.digest,
            is_baseline=baseline,
            hardening=hardening,
        )
        if baseline:
            court.digest = "" if report.suite is None else report.suite.record
        return report

    court.results = judge
    return court


def headline(report):
    return report.criteria[0].evidence[0]


def test_results_above_the_floor_are_a_pass(bench):
    bench.results(writing(xml(["a"], ["b"]), status=1), baseline=True)
    report = bench.results(writing(xml(["a", "b"])))
    assert report.verdict is PASS
    assert str(report.suite) == "2/2 tests"
    assert "exit 0 after" in headline(report)
    assert ", 2/2 tests: " in headline(report)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (xml(["a"]), "1 test ran on the base commit and did not run now: b"),
        (xml(["a"], ["b"]), "1 test failed: b"),
        (xml(["a"], [], ["b"]), "1 test newly skipped: b"),
        (xml(), "2 tests ran on the base commit and did not run now: a, b"),
        ("5 passed", "r.xml cannot be read: it is not JUnit XML"),
    ],
)
def test_an_exit_status_of_0_below_the_floor_is_no_pass(bench, document, words):
    bench.results(writing(xml(["a"], ["b"]), status=1), baseline=True)
    report = bench.results(writing(document))
    assert report.verdict is FAIL
    assert f"but {words}" in headline(report)


def test_no_tests_are_no_pass_though_nothing_is_known_of_the_base(bench):
    report = bench.results(writing(xml()))
    assert report.verdict is FAIL
    assert "but no test was run" in headline(report)


def test_results_never_make_a_failing_command_pass(bench):
    report = bench.results(writing(xml(["a", "b"]), status=3))
    assert (report.verdict, report.exit) == (FAIL, "exit 3")
    assert str(report.suite) == "2/2 tests"


@pytest.mark.parametrize("baseline", [False, True])
def test_a_file_that_this_run_has_not_written_says_nothing(bench, baseline):
    (bench.folder / "r.xml").write_text(xml(["a"]))
    report = bench.results("true", baseline=baseline)
    assert report.verdict is (ERROR if baseline else FAIL)
    assert "but r.xml was not written by this run" in headline(report)


def test_a_file_written_again_with_the_same_words_counts(bench):
    (bench.folder / "r.xml").write_text(xml(["a"]))
    os.utime(bench.folder / "r.xml", ns=(1, 1))
    assert bench.results(writing(xml(["a"]))).verdict is PASS


def test_only_the_files_of_this_run_are_read_from_a_glob(bench):
    (bench.folder / "out").mkdir()
    (bench.folder / "out" / "stale.xml").write_text(xml(["planted"]))
    command = f"({writing(xml(['a']), 'out/1.xml')}); {writing(xml(['b']), 'out/2.xml')}"
    report = bench.results(command, "out/*.xml")
    assert report.verdict is PASS
    assert str(report.suite) == "2/2 tests"


@pytest.mark.parametrize(
    "command",
    [
        "ln -s /etc/hostname r.xml",
        "mkfifo r.xml",
        "mkdir r.xml",
        f"cd .. && {writing(xml(['a']), 'r.xml')}; cd - && ln -s ../r.xml r.xml",
        f"mkdir ../elsewhere; ln -s ../elsewhere out; {writing(xml(['a']), 'out/r.xml')}",
    ],
)
def test_what_is_no_plain_file_in_the_checkout_is_not_read(bench, command):
    report = bench.results(f"({command}); true", "r.xml" if "out" not in command else "out/r.xml")
    assert report.verdict is FAIL
    assert report.suite is None


def test_more_than_can_be_read_is_said(bench, monkeypatch):
    monkeypatch.setattr(results_file, "MAX_BYTES", 100)
    report = bench.results(writing(xml(["a" * 200])))
    assert report.verdict is FAIL
    assert "r.xml is too large to be read" in headline(report)


def test_a_changed_record_of_the_base_is_believed_by_nobody(bench):
    bench.results(writing(xml(["a", "b"], ["c"]), status=1), baseline=True)
    bench.record.write_text(bench.record.read_text().replace('"b":"passed"', '"b":"skipped"'))
    report = bench.results(writing(xml(["a", "c"], [], ["b"])))
    assert report.verdict is ERROR
    assert "was changed" in headline(report)
    bench.record.unlink()
    assert "is gone" in headline(bench.results(writing(xml(["a", "b", "c"]))))


def test_secrets_in_test_names_are_masked(bench):
    bench.masker = Masker({"API_KEY": "sk-verysecretvalue1234567890"})
    bench.results(writing(xml(["t[sk-verysecretvalue1234567890]"])), baseline=True)
    report = bench.results(writing(xml([])))
    assert "verysecret" not in str(report.criteria)


def test_plain_pytest_is_read_without_being_asked(bench):
    test = bench.folder / "test_it.py"
    test.write_text(GREEN + "def test_three(): assert 0\n")
    base = bench.results(PYTEST, "", baseline=True)
    assert (base.verdict, str(base.suite)) == (FAIL, "2/3 tests")
    assert kept_record(bench.record, base.suite.record).tests.keys() == {
        "test_it::test_one",
        "test_it::test_two",
        "test_it::test_three",
    }
    test.write_text("def test_one(): pass\n")
    report = bench.results(PYTEST, "")
    assert report.verdict is FAIL
    assert "2 tests ran on the base commit and did not run now" in headline(report)
    assert sorted(each.name for each in bench.folder.iterdir() if each.suffix == ".xml") == []


def test_a_process_that_ends_itself_with_0_leaves_no_results(bench):
    (bench.folder / "test_it.py").write_text("import os\ndef test_one(): os._exit(0)\n")
    report = bench.results(PYTEST, "")
    assert (report.verdict, report.exit) == (FAIL, "exit 0")
    assert "but loopctl-results.xml was not written" in headline(report)


def test_results_can_be_left_out(bench):
    (bench.folder / "test_it.py").write_text("import os\ndef test_one(): os._exit(0)\n")
    report = bench.results(PYTEST, "none")
    assert (report.verdict, report.suite) == (PASS, None)


def test_a_place_that_is_named_beside_plain_pytest_does_no_harm(bench):
    (bench.folder / "test_it.py").write_text(GREEN)
    assert str(bench.results(PYTEST, "named.xml").suite) == "2/2 tests"


def test_a_pytest_without_the_option_is_told_apart_from_a_failure(bench):
    (bench.folder / "test_it.py").write_text(GREEN)
    (bench.folder / "pytest.ini").write_text("[pytest]\naddopts = -p no:junitxml\n")
    assert bench.results(PYTEST, "none", baseline=True).verdict is PASS
    for test in (GREEN, GREEN + "def test_three(): assert 0\n"):
        (bench.folder / "test_it.py").write_text(test)
        report = bench.results(PYTEST, "", baseline=True)
        assert report.verdict is ERROR
        assert "--results none leaves them out" in headline(report)


def test_the_users_own_results_file_is_used(bench):
    (bench.folder / "test_it.py").write_text(GREEN)
    for place in ("out/own.xml", f"{bench.folder.parent}/elsewhere.xml"):
        report = bench.results(f"{PYTEST} --junitxml={shlex.quote(place)}", "")
        assert str(report.suite) == "2/2 tests"
        assert (bench.folder / place).is_file()


def test_a8_6_what_a_command_was_given_is_written_down(bench):
    bench.environment["API_TOKEN"] = "tok-0123456789abcdef0123"
    bench.masker = Masker({"API_TOKEN": bench.environment["API_TOKEN"]})
    (bench.folder / "test_it.py").write_text(GREEN)
    bench.results(PYTEST, "")
    text = (bench.log.parent / "environment.tests.json").read_text()
    told = json.loads(text)
    assert told["environment"]["TMPDIR"] == bench.environment["TMPDIR"]
    assert told["folder"] == str(bench.folder)
    assert "--junitxml=" in told["command"]
    assert "tok-0123" not in text


def test_what_cannot_be_written_down_is_said(bench):
    (bench.log.parent / "environment.tests.json").mkdir()
    report = bench.results("true", "none")
    assert report.verdict is PASS
    assert "could not be written down" in report.warnings[0]


def test_hardened_runs_have_the_installed_plugins_and_no_others(bench):
    """`planted` is an entry point on the path of the judged tree."""
    (bench.folder / "test_it.py").write_text(
        "def test_one(pytestconfig):\n"
        "    assert not pytestconfig.pluginmanager.has_plugin('planted')\n"
        "    assert pytestconfig.pluginmanager.has_plugin('xdist')\n"
    )
    del bench.environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
    base = bench.results(PYTEST, "", baseline=True)
    assert base.hardenable
    assert "xdist" in kept_record(bench.record, bench.digest).plugins
    (bench.folder / "planted.py").write_text("")
    info = bench.folder / "planted-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: planted\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[pytest11]\nplanted = planted\n")
    assert bench.results(PYTEST, "").verdict is FAIL
    for level in (Hardening.PLUGINS, Hardening.FULL):
        report = bench.results(PYTEST, "", hardening=level)
        assert report.verdict is PASS
        assert f"hardened: {level}" in report.criteria[0].evidence[1]


def test_a_plugin_that_came_later_is_not_loaded_and_that_is_said(bench):
    test = bench.folder / "test_it.py"
    test.write_text(GREEN)
    bench.results(PYTEST, "", baseline=True)
    test.write_text("def test_one(brand_new): pass\ndef test_two(): pass\n")
    told = [
        "\n".join(bench.results(PYTEST, "", hardening=level).criteria[0].evidence)
        for level in (Hardening.PLUGINS, Hardening.NONE)
    ]
    assert ["--results none loads all" in each for each in told] == [True, False]


def test_the_safe_path_keeps_the_folder_behind_the_library(bench):
    (bench.folder / "t").mkdir()
    (bench.folder / "t" / "test_it.py").write_text("import graphlib\n" + GREEN)
    bench.results(PYTEST, "", baseline=True)
    (bench.folder / "graphlib.py").write_text("import os; os._exit(0)")
    assert bench.results(PYTEST, "", hardening=Hardening.PLUGINS).verdict is FAIL
    assert bench.results(PYTEST, "", hardening=Hardening.FULL).verdict is PASS


@pytest.mark.parametrize("command", [f"{PYTEST}; exit $?", "true"])
def test_what_is_no_plain_call_is_not_hardened(bench, command):
    (bench.folder / "test_it.py").write_text(GREEN)
    assert not bench.results(command, "", baseline=True).hardenable


def test_a_script_is_asked_through_its_interpreter(bench):
    script = Path(sys.executable).with_name("pytest")
    (bench.folder / "test_it.py").write_text(GREEN)
    report = bench.results(f"{shlex.quote(str(script))} -q", "", baseline=True)
    assert report.hardenable


def test_the_agents_own_place_is_never_hardened(bench):
    bench.isolation = Isolation.SAME_WORKSPACE
    (bench.folder / "test_it.py").write_text(GREEN)
    report = bench.results(PYTEST, "", baseline=True)
    assert (str(report.suite), report.hardenable) == ("2/2 tests", False)


def test_ids_that_hold_folders_of_a_run_are_the_same_in_the_next(bench, tmp_path):
    """A test for each file in a folder is often called by the file's whole path."""
    for number, baseline in enumerate((True, False)):
        root = tmp_path / f"checkout-{number}"
        root.mkdir()
        (tmp_path / f"link-{number}").symlink_to(root)
        bench.folder, bench.places = root, {"CHECKOUT": tmp_path / f"link-{number}"}
        named = [f"t[{root}/data/a]", f"t[{tmp_path}/link-{number}/data/b]"]
        assert bench.results(writing(xml(named)), baseline=baseline).verdict is PASS
