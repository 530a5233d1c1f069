"""The entry point and the one error boundary: whatever happens becomes an exit code.

Invariant: no traceback reaches the screen. An error that loopctl raised on purpose is shown as
what happened, why, and what to type next; anything else is a bug and leaves a report.
"""

import gc
import os
import sys
from collections.abc import Sequence

from loopctl import __version__
from loopctl.cli.output import complain, prepare_streams, say
from loopctl.errors import ExitCode, LoopctlError, UsageError

PROGRAM = "loopctl"


def main() -> int:
    """The program: run the command line that it was started with; return the exit code.

    Start-up makes many objects and no garbage. Not looking for any, neither then nor at the end
    of the interpreter, saves a third of the time of a short command.
    """
    gc.disable()
    try:
        return command_line(sys.argv[1:])
    finally:
        gc.freeze()


def command_line(arguments: Sequence[str]) -> int:
    """Run one command line; return the exit code."""
    prepare_streams()
    try:
        return _run(list(arguments))
    except LoopctlError as error:
        complain(error)
        return error.exit_code
    except KeyboardInterrupt:
        complain(LoopctlError("interrupted"))
        return ExitCode.CANCELLED
    except Exception as error:  # noqa: BLE001 - the boundary: a bug must not show a traceback
        return _report(error, arguments)


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:  # answered before anything is imported
        say(f"{PROGRAM} {__version__}")
        return 0
    if "--help" not in arguments:
        _check_folder()
    import typer

    from loopctl.cli.app import app

    try:
        code = typer.main.get_command(app).main(arguments, PROGRAM, standalone_mode=False)
    except typer.TyperException as error:
        raise _usage_error(error) from error
    return code if isinstance(code, int) else 0


def _check_folder() -> None:
    """Every command asks where it is: a folder that was deleted has no answer."""
    try:
        os.getcwd()  # noqa: PTH109 - pathlib is slow to import
    except OSError as error:
        raise UsageError(
            "the current folder cannot be found", why=str(error), next_step="cd to your repository"
        ) from error


def _usage_error(error: Exception) -> UsageError:
    """What the parser says, in loopctl's own form."""
    context = getattr(error, "ctx", None)
    path = PROGRAM if context is None else context.command_path
    message = getattr(error, "format_message", error.__str__)()
    if path == f"{PROGRAM} run" and "extra argument" in message:
        quoted = 'put the goal in quotes, and options before a --: loopctl run "do this" --stop ...'
        return UsageError(message.rstrip("."), next_step=quoted)
    return UsageError(message.rstrip("."), next_step=f"{path} --help")


def _report(error: Exception, arguments: Sequence[str]) -> int:
    from loopctl.cli.crash_report import write_report

    path = write_report(error, arguments, os.environ)
    complain(
        LoopctlError(
            "something went wrong that should not have: this is a bug",
            why=f"{type(error).__name__}; the whole story is in {path}",
            next_step="report it with that file; `loopctl status` shows what was kept",
        )
    )
    return ExitCode.FAILED
