"""``loopctl init``: a commented configuration for this repository."""

import os
from pathlib import Path

from loopctl.cli import options
from loopctl.cli.agent_guard import refuse_inside_agent, refuse_inside_worktree
from loopctl.cli.output import notice, say
from loopctl.errors import UsageError

_NEXT = 'loopctl doctor, then: loopctl run "make the tests pass"'


def init(*, force: options.Overwrite = False, stdout: options.Stdout = False) -> int:
    """Write a commented loopctl.toml that fits this repository."""
    refuse_inside_agent(os.environ, "loopctl init")
    folder = Path.cwd()
    refuse_inside_worktree(os.environ, folder)
    from loopctl.bootstrap.proposing import propose_configuration
    from loopctl.cli.config_file import FILE, configured_in
    from loopctl.cli.config_text import config_text

    if not stdout:
        _refuse_second(configured_in(folder), force=force)
    proposed = propose_configuration(folder, os.environ)
    text = config_text(proposed)
    if stdout:
        say(text.removesuffix("\n"))
        return 0
    path = proposed.top / FILE
    _write(path, text)
    if proposed.dirty:
        notice("note: what is not committed was not looked at, and no loop sees it")
    chosen = proposed.proposal.chosen
    if chosen is None:
        notice("nothing here tells how this repository is tested: name a stop command in the file")
    say(f"{path} is written{'' if chosen is None else f': stop = {chosen.command}'}")
    say(f"next: {_NEXT}")
    return 0


def _refuse_second(configured: Path | None, *, force: bool) -> None:
    """One project has one configuration.

    Raises:
        UsageError: there is one that stays.
    """
    if configured is None or (force and configured.name != "pyproject.toml"):
        return
    if configured.name == "pyproject.toml":
        raise UsageError(
            f"this project is configured in [tool.loopctl] of {configured}",
            why="a second file would be refused; nothing was written",
            next_step="loopctl init --stdout (to compare), loopctl doctor",
        )
    raise UsageError(
        f"{configured} is there already",
        why="it may hold what you have written yourself",
        next_step="loopctl init --stdout (to compare), or loopctl init --force (to replace it)",
    )


def _write(path: Path, text: str) -> None:
    """Replace the file in one step; what stands there is never written through.

    Raises:
        UsageError: it cannot be written.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise UsageError(
            f"{path} cannot be written",
            why=error.strerror or str(error),
            next_step="loopctl init --stdout",
        ) from error
