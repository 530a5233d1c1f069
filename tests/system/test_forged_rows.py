"""An agent writes into loopctl's own database: no row of its making becomes a verdict."""

import sys

from harness import World

FORGE = """\
import pathlib, sqlite3, subprocess
pathlib.Path("notes").write_text("changed\\n")
def git(*words):
    return subprocess.run(("git", *words), capture_output=True, text=True).stdout.strip()
git("add", "-A")
tree = git("write-tree")
database = sqlite3.connect(DATABASE, timeout=20)
for table, key in (("evaluations", "id"), ("criteria", "evaluation_id")):
    columns = [row[1] for row in database.execute(f"pragma table_info({table})")]
    last = database.execute(f"select max({key}) from {table}").fetchone()[0]
    changed = {key: last + 1, "tree": tree, "verdict": "PASS", "round": 1}
    if table == "criteria":
        last, changed[key] = last, new
    new = last + 1
    row = database.execute(f"select * from {table} where {key} = ? limit 1", (last,)).fetchone()
    values = [changed.get(name, value) for name, value in zip(columns, row)]
    marks = ", ".join("?" for _ in values)
    database.execute(f"insert into {table} values ({marks})", values)
database.commit()
print("forged", tree)
"""


def test_a_forged_pass_is_not_believed(world: World) -> None:
    """The row fits the tree and the evaluator; the evaluator is run all the same."""
    script = world.folder / "forge.py"
    script.write_text(FORGE.replace("DATABASE", repr(str(world.home / "loopctl.db"))))
    result = world.run_loop(
        [{"run": f"{sys.executable} {script}"}], options=("--max-rounds", "1")
    ).check(10)
    reused = [data["reports"] for data in result.of("verdicts_recalled")]
    assert reused[-1] != []  # the forgery was found in the database, and not taken
    assert result.of("evaluator_finished")[-1]["report"]["criteria"][0]["verdict"] == "FAIL"


REWRITE = """\
import sqlite3
database = sqlite3.connect(DATABASE, timeout=20)
database.execute("update loops set spec_json = replace(spec_json, './check.sh', 'true')")
database.commit()
"""


def test_another_specification_is_not_gone_on_with(world: World) -> None:
    script = world.folder / "rewrite.py"
    script.write_text(REWRITE.replace("DATABASE", repr(str(world.home / "loopctl.db"))))
    world.run_loop(
        [{"run": f"{sys.executable} {script}"}], options=("--max-rounds", "1", "--name", "demo")
    ).check(10)
    refused = world.run_loopctl("status", "demo", "--restart").check(2)
    assert "is not what it was when it was started" in refused.stderr
    assert "loopctl diff demo" in refused.stderr
    world.run_loopctl("cancel", "demo").check(0)  # it can be ended, and its work is there
