"""Choosing looks at the machine and at earlier loops of the project, and creates nothing."""

from pathlib import Path

import pytest

from loopctl.bootstrap.judge_request import JudgeRequest
from loopctl.bootstrap.preparing import last_used, prepare
from loopctl.bootstrap.request import StartRequest
from loopctl.domain.evaluator_spec import (
    EvaluatorSpec,
    JudgeExecutor,
    Rubric,
    RubricItem,
    ShellExecutor,
    SingleMetric,
)
from loopctl.domain.loop import LoopSpec
from loopctl.errors import UsageError
from loopctl.git.repository import discover
from loopctl.store.database import Database
from loopctl.store.home import state_home
from loopctl.store.loop_documents import create_loop
from loopctl.store.used_models import UsedModels
from loopctl.workspace.project import project_id

SHELL = EvaluatorSpec(
    name="stop-1", criteria=SingleMetric(name="x"), executor=ShellExecutor(command="x")
)


def remember(repository: Path, environment, *, models=(), judge="", project="") -> None:
    """Store a loop that was started with these models."""
    home = state_home(environment)
    database = Database.open(home)
    judged = EvaluatorSpec(
        name="judge",
        criteria=Rubric(items=(RubricItem(name="a", description="a"),)),
        executor=JudgeExecutor(rubric="R.md", model=judge),
    )

    def specify(name: str) -> LoopSpec:
        return LoopSpec(
            name=name,
            goal="g",
            project=project or project_id(discover(repository)),
            repository=str(repository),
            base_commit="c",
            base_tree="t",
            branch="b",
            agent="cmd:x",
            models=models,
            evaluators=(SHELL, judged) if judge else (SHELL,),
        )

    create_loop(database, home, "loop", specify, lambda _: False)
    database.close()


def test_nothing_is_created_by_looking(repository, environment):
    assert last_used(repository, environment) == UsedModels()
    request = StartRequest("g", repository, "anthropic", stops=("x",))
    assert prepare(request, environment).request.models
    assert not Path(environment["LOOPCTL_HOME"]).exists()


def test_the_models_of_earlier_loops_newest_first(repository, environment):
    remember(repository, environment, models=("anthropic:old", "anthropic:f"), judge="openai:j")
    remember(repository, environment, models=("anthropic:new",))
    remember(repository, environment)
    remember(repository, environment, models=("anthropic:other",), project="another")
    assert last_used(repository, environment) == UsedModels(
        coder=("anthropic:new", "anthropic:old"), judge=("openai:j",)
    )
    request = StartRequest("g", repository, "anthropic", stops=("x",))
    chosen, (told,) = prepare(request, environment)
    assert chosen.models == ("anthropic:new",)
    assert "last used in this project" in told


def test_outside_of_a_repository_nothing_was_used(tmp_path, environment):
    assert last_used(tmp_path, environment) == UsedModels()


@pytest.mark.parametrize(("name", "agent"), [("claude", "cmd:claude"), ("codex", "cmd:codex")])
def test_an_installed_agent_is_found(name, agent, repository, environment):
    program = Path(environment["PATH"]) / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    chosen, (told,) = prepare(StartRequest("g", repository, "", stops=("x",)), environment)
    assert chosen.agent.startswith(f"{agent} ")
    assert "this one is installed" in told


def test_the_rubric_is_read(repository, environment):
    (repository / "R.md").write_text("- one\n- two\n")
    asked = StartRequest("g", repository, "cmd:x", judge=JudgeRequest("R.md", "openai:j"))
    judge = prepare(asked, environment).request.judge
    assert judge is not None
    assert judge.rubric is not None
    assert len(judge.rubric.items) == 2
    with pytest.raises(UsageError, match="cannot be read"):
        prepare(StartRequest("g", repository, "cmd:x", judge=JudgeRequest("no.md")), environment)
