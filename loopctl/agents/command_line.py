"""The words of a command agent, as the user typed them and wherever they are used.

No shell reads them. Invariant: the program and the files of the user's folder that are named
mean the same file in every worktree, also when an agent puts another one in its place.
"""

import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

from loopctl.errors import UsageError

_SHELL_HINT = "no shell reads it: for a pipe or a variable write cmd:sh -c '...'"


def parse_command(command: str, folder: Path, is_tracked: Callable[[str], bool]) -> tuple[str, ...]:
    """The program and its arguments.

    A program with a slash is looked for in ``folder``; one without is left to PATH. An argument
    that names a file of ``folder`` which git does not track is made absolute, because no worktree
    holds that file.

    Raises:
        UsageError: there is no program, or a quote is not closed.
    """
    try:
        program, *arguments = shlex.split(command)
    except ValueError as error:
        raise UsageError(
            f"the agent's command cannot be read: {command}",
            why=str(error) if command.strip() else "it is empty",
            next_step="--agent 'cmd:./my-agent.sh --option value'",
        ) from error
    if "/" in program:
        program = str(folder / program)
    return program, *(_anchor(argument, folder, is_tracked) for argument in arguments)


def require_program(program: str) -> None:
    """Make sure that ``program`` can be started here.

    Raises:
        UsageError: it does not exist, or may not be executed.
    """
    if shutil.which(program) is not None:
        return
    if "/" in program and _is_file(Path(program)):
        raise UsageError(
            f"the agent's program cannot be executed: {program}",
            why="it has no permission to be executed",
            next_step=f"chmod +x {shlex.quote(program)}",
        )
    if "/" in program:
        raise UsageError(
            f"the agent's program was not found: {program}",
            why=f"there is no such file, and {_SHELL_HINT}",
            next_step="make the file, or name another: --agent 'cmd:./my-agent.sh'",
        )
    raise UsageError(
        f"the agent's program was not found: {program or '(empty)'}",
        why=f"it is in no folder of PATH, and {_SHELL_HINT}",
        next_step="install it, or name another: --agent 'cmd:./my-agent.sh --option value'",
    )


def _anchor(argument: str, folder: Path, is_tracked: Callable[[str], bool]) -> str:
    path = folder / argument
    return str(path) if _is_file(path) and not is_tracked(argument) else argument


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a script given as an argument is longer than a name may be
        return False
