"""Loops whose evaluators run in a container: the same verdicts, and nothing else to be seen."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from editable_world import Environment
from harness import SOLVE, World, kill, wait_for
from ordinary_user import IS_ROOT, UID, as_ordinary_user, needs_sandbox

from loopctl.process.sandbox.owner import UNPRIVILEGED

pytestmark = needs_sandbox
BOXED = ("--isolation", "container")
ONCE = ("--max-rounds", "1")
SPY = """\
for each in {paths}; do test -e "$each" && echo "seen: $each"; done
echo "user: $(id -u)"
echo "processes: $(ls /proc | grep -c '^[0-9]')"
touch here "$HOME/x" "$TMPDIR/x" /tmp/x || echo "not writable"
git status --porcelain | sed 's/^/git: /'
git log --format='commit: %s' --all
git cat-file -e {hidden} 2>/dev/null && echo "seen: another branch"
python -c "import pytest, sys; print('python:', sys.prefix)"
"""


def logged(world: World, name: str = "baseline.stop-1.1.log") -> list[str]:
    (log,) = world.home.glob(f"loops/*/logs/{name}")
    return log.read_text().splitlines()


def test_a_container_shows_its_checkout_and_no_more(world: World) -> None:
    world.git("checkout", "-q", "-b", "other")
    world.write("secret.txt", "of another branch")
    world.commit("the other branch")
    hidden = world.git("rev-parse", "HEAD:secret.txt")
    world.git("checkout", "-q", "main")
    world.write("untracked", "")
    paths = [
        *(world.repository / "untracked", world.repository / ".git", world.home / "loopctl.db"),
        *(world.home / "projects", world.folder / "script-1.json", Path("/root/.ssh")),
        *(world.folder / "home", Path("/var/log"), Path("/sys/kernel")),
    ]
    spy = SPY.format(paths=shlex.join(map(str, paths)), hidden=hidden)
    stop = f"{spy}./check.sh"
    result = world.run_loop([SOLVE], options=(*ONCE, "--stop", stop, *BOXED)).check(0)
    said = logged(world)
    uid = UNPRIVILEGED if IS_ROOT else os.geteuid()
    assert said[0] == f"user: {uid}"
    assert int(said[1].split()[1]) < 8
    assert said[2:] == [
        "git: ?? here",
        "commit: The tree that is judged",
        f"python: {sys.prefix}",
        "the answer is 0",
    ]
    report = result.of("evaluator_finished")[-1]["report"]
    assert report["isolation"] == "container"
    assert list(world.home.glob("loops/*/checkouts/*")) == []


def test_tests_are_counted_in_it(world: World) -> None:
    test = "from calc import double\n\ndef test_double():\n    assert double(21) == 42\n"
    world.write("tests/test_calc.py", test)
    world.commit("a test")
    solved = {"write": ["calc.py", "def double(x):\n    return 2 * x\n"]}
    stop = "python -m pytest -q -p no:cacheprovider"
    options = (*ONCE, "--stop", stop, *BOXED)
    result = world.run_loop([solved], options=options, timeout=90).check(0)
    report = result.of("evaluator_finished")[-1]["report"]
    assert report["suite"]["passed"] == 1
    assert report["hardening"] == "plug-ins by name, safe path"


def test_setup_share_and_teardown_are_in_it_too(world: World) -> None:
    world.write(".gitignore", "deps/\nmade/\n")
    world.write("requirements.txt", "one\n")
    world.commit("dependencies")
    world.write("deps/tool", "#!/bin/sh\ngrep -qx 42 answer.txt\n")
    (world.repository / "deps" / "tool").chmod(0o755)
    look = f"test ! -e {world.repository}"
    world.write(
        "loopctl.toml",
        f"""
        [evaluator]
        share = ["deps"]
        setup = "{look} && mkdir made && cp requirements.txt made/ && echo x >>$HOME/setup"
        teardown = "{look} && test -e torn && echo torn"
        """,
    )
    stop = f"{look} && touch torn && test -s made/requirements.txt && deps/tool"
    result = world.run_loop([SOLVE], options=(*ONCE, "--stop", stop, *BOXED)).check(0)
    assert [each for each in result.of("evaluator_finished") if each["report"]["warnings"]] == []
    assert logged(world, "teardown.log") == ["torn"]


def test_a_shared_environment_finds_its_interpreter(world: World) -> None:
    world.write(".gitignore", ".venv/\n")
    world.commit("an environment")
    Environment(world.repository / ".venv")
    world.write("loopctl.toml", '[evaluator]\nshare = [".venv"]\n')
    code = "import sys; print(sys.prefix); sys.exit(open('answer.txt').read() != '42\\n')"
    stop = f'.venv/bin/python -c "{code}"'
    world.run_loop([SOLVE], options=(*ONCE, "--stop", stop, *BOXED)).check(0)
    assert "/checkouts/" in logged(world)[0]


def test_an_editable_install_leads_to_the_checkout(world: World) -> None:
    world.write("src/product/__init__.py", "ANSWER = 0\n")
    world.write("pyproject.toml", '[project]\nname = "product"\n')
    world.commit("a product")
    environment = Environment(world.folder / "venv")
    environment.add_path("__editable__.product-0.1", world.repository / "src")
    path = {"PATH": f"{environment.bin}:{world.environment['PATH']}"}
    code = "import product, sys; print(product.__file__); sys.exit(product.ANSWER != 42)"
    fix = {"write": ["src/product/__init__.py", "ANSWER = 42\n"]}
    stop = f'cd tests && python -c "{code}"'
    world.run_loop([fix], options=(*ONCE, "--stop", stop, *BOXED), env=path).check(0)
    assert "/checkouts/" in logged(world)[0]


def test_a_hang_ends_at_its_time(world: World) -> None:
    stop = "grep -qx 0 answer.txt && exit 1; (setsid sleep 1000 &) ; sleep 1000"
    options = ("--stop", stop, "--eval-timeout", "0.5", "--max-rounds", "1", *BOXED)
    world.run_loop([SOLVE], options=options).check(10)
    world.no_process_left(1)


def test_nothing_of_it_outlives_a_killed_driver(world: World) -> None:
    stop = "echo started; setsid sleep 1000 & sleep 1000"
    driver = world.start_loop([SOLVE], options=("--stop", stop, *BOXED), cold=True)
    wait_for(lambda: len(world.processes()) > 3, "the check runs")
    kill(driver)
    world.no_process_left()


def test_restarts_go_on_in_it(world: World) -> None:
    options = ("--stop", "./check.sh", "--max-rounds", "1", *BOXED)
    world.run_loop([{"append": ["notes", "x"]}], options=options).check(10)
    again = world.run_loopctl("status", "demo", "--restart", "--json")
    again.check(10)
    assert {each["report"]["isolation"] for each in again.of("evaluator_finished")} == {"container"}


@pytest.mark.skipif(not IS_ROOT, reason="an ordinary user's programs may read what the user may")
@pytest.mark.parametrize(
    "line", ['cache = ["~/.cache/tool"]', 'git = "history"'], ids=["cache", "history"]
)
def test_as_root_what_others_could_not_read_is_refused(world: World, line: str) -> None:
    world.write("loopctl.toml", f"[evaluator]\n{line}\n")
    result = world.run_loop([SOLVE], options=BOXED).check(2)
    assert "as root, programs in a container" in result.stderr
    assert world.branches() == ["main"]


@pytest.mark.skipif(IS_ROOT and not shutil.which("unshare"), reason="needs unshare")
def test_an_ordinary_user_has_caches_and_the_history_too(empty_database: bytes) -> None:
    """As root: somebody else, for whom nothing can be read that only root may read."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="lc-") as folder:
        world = World(Path(folder), empty_database)
        world.make_repository()
        world.write("loopctl.toml", '[evaluator]\ncache = ["~/.cache/tool"]\ngit = "history"\n')
        look = f"test ! -e {world.repository}/answer.txt && git log --format=%s && id -u"
        stop = f"{look} && echo x >>~/.cache/tool/used && ./check.sh"
        arguments = world.loop_arguments([SOLVE], options=("--stop", stop, *ONCE, *BOXED))
        if IS_ROOT:
            subprocess.run(["chown", "-R", f"{UID}:{UID}", folder], check=True)
        done = subprocess.run(
            as_ordinary_user(*world.command(*arguments)),
            cwd=world.repository,
            env=world.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert logged(world)[:2] == ["first", str(UID if IS_ROOT else os.geteuid())]
        assert (world.folder / "home" / ".cache" / "tool" / "used").exists()
        world.no_process_left(1)
