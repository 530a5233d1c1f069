"""The tools as models see them: whole, and the same wherever they are asked for."""

import json

import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from tools_world import CONCERN, HANDOFF, REPORT

from loopctl.domain.agent_session import Role
from loopctl.domain.handoff import AuditorHandoff, CoderHandoff, PostActionReport
from loopctl.tools.declared import ALL_NAMES, declared_for
from loopctl.tools.problems import InvalidArgumentsError

FINDING = {"file": "a.py", "line": 3, "severity": "bug", "description": "wrong"}
VALID = {
    (Role.CODER, "loop_handoff"): HANDOFF,
    (Role.AUDITOR, "loop_handoff"): {"summary": {"done": "all of it", "followUps": "none"}},
    (Role.POST_ACTION, "loop_complete"): {**REPORT, "followUps": ["tell people"]},
    (Role.CODER, "loop_flag_concern"): CONCERN,
    (Role.AUDITOR, "review_write"): FINDING,
    (Role.AUDITOR, "review_delete"): {"file": "a.py", "line": 3},
    (Role.AUDITOR, "review_read"): {},
    (Role.CODER, "section_read"): {"pending_suffix": True},
    (Role.AUDITOR, "plan_adjust"): {"sections": [], "rationale": "done already"},
}
INVALID = [
    ("loop_handoff", {}, ["changes: Field required", "verification: Field required"]),
    (
        "loop_handoff",
        {**HANDOFF, "changes": [{"summary": "x"}, {"summary": "", "reason": "y"}]},
        ["changes[0].reason: Field required", "changes[1].summary: String should have at least"],
    ),
    (
        "loop_handoff",
        {**HANDOFF, "verification": [{**HANDOFF["verification"][0], "changedAfter": "false"}]},
        ["verification[0].changedAfter: Input should be a valid boolean"],
    ),
    (
        "loop_handoff",
        {**HANDOFF, "deviations": [{"plan_item": "x", "actual": "y", "reason": "z"}]},
        ["deviations[0].planItem: Field required", "deviations[0].plan_item: Extra inputs"],
    ),
    ("loop_handoff", {**HANDOFF, "kind": "coder"}, ["kind: there is no such field"]),
    ("loop_handoff", {**HANDOFF, "verdict": "PASS"}, ["verdict: Extra inputs"]),
    ("loop_handoff", {**HANDOFF, "notes": "\ud800"}, ["arguments: Invalid JSON: "]),
    ("loop_handoff", {**HANDOFF, "notes": {1, 2}}, ["the arguments are not JSON"]),
    ("loop_flag_concern", {"concern": "x", "severity": "urgent"}, ["severity: Input should be"]),
    ("loop_flag_concern", {"concern": "   ", "severity": "low"}, ["concern: String should have"]),
    ("review_write", {**FINDING, "line": "3"}, ["line: Input should be a valid integer"]),
    ("plan_adjust", {"rationale": "x"}, ["one of currentSection and sections has to be given"]),
    ("loop_handoff", {**HANDOFF, "changes": [{}] * 300_000}, ["more than 5000 values"]),
    ("loop_handoff", {"k" * 5000: 1}, ["changes: Field required", "k" * 200 + "...:"]),
]


class JsonFile(SingleFileSnapshotExtension):
    _write_mode = WriteMode.TEXT
    file_extension = "json"


def declared(role: Role, name: str):
    return next(each for each in declared_for(role) if each.name == name)


@pytest.mark.parametrize("role", Role)
def test_what_a_role_sees(role, snapshot):
    shown = {
        each.name: {"description": each.description, "schema": each.schema}
        for each in declared_for(role)
    }
    assert json.dumps(shown, indent=1) + "\n" == snapshot.use_extension(JsonFile)


def test_every_tool_is_seen_by_somebody():
    assert {each.name for role in Role for each in declared_for(role)} == ALL_NAMES


@pytest.mark.parametrize("role", Role)
def test_schemas_stand_alone(role):
    for each in declared_for(role):
        text = json.dumps(each.schema)
        assert "$ref" not in text
        assert '"kind"' not in text
        assert each.schema["type"] == "object"
        assert each.schema["additionalProperties"] is False


@pytest.mark.parametrize(("place", "arguments"), VALID.items())
def test_valid_arguments(place, arguments):
    tool = declared(*place)
    assert isinstance(tool.validated(arguments), tool.payload)
    assert arguments.keys() <= tool.schema["properties"].keys()


def test_payloads_of_the_three_roles():
    assert declared(Role.CODER, "loop_handoff").payload is CoderHandoff
    assert declared(Role.AUDITOR, "loop_handoff").payload is AuditorHandoff
    assert declared(Role.POST_ACTION, "loop_complete").payload is PostActionReport


@pytest.mark.parametrize(("name", "arguments", "said"), INVALID)
def test_invalid_arguments_are_named_with_their_place(name, arguments, said):
    role = Role.CODER if name.startswith("loop_") else Role.AUDITOR
    with pytest.raises(InvalidArgumentsError) as caught:
        declared(role, name).validated(arguments)
    text = caught.value.message
    for problem in said:
        assert problem in text
    assert json.loads(text.splitlines()[-1]) == declared(role, name).schema


def test_many_problems_are_cut():
    changes = [{}] * 60
    with pytest.raises(InvalidArgumentsError) as caught:
        declared(Role.CODER, "loop_handoff").validated({**HANDOFF, "changes": changes})
    assert "- and 101 more\n" in caught.value.message
