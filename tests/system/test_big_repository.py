"""A big repository: its checkout stands while the driver lives, and no evaluation sees another."""

import subprocess

from harness import World

from loopctl.workspace.standing_checkout import SMALLEST

CHANGE = {"append": ["notes", "more\n"]}


def test_a_standing_checkout_is_used_by_every_round_and_gone_at_the_end(world: World) -> None:
    blob = world.git("rev-parse", "HEAD:answer.txt")
    entries = (f"100644 {blob}\tmany/{number // 100}/{number}" for number in range(SMALLEST))
    subprocess.run(
        ("git", "update-index", "--index-info"),
        cwd=world.repository,
        input="\n".join(entries).encode(),
        check=True,
    )
    world.git("commit", "-q", "-m", "many files")
    seen = world.folder / "seen"
    judge = (
        f"(pwd; find . -name '*left*'; wc -l <notes; git status --porcelain) >> {seen} 2>&1;"
        " mkdir -p .git/left many/left; touch left many/left/x many/1/left; exit 1"
    )
    options = ("--stop", judge, "--baseline", "skip", "--max-rounds", "3")
    world.run_loop([CHANGE], options=options).check(10)
    lines = seen.read_text().splitlines()
    assert len(set(lines[::2])) == 1
    assert [line.strip() for line in lines[1::2]] == ["1", "2", "3"]
    assert not list(world.home.glob("loops/*/checkouts/*"))
