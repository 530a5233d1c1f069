"""What a shell command becomes so that its results can be read: options added, files watched.

The user's command is changed only when it is a plain pytest call, and only by options behind the
word ``pytest``: the results file, and for a hardened run the plug-ins by name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.domain.evaluator_spec import NO_RESULTS, ShellExecutor
from loopctl.domain.hardening import Hardening
from loopctl.domain.pytest_call import PytestCall, plain_call
from loopctl.evaluators.results_file import ResultsFiles
from loopctl.ports import Checkout

_OWN_FILE = "loopctl-results.xml"


@dataclass(frozen=True)
class SuiteCall:
    """One run of a command.

    Attributes:
        command: what the shell runs.
        environment: the variables, complete.
        results: where its results will be; None when nobody knows.
        pytest: the plain pytest call that it is.
        added: an option names the results file that is not in the user's text.
    """

    command: str
    environment: Mapping[str, str]
    results: ResultsFiles | None
    pytest: PytestCall | None
    added: bool = False


def suite_call(
    executor: ShellExecutor,
    checkout: Checkout,
    hardening: Hardening,
    plugins: tuple[str, ...] | None,
) -> SuiteCall:
    """Prepare a run; call it when the checkout is ready and nothing runs in it.

    Args:
        executor: the user's command, and where it writes its results.
        checkout: where it runs.
        hardening: how far a plain pytest call is hardened.
        plugins: the plug-ins that a hardened call loads.
    """
    folder, environment = checkout.folder, dict(checkout.environment)
    call = plain_call(executor.command)
    if executor.results == NO_RESULTS:
        return SuiteCall(executor.command, environment, None, None)
    if call is None:
        watched = (
            ResultsFiles(folder, executor.results, checkout.places) if executor.results else None
        )
        return SuiteCall(executor.command, environment, watched, None)
    options = []
    # What pytest is told on its command line wins over any other place that was named.
    results = _named(checkout, call.results) if call.results else None
    if results is None and "TMPDIR" in environment:
        own = Path(environment["TMPDIR"])
        results = ResultsFiles(own, _OWN_FILE, checkout.places)
        options.append(f"--junitxml={own / _OWN_FILE}")
    added = bool(options)
    if hardening is not Hardening.NONE:
        environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        options += [f"-p{name}" for name in plugins or ()]
    if hardening is Hardening.FULL:
        environment["PYTHONSAFEPATH"] = "1"
    return SuiteCall(call.with_options(*options), environment, results, call, added)


def _named(checkout: Checkout, path: str) -> ResultsFiles:
    """The file that the user's own text names, which may be anywhere."""
    if Path(path).is_absolute():
        return ResultsFiles(Path(path).parent, Path(path).name, checkout.places)
    return ResultsFiles(checkout.folder, path, checkout.places)
