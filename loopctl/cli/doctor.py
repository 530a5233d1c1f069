"""``loopctl doctor``: what a run here would do, without starting anything."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopctl.cli import options
from loopctl.cli.agent_guard import refuse_inside_agent, refuse_inside_worktree
from loopctl.cli.output import as_json, say
from loopctl.cli.run import run
from loopctl.cli.run_options import takes_options_of
from loopctl.errors import ExitCode

if TYPE_CHECKING:
    from loopctl.bootstrap.doctor.diagnosis import Topic
    from loopctl.bootstrap.request import StartRequest

_GOAL = "what the doctor looks at"


@takes_options_of(run, without=("goal", "quiet"))
def doctor(*, json: options.Json = False, **flags: Any) -> int:
    """Explain what a run with these options would do. Nothing is started or written."""
    from loopctl.bootstrap.doctor.diagnosis import Diagnosis
    from loopctl.bootstrap.doctor.examine import examine
    from loopctl.cli.doctor_text import diagnosis_object, diagnosis_text, masked
    from loopctl.process.masking import Masker

    folder = Path.cwd()
    given = {key: value for key, value in flags.items() if value not in (None, [])}
    request, configuration = _configuration(given, folder)
    topics = examine(request, folder, os.environ)
    diagnosis = Diagnosis((configuration, *topics))
    mask = Masker.from_environment(os.environ).mask
    if json:
        say(as_json(masked(diagnosis_object(diagnosis), mask)))
    else:
        say(mask(diagnosis_text(diagnosis)))
    return ExitCode.USAGE if diagnosis.refusals else ExitCode.GOAL_MET


def _configuration(flags: dict[str, Any], folder: Path) -> tuple["StartRequest | None", "Topic"]:
    """What would be asked for, and where it was said."""
    from loopctl.bootstrap.doctor.diagnosis import Topic, refusal, refused_by
    from loopctl.cli.doctor_text import origin_rows
    from loopctl.cli.settings import explain_settings
    from loopctl.cli.start_request import start_request
    from loopctl.errors import LoopctlError

    findings = [
        *refused_by(lambda: refuse_inside_agent(os.environ, "loopctl run")),
        *refused_by(lambda: refuse_inside_worktree(os.environ, folder)),
    ]
    try:
        explained = explain_settings(flags, folder)
    except LoopctlError as error:
        return None, Topic("configuration", findings=(*findings, refusal(error)))
    facts = {
        "files": [str(path) for path in explained.files],
        "origins": dict(explained.origins),
    }
    rows = origin_rows(explained.files, explained.origins)
    request = start_request(_GOAL, folder, explained.settings)
    return request, Topic("configuration", rows, facts, tuple(findings))
