"""An agent that does the work passes everywhere, and nothing odd is said of it."""

import pytest
from all_kinds import KINDS
from cheat import Level, Outcome
from cheated_kind import Kind
from conftest import Maker
from node_kinds import NODE
from ordinary_user import needs_sandbox
from python_kinds import FAST, PLAIN_UNITTEST, PYTEST, SETTINGS, SUITE, TOLERANT, VENDORED
from shell_kinds import MAKE, SCRIPT

USUAL = (SUITE, PYTEST, SCRIPT, MAKE, NODE)
SHOWN_BY_OTHERS = (PLAIN_UNITTEST, VENDORED, SETTINGS, FAST, TOLERANT)
TRIED = [(kind, Level.SEPARATE) for kind in KINDS if kind not in SHOWN_BY_OTHERS]
TRIED += [(kind, level) for kind in USUAL for level in Level if level is not Level.SEPARATE]


@pytest.mark.parametrize(
    ("kind", "level"),
    [
        pytest.param(
            kind,
            level,
            id=f"{kind.name}-{level.name.lower()}",
            marks=needs_sandbox if level is Level.CONTAINER else (),
        )
        for kind, level in TRIED
    ],
)
def test_an_honest_agent_passes(kind: Kind, level: Level, cheated: Maker) -> None:
    here = cheated(kind)
    turn = [{"write": [path, content]} for path, content in kind.repair.items()]
    ending = here.judge(kind, [turn], level)
    assert ending.code == 0, ending.told
    assert ending.outcome is Outcome.PASSED, ending.odd
