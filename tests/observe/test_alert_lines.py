"""Alerts: loud where something would act, one quiet part for what the user may have done."""

import json

from observed_facts import COMMIT, TREE, entry_of

from loopctl.domain.agent_session import Survivor
from loopctl.domain.alert import Alert, Harm
from loopctl.domain.events import Settled, SnapshotTaken
from loopctl.domain.snapshot import Snapshot
from loopctl.observe.line_writer import LineWriter
from loopctl.observe.lines import Lines
from loopctl.observe.ndjson import event_object
from loopctl.observe.sentence import sentence

HOOK = Alert(
    kind="git-hook",
    what="hooks/pre-commit",
    detail="is new",
    reverted=True,
    kept="/state/put-back-1",
    next_step="cp /state/put-back-1 .git/hooks/pre-commit",
)
PAGER = Alert(
    kind="git-config", what="core.pager", detail="was set to '\x1b[2J'", next_step="git x"
)
COMMITS = Alert(kind="git-ref", what="refs/heads/main", detail="moved from 1 to 2", harm=Harm.TOLD)
TAKEN = SnapshotTaken(
    order=1,
    snapshot=Snapshot(
        commit=COMMIT,
        tree=TREE,
        judged_tree=TREE,
        round=1,
        alerts=(HOOK, PAGER, COMMITS),
        late=("a.txt",),
    ),
)


def shown(fact, tmp_path):
    with (tmp_path / "out").open("w+") as out:
        writer = LineWriter(out.fileno())
        Lines(writer).observe(entry_of(fact), None)
        writer.close()
    return (tmp_path / "out").read_text().splitlines()


def test_what_acts_has_a_loud_line_with_the_way_back_and_the_rest_has_none(tmp_path):
    summary, *loud = shown(TAKEN, tmp_path)
    assert "ALERT: changed where it acts later: git-hook hooks/pre-commit (put back)" in summary
    assert "also changed meanwhile: git-ref refs/heads/main moved from 1 to 2" in summary
    assert "1 path written to after the turn: a.txt" in summary
    assert [line.partition("ALERT: ")[2] for line in loud] == [
        (
            "git-hook: hooks/pre-commit is new; it was put back "
            "(if it was you: cp /state/put-back-1 .git/hooks/pre-commit)"
        ),
        "git-config: core.pager was set to '\\x1b[2J' (to undo it: git x)",
    ]
    assert all(line.isprintable() for line in [summary, *loud])


def test_what_is_only_told_alarms_nobody(tmp_path):
    quiet = TAKEN.evolve(snapshot=TAKEN.snapshot.evolve(alerts=(COMMITS,)))
    assert "ALERT" not in "".join(shown(quiet, tmp_path))


def test_json_has_every_field():
    stored = event_object(entry_of(TAKEN), "demo")["data"]["snapshot"]["alerts"]
    assert json.loads(json.dumps(stored))[0] == HOOK.model_dump(mode="json")


def test_a_survivor_says_how_it_was_found():
    survivors = (
        Survivor(pid=7, command="sleep"),
        Survivor(pid=8, command="x", found="by its variables"),
    )
    assert "sleep (7), x (8, by its variables)" in sentence(Settled(order=1, survivors=survivors))
