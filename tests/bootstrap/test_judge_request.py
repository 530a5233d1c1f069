"""A rubric is read once, from the user's own folder; the judge runs last and on a checkout."""

from pathlib import Path

import pytest

from loopctl.bootstrap.judge_request import JudgeRequest
from loopctl.bootstrap.request import StartRequest, check_request, evaluator_specs
from loopctl.domain.evaluator_spec import Isolation, JudgeExecutor
from loopctl.errors import UsageError

RUBRIC = "# Rubric\n\n- **Small**: no file is longer than it was\n- **Plain**: names say what\n"


def test_the_judge_is_the_last_evaluator_and_has_a_checkout(tmp_path):
    (tmp_path / "R.md").write_text(RUBRIC)
    judge = JudgeRequest("R.md", "anthropic:a", ("anthropic:b",)).read(tmp_path)
    request = StartRequest(
        "g", tmp_path, "cmd:x", stops=("x",), judge=judge, isolation=Isolation.SAME_WORKSPACE
    )
    stop, spec = evaluator_specs(request, str)
    assert (stop.name, spec.name) == ("stop-1", "judge")
    assert (stop.isolation, spec.isolation) == ("same-workspace", "separate-worktree")
    assert spec.executor == JudgeExecutor(
        rubric="R.md", model="anthropic:a", fallbacks=("anthropic:b",)
    )
    assert spec.criteria.declared is not None
    assert len(spec.criteria.declared) == 2
    assert not spec.is_deterministic


def test_a_judge_alone_is_enough():
    check_request(StartRequest("g", Path("/f"), "cmd:x", judge=JudgeRequest("R.md")))


def test_secrets_of_a_rubric_are_masked(tmp_path):
    (tmp_path / "R.md").write_text("- the key hunter2 is gone\n")
    judge = JudgeRequest("R.md", "m").read(tmp_path)
    spec = judge.spec(lambda text: text.replace("hunter2", "***"))
    assert "hunter2" not in spec.model_dump_json()


def test_it_is_read_once(tmp_path):
    (tmp_path / "R.md").write_text(RUBRIC)
    judge = JudgeRequest("R.md").read(tmp_path)
    (tmp_path / "R.md").unlink()
    assert judge.read(tmp_path) == judge


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "cannot be read"), (b"\xff", "not UTF-8"), (b"- a\n" * 60_000, "more than 200,000")],
)
def test_what_is_no_rubric(tmp_path, content, said):
    if content is not None:
        (tmp_path / "R.md").write_bytes(content)
    with pytest.raises(UsageError, match=said):
        JudgeRequest("R.md").read(tmp_path)
