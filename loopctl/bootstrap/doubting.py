"""What is told as a loop starts: doubts about stop commands, judge and shared paths, setups.

Invariant: files are only read, and only regular ones of a moderate size inside the checkout.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from loopctl.bootstrap.container_request import is_set
from loopctl.bootstrap.request import StartRequest, evaluator_specs
from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.script_doubts import script_doubts
from loopctl.domain.share_doubts import share_doubts
from loopctl.domain.stop_doubts import Doubt, shown, stop_doubts
from loopctl.observe.plain import one_line

_LARGEST = 500_000  # bytes; a script by hand is far smaller


def doubts_about(command: str, top: Path | None) -> tuple[Doubt, ...]:
    """What is doubtful about a stop command and about what it runs.

    Args:
        command: shell text.
        top: root of the user's checkout; None looks at the command alone.
    """
    own = stop_doubts(command)
    return own if top is None else (*own, *script_doubts(command, reader(top)))


def stop_warnings(
    stops: Iterable[str], top: Path | None, mask: Callable[[str], str]
) -> tuple[str, ...]:
    """One line for each doubt, for people to read as a loop starts."""
    return tuple(
        mask(f"warning: `{shown(command)}`: {doubt.problem}; {doubt.remedy}")
        for command in dict.fromkeys(stops)
        for doubt in doubts_about(command, top)
    )


def share_warnings(paths: Iterable[str]) -> tuple[str, ...]:
    """One line for each doubt about what ``[evaluator] share`` names."""
    return tuple(
        f"warning: [evaluator] share: {one_line(doubt.problem)}; {doubt.remedy}"
        for doubt in share_doubts(paths)
    )


def judge_warnings(request: StartRequest) -> tuple[str, ...]:
    """One line when a language model alone judges the work."""
    if request.judge is None or request.commands or request.evaluators:
        return ()
    text = "a language model alone judges the work, and can be misled by what is written for it"
    return (f'warning: {text}; add --stop "COMMAND" where a command can tell as well',)


def container_warnings(request: StartRequest) -> tuple[str, ...]:
    """One line when settings of containers hold for no evaluator."""
    specs = evaluator_specs(request, lambda text: text)
    if not is_set(request.container) or any(
        spec.isolation is Isolation.CONTAINER for spec in specs
    ):
        return ()
    text = "what is said about containers has no effect: no evaluator runs in one"
    return (f"warning: {text}; add --isolation {Isolation.CONTAINER}",)


def setup_notices(request: StartRequest) -> tuple[str, ...]:
    """What runs for minutes, perhaps, before anything else is heard of the loop."""
    in_place = request.is_in_place and request.judge is None
    setups = (
        ("[workspace]", request.workspace_supplies.setup),
        ("[evaluator]", "" if in_place else request.evaluator_supplies.setup),
    )
    return tuple(
        f"{table} setup runs first: {one_line(shown(command))}"
        for table, command in setups
        if command
    )


def reader(top: Path) -> Callable[[str], str | None]:
    """Reads files below ``top`` as text; ``None`` for what is no such file."""
    root = top.resolve()

    def read(path: str) -> str | None:
        try:
            file = (root / path).resolve()
            inside = file.is_relative_to(root) and file.is_file()
            if not inside or file.stat().st_size > _LARGEST:
                return None
            return file.read_text(encoding="utf-8", errors="replace")
        except (OSError, ValueError):  # a name that no file system takes
            return None

    return read
