"""Before a start: the hold-out is looked at where it lies, and its content is written down.

Invariant: a loop whose hold-out the agent would find, or could change unnoticed, does not start.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from loopctl.bootstrap.doctor.programs import Origin, Surroundings, first_program
from loopctl.bootstrap.request import StartRequest, holdout_specs
from loopctl.domain.evaluator_spec import ShellExecutor
from loopctl.domain.holdout import HoldOut
from loopctl.errors import UsageError
from loopctl.git.repository import UserRepository
from loopctl.store.home import home_path
from loopctl.workspace.command_programs import programs_of
from loopctl.workspace.holdout_digest import digest_of

_CONFIGURATION = ("loopctl.toml", "pyproject.toml")
_SAYS_HOLDOUT = r"^[[:space:]]*[\"']?holdout([-_]stop)?[\"']?[[:space:]]*="
_NOWHERE = (Origin.MISSING, Origin.IGNORED)


def frozen_holdout(
    request: StartRequest,
    user: UserRepository,
    where: Surroundings,
    environment: Mapping[str, str],
) -> HoldOut | None:
    """The hold-out of a loop; ``None`` when none was asked for.

    Args:
        request: what the user asked for.
        user: the user's repository.
        where: what commands would find in a checkout.
        environment: loopctl's own.

    Raises:
        UsageError: it cannot be used; nothing was created.
    """
    if request.holdout is None:
        return None
    _refuse_told(user)
    specs = holdout_specs(request)
    folder = _folder(request)
    if folder is not None:
        _refuse_where_agents_are(folder, user, environment)
    digest = "" if folder is None else digest_of(folder)
    for spec in specs if request.holdout.stops else ():
        if isinstance(spec.executor, ShellExecutor):
            _check_command(spec.executor.command, folder, where)
    return HoldOut(folder="" if folder is None else str(folder), digest=digest, evaluators=specs)


def _refuse_told(user: UserRepository) -> None:
    """See that the agent does not get the configuration that says where the hold-out is."""
    for file in _CONFIGURATION:
        if user.commit_matches(user.head, _SAYS_HOLDOUT, file):
            raise UsageError(
                f"the hold-out is written down in {file} of the base commit, which the agent gets",
                why="it could look there for what it is never to see",
                next_step="move it to your own config.toml (see the README), or type --holdout",
            )


def _folder(request: StartRequest) -> Path | None:
    if request.holdout is None or not request.holdout.folder:
        return None
    typed = Path(request.holdout.folder).expanduser()
    return Path(os.path.realpath(request.folder / typed))


def _refuse_where_agents_are(
    folder: Path, user: UserRepository, environment: Mapping[str, str]
) -> None:
    for place, what in _places_of_agents(user, environment):
        real = Path(os.path.realpath(place))
        if folder.is_relative_to(real):
            why = f"it lies in {real}, {what}"
        elif real.is_relative_to(folder):
            why = f"it holds {real}, {what}"
        else:
            continue
        raise UsageError(
            f"the hold-out folder {folder} cannot be used",
            why=why,
            next_step="keep it outside, such as in ../acceptance, readable for you alone",
        )


def _places_of_agents(
    user: UserRepository, environment: Mapping[str, str]
) -> Iterator[tuple[Path, str]]:
    for place in user.checkouts():
        yield place, "a checkout of the repository"
    yield user.common_dir, "the repository's git folder"
    yield home_path(environment), "where loopctl keeps its state and the agent's worktree"


def _check_command(command: str, folder: Path | None, where: Surroundings) -> None:
    """See that its program is there, and that it is not the agent's to change."""
    program = None if _has_substitution(command) else first_program(command, where)
    if program is not None and program.origin in _NOWHERE and not _holds(folder, program.name):
        raise UsageError(
            f"the hold-out command's program {program.name} was not found",
            why="it is neither on PATH nor in the hold-out folder nor in the base commit",
            next_step="correct --holdout-stop, or put the program into the folder of --holdout",
        )
    for name in programs_of(command):
        path = os.path.normpath(os.path.join(where.cwd, name))  # noqa: PTH118 - of a tree
        is_open = path in where.known and not where.protection.covers(path)
        if is_open and not _holds(folder, path):
            raise UsageError(
                f"the hold-out command runs {path}, which the agent could change",
                why="it is a file of the repository that is not protected",
                next_step=f"move it into the folder of --holdout, or add --protect {path} (which "
                "the agent is told)",
            )


def _has_substitution(command: str) -> bool:
    """Whether what a shell would make of it cannot be told from its words."""
    return "$(" in command or "`" in command


def _holds(folder: Path | None, name: str) -> bool:
    return folder is not None and (folder / name).is_file()
