"""Where the evaluators' interpreters would import the project from."""

from collections.abc import Mapping

from loopctl.bootstrap.doctor.diagnosis import Topic, refusal
from loopctl.bootstrap.redirecting import checked_redirections
from loopctl.bootstrap.request import StartRequest, evaluator_specs
from loopctl.errors import LoopctlError
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.observe.plain import one_line
from loopctl.process.toolbox import Toolbox


def imports(
    request: StartRequest,
    user: UserRepository,
    project: ProjectRepository,
    tools: Toolbox,
    *,
    environment: Mapping[str, str],
    cwd: str,
) -> list[Topic]:
    """What leads them to the user's own files; a topic only when something does."""
    try:
        told = checked_redirections(
            evaluator_specs(request, tools.masker.mask),
            request.evaluator_env,
            request.evaluator_supplies,
            user=user,
            project=project,
            environment=environment,
            cwd=cwd,
        )
    except LoopctlError as error:
        return [Topic("imports", findings=(refusal(error),))]
    rows = tuple(
        ("found" if not number else "", one_line(each)) for number, each in enumerate(told)
    )
    return [Topic("imports", rows, {"found": list(told)})] if told else []
