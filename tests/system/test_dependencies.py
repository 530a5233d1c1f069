"""Dependencies: what git ignores reaches the agent and the evaluator, each as its own copy."""

import json
import shutil
import subprocess
import sys

import pytest
from harness import SOLVE, World, wait_for

CHANGE = {"append": ["notes", "more\n"]}
USES_DEPS = "deps/tool && ./check.sh"
TOOL = "#!/bin/sh\nexit 0\n"


@pytest.fixture
def needy(world: World) -> World:
    """A repository whose check needs a folder that git ignores."""
    world.write(".gitignore", "deps/\n__pycache__/\nmade/\n")
    world.write("requirements.txt", "one\n")
    world.commit("ignored dependencies")
    world.write("deps/tool", TOOL)
    (world.repository / "deps" / "tool").chmod(0o755)
    return world


def configure(world: World, text: str) -> None:
    world.write("loopctl.toml", text)


def test_a_shared_folder_reaches_agent_and_evaluator(needy: World) -> None:
    configure(needy, '[workspace]\nshare = ["deps/"]\n[evaluator]\nshare = ["deps"]\n')
    before = needy.fingerprint()
    turn = [{"run": "deps/tool && echo spoilt > deps/tool"}, SOLVE]
    result = needy.run_loop(turn, options=("--stop", USES_DEPS)).check(0)
    assert needy.fingerprint() == before
    assert [each["path"] for each in result.of("snapshot_taken")[0]["snapshot"]["changes"]] == [
        "answer.txt"
    ]


def test_what_an_agent_plants_in_its_copy_is_not_seen(needy: World) -> None:
    """Neither in its copy, nor by taking the folder out of .gitignore."""
    configure(needy, '[workspace]\nshare = ["deps"]\n[evaluator]\nshare = ["deps"]\n')
    planted = [
        {"run": "echo planted > deps/planted; echo > .gitignore; echo 'exit 0' > deps/tool"},
        {"append": ["notes", "more\n"]},
    ]
    stop = "deps/tool && ! test -e deps/planted && test -e notes"
    result = needy.run_loop(planted, options=("--stop", stop)).check(0)
    changes = result.of("snapshot_taken")[0]["snapshot"]["changes"]
    assert {"deps/planted", "deps/tool"} <= {each["path"] for each in changes}


@pytest.mark.parametrize(
    ("share", "said"),
    [("gone", "gone, which is not in"), ("answer.txt", "git does not ignore"), ("../x", "../x")],
)
@pytest.mark.parametrize("table", ["workspace", "evaluator"])
def test_what_cannot_be_shared_is_refused_at_start(
    needy: World, table: str, share: str, said: str
) -> None:
    configure(needy, f'[{table}]\nshare = ["{share}"]\n')
    result = needy.run_loop([SOLVE]).check(2)
    assert said in result.stderr
    assert f"[{table}] share" in result.stderr
    assert needy.branches() == ["main"]
    assert needy.calls() == []


def test_an_ignore_rule_that_is_not_committed_is_refused(needy: World) -> None:
    needy.write(".gitignore", "deps/\nlater/\n")
    needy.write("later/file", "x\n")
    configure(needy, '[workspace]\nshare = ["later"]\n')
    result = needy.run_loop([SOLVE]).check(1)
    assert "commit your .gitignore" in result.stop["next_step"]
    assert needy.branches() == ["main"]


def test_a_worktree_is_set_up_once_and_again_after_a_rebuild(needy: World) -> None:
    runs = needy.folder / "setups"
    configure(needy, f'[workspace]\nsetup = "echo $LOOPCTL_LOOP >> {runs}; mkdir -p made"\n')
    turn = [{"run": "test -d made"}, CHANGE]
    result = needy.run_loop(turn, options=("--max-rounds", "2")).check(10)
    assert runs.read_text() == "demo\n"
    more = ("status", "demo", "--restart", "--max-rounds", "3", "--json")
    needy.run_loopctl(*more).check(10)
    assert runs.read_text() == "demo\n"
    shutil.rmtree(result.ended["worktree"])
    needy.run_loopctl(*more).check(10)
    assert runs.read_text() == "demo\ndemo\n"


def test_a_worktree_that_cannot_be_set_up_starts_no_loop(needy: World) -> None:
    configure(needy, '[workspace]\nsetup = "echo no such package; exit 3"\n')
    result = needy.run_loop([SOLVE]).check(1)
    assert "[workspace] setup runs first: echo no such package; exit 3" in result.stderr
    assert "[workspace] setup failed (exit 3)" in result.stop["detail"]
    assert "no such package" in result.stop["detail"]
    assert "workspace-setup.log" in result.stop["next_step"]
    assert needy.calls() == []
    assert needy.branches() == ["main"]


def test_a_setup_is_kept_until_a_manifest_or_what_it_has_read_changes(needy: World) -> None:
    """It runs for the base, a changed manifest, a file that it writes and one that it compiles."""
    runs = needy.folder / "setups"
    needy.write("native.c", "wrong\n")
    needy.commit("a source")
    configure(
        needy,
        f'[evaluator]\nsetup = "cat requirements.txt >> {runs}; mkdir made; '
        'cp requirements.txt made/is; cp native.c made/native; echo litter >> answer.txt"\n',
    )
    stop = ("--stop", "cmp made/is requirements.txt && ./check.sh && grep right made/native")
    upgrade = [{"write": ["requirements.txt", "two\n"]}]
    repair = [{"write": ["native.c", "right\n"]}]
    needy.run_loop([CHANGE], upgrade, [SOLVE], repair, options=stop).check(0)
    assert runs.read_text() == "one\ntwo\ntwo\ntwo\n"
    assert not list(needy.home.glob("loops/*/setup"))


def test_a_failing_setup_is_an_error_and_its_output_the_evidence(needy: World) -> None:
    configure(needy, '[evaluator]\nsetup = "echo resolving; echo cannot find it; exit 4"\n')
    result = needy.run_loop([SOLVE], options=("--stop", "true")).check(15)
    assert "[evaluator] setup runs first: echo resolving" in result.stderr
    assert "[evaluator] setup failed (exit 4)" in result.stop["detail"]
    assert "cannot find it" in result.stop["detail"]
    assert needy.calls() == []
    shown = needy.run_loopctl("show", "demo", "--round", "0").check(0).stdout
    assert "resolving" in shown
    assert "ERROR" in shown


def test_a_setup_that_the_agent_breaks_is_never_a_verdict(needy: World) -> None:
    configure(needy, '[evaluator]\nsetup = "grep -q one requirements.txt"\n')
    turn = [{"write": ["requirements.txt", "broken\n"]}, SOLVE]
    result = needy.run_loop(turn, options=("--stop", "./check.sh")).check(15)
    verdicts = [each["report"]["criteria"][0] for each in result.of("evaluator_finished")]
    assert [each["verdict"] for each in verdicts] == ["FAIL", "ERROR", "ERROR", "ERROR"]


def test_a_cancelled_setup_leaves_nothing(needy: World) -> None:
    started = needy.folder / "started"
    configure(needy, f'[evaluator]\nsetup = "touch {started}; sleep 600"\n')
    process = needy.start_loop([SOLVE])
    wait_for(started.exists, "the setup runs")
    needy.run_loopctl("cancel", "demo").check(0)
    assert process.wait(20) == 130
    needy.no_process_left()
    assert not list(needy.home.glob("loops/*/checkouts/*"))


@pytest.mark.parametrize("kind", ["none", "one-commit", "history"])
def test_what_git_finds_in_a_checkout(needy: World, kind: str) -> None:
    needy.git("tag", "v1.2")
    seen = needy.folder / "seen"
    configure(needy, f'[evaluator]\ngit = "{kind}"\n')
    look = (
        "git status --porcelain; git ls-files; git rev-list --count HEAD; "
        "git symbolic-ref HEAD; git describe --tags"
    )
    stop = f"GIT_CEILING_DIRECTORIES=$PWD/..; export GIT_CEILING_DIRECTORIES; {{ {look}; }}"
    options = ("--stop", f"{stop} > {seen} 2>&1; ./check.sh", "--baseline", "skip")
    needy.run_loop([SOLVE], options=options).check(0)
    lines = seen.read_text().splitlines()
    if kind == "none":
        assert all("not a git repository" in line for line in lines)
        return
    tracked = needy.git("ls-files").splitlines()
    assert lines[: len(tracked)] == tracked
    count, head, described = lines[len(tracked) :]
    assert head == "refs/heads/main"
    if kind == "history":
        assert int(count) == int(needy.git("rev-list", "--count", "main")) + 1
        assert described.startswith("v1.2-1-g")
    else:
        assert count == "1"
        assert "fatal" in described


def test_a_failing_baseline_names_what_is_missing(needy: World) -> None:
    """FAIL goes on and says so; ERROR stops and says so; what is shared is not missing."""
    (needy.repository / "__pycache__").mkdir()
    (needy.repository / "__pycache__" / "x").write_text("")
    result = needy.run_loop([SOLVE], options=("--stop", "test -e deps && exit 0; ./check.sh"))
    assert result.check(0).of("checkout_lacks") == [
        {"folders": ["deps"], "supply": '[evaluator] share = ["deps"]'}
    ]
    assert '[evaluator] share = ["deps"] supplies them' in result.stderr
    options = ("--stop", "deps/tool", "--name", "second")
    failed = needy.run_loop([SOLVE], options=options).check(15)
    assert '[evaluator] share = ["deps"]' in failed.stop["next_step"]
    configure(needy, '[evaluator]\nshare = ["deps"]\n')
    third = needy.run_loop([SOLVE], options=("--stop", USES_DEPS, "--name", "third"))
    assert third.check(0).of("checkout_lacks") == []


def test_caches_and_paths_are_labelled(needy: World) -> None:
    needy.write("packages/a/x", "x\n")
    needy.write("packages/b/y", "y\n")
    needy.commit("two packages")
    cache = needy.folder / "home" / ".cache" / "tool"
    cache.mkdir(parents=True)
    configure(needy, '[evaluator]\ncache = ["~/.cache/tool"]\npaths = ["packages/a"]\n')
    stop = (
        'test -e packages/a/x && ! test -e packages/b && test -z "$(git status --porcelain)" '
        "&& touch ~/.cache/tool/used && ./check.sh"
    )
    result = needy.run_loop([SOLVE], options=("--stop", stop)).check(0)
    warnings = result.of("evaluator_finished")[-1]["report"]["warnings"]
    assert warnings == [
        "the checkout is limited to: packages/a",
        "cache shared: ~/.cache/tool",
    ]
    assert (cache / "used").exists()


def test_a_teardown_ends_each_checkout_and_its_failure_is_a_warning(needy: World) -> None:
    ended = needy.folder / "ended"
    configure(
        needy,
        f'[evaluator]\nteardown = "echo $COMPOSE_PROJECT_NAME $(cat answer.txt) >> {ended}; '
        'exit 5"\n',
    )
    result = needy.run_loop([SOLVE]).check(0)
    lines = [line.rsplit(maxsplit=1) for line in ended.read_text().splitlines()]
    assert [answer for _, answer in lines] == ["0", "42"]
    assert {name.rpartition("-")[0] for name, _ in lines} == {"loopctl-demo"}
    assert "teardown failed (exit 5)" in json.dumps(
        result.of("evaluator_finished")[-1]["report"]["warnings"]
    )


def test_a_teardown_runs_after_a_cancellation_too(needy: World) -> None:
    started, ended = needy.folder / "started", needy.folder / "ended"
    configure(needy, f'[evaluator]\nteardown = "touch {ended}"\n')
    process = needy.start_loop([SOLVE], options=("--stop", f"touch {started}; sleep 600"))
    wait_for(started.exists, "the evaluator runs")
    needy.run_loopctl("cancel", "demo").check(0)
    assert process.wait(20) == 130
    assert ended.exists()


def test_a_virtual_environment_is_shared_and_knows_its_new_place(needy: World) -> None:
    """Its scripts and an editable install lead into the copy, not into the user's checkout."""
    needy.write(".gitignore", "venv/\n")
    needy.write("src/product/__init__.py", "ANSWER = 0\n")
    needy.commit("a product")
    venv = needy.repository / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    site = next(venv.glob("lib/python*/site-packages"))
    (site / "editable.pth").write_text(f"{needy.repository}/src\n")
    script = venv / "bin" / "tell"
    script.write_text(
        f"#!{venv}/bin/python\nimport sys, product\nprint(sys.prefix, product.__file__)\n"
        "sys.exit(product.ANSWER != 42)\n"
    )
    script.chmod(0o755)
    configure(needy, '[workspace]\nshare = ["venv"]\n[evaluator]\nshare = ["venv"]\n')
    told = needy.folder / "told"
    path = f"{venv}/bin:{needy.environment['PATH']}"
    turn = [{"write": ["src/product/__init__.py", "ANSWER = 42\n"]}, {"run": "tell"}]
    options = ("--stop", f"tell >> {told}")
    needy.run_loop(turn, options=options, env={"PATH": path, "VIRTUAL_ENV": str(venv)}).check(0)
    assert str(needy.repository) not in told.read_text()
    assert len(told.read_text().splitlines()) == 2
