"""Driving a loop in the foreground, with everything shown, to its exit code."""

import gc
from collections.abc import Callable

from loopctl.cli.screen import screen
from loopctl.domain.stop import exit_code_of
from loopctl.driver.loop_driver import Outcome
from loopctl.errors import ExitCode, UsageError
from loopctl.ports import Observer


def drive(
    use_case: Callable[[tuple[Observer, ...]], Outcome],
    *,
    json: bool,
    quiet: bool,
    notices: tuple[str, ...] = (),
) -> int:
    """Run a use case that drives a loop; return the exit code of how it ended.

    ``notices`` are shown as the loop starts.

    Raises:
        UsageError: the loop cannot be driven like this.
    """
    gc.enable()  # see `main`: a loop may run for days
    with screen(json=json, quiet=quiet, notices=notices) as observers:
        outcome = use_case(observers)
    if outcome.refused:
        raise UsageError(outcome.refused)
    stop = outcome.state.stop
    return ExitCode.FAILED if stop is None else exit_code_of(stop)
