"""A10: no secret is stored or shown, and what is stored is the user's alone."""

import base64
import os
import shutil
import stat
import subprocess
from pathlib import Path

from harness import SOLVE, World

KEY = "sk-FAKEfake0123456789abcdefFAKEfake"
PASSWORD = "correct horse battery staple"


def stored_bytes(folder: Path) -> bytes:
    return b"\n".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a10_1_secrets_are_masked_everywhere(world: World) -> None:
    """Printed plainly, in base64, and in two pieces; in what is stored and in what is shown."""
    encoded = base64.b64encode(PASSWORD.encode()).decode()
    half = len(KEY) // 2
    turn = [
        {"say": f"the key is {KEY}, the password {PASSWORD}, encoded {encoded}"},
        {"run": f"printf %s {KEY[:half]}; sleep 0.3; printf '%s\\n' {KEY[half:]}"},
        {"append": ["notes", "more\n"]},
    ]
    secrets = {"ANTHROPIC_API_KEY": KEY, "DB_PASSWORD": PASSWORD}
    options = ("--max-rounds", "1", "--stop", f"echo {KEY}; ./check.sh")
    result = world.run_loop(turn, options=options, env=secrets).check(10)
    logs = world.run_loopctl("logs", "demo", env=secrets).check(0)
    shown = world.run_loopctl("show", "demo", "--round", "1", env=secrets).check(0)
    printed = result.stdout + result.stderr + logs.stdout + shown.stdout
    for secret in (KEY, PASSWORD, encoded):
        assert secret not in printed
    found = stored_bytes(world.home / "loops")
    assert b"the password" in found
    for secret in (PASSWORD, encoded, KEY):
        assert secret.encode() not in found


def test_a10_1_nothing_reaches_the_database(world: World) -> None:
    turn = [{"say": f"the key is {KEY}, the password {PASSWORD}"}, {"append": ["notes", "more\n"]}]
    secrets = {"ANTHROPIC_API_KEY": KEY, "DB_PASSWORD": PASSWORD}
    stop = ("--max-rounds", "1", "--stop", f"cat {world.folder}/key; ./check.sh")
    (world.folder / "key").write_text(KEY)
    world.run_loop(turn, options=stop, env=secrets).check(10)
    found = b"".join(path.read_bytes() for path in world.home.glob("loopctl.db*"))
    assert b"the key is" in found
    assert KEY.encode() not in found
    assert PASSWORD.encode() not in found


def test_a10_3_folders_and_files_are_private(world: World) -> None:
    """Whatever the umask, from the first use on."""
    shutil.rmtree(world.home)
    arguments = world.command(*world.loop_arguments([SOLVE]))
    quoted = " ".join(f"'{argument}'" for argument in arguments)
    done = subprocess.run(
        ["/bin/sh", "-c", f"umask 000; exec {quoted}"],
        cwd=world.repository,
        env=world.environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert stat.S_IMODE(world.home.stat().st_mode) == 0o700
    for folder, folders, files in os.walk(world.home):
        for path in (Path(folder) / name for name in (*folders, *files)):
            mode = stat.S_IMODE(path.lstat().st_mode)
            assert mode & 0o077 == 0, (path, oct(mode))
        if Path(folder).parent.name == "projects":
            folders.clear()  # worktrees and objects, below a folder that nobody else can enter


def test_a10_3_the_evaluator_gets_no_keys(world: World) -> None:
    seen = world.folder / "seen"
    options = ("--stop", f"env > {seen}; ./check.sh", "--baseline", "skip")
    secrets = {"ANTHROPIC_API_KEY": KEY, "DB_PASSWORD": PASSWORD, "AWS_PROFILE": "prod"}
    got = world.folder / "got"
    world.run_loop([{"run": f"env > {got}"}, SOLVE], options=options, env=secrets).check(0)
    assert not any(name in seen.read_text() for name in secrets)
    assert KEY in got.read_text(), "the agent itself needs its key"
