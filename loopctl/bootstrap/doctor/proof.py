"""What a PASS would have to stand beside the evaluators: hold-out, confirmation, containers."""

from collections.abc import Iterator, Mapping

from loopctl.bootstrap.container_request import is_set
from loopctl.bootstrap.doctor.diagnosis import Topic, refused_by, warning
from loopctl.bootstrap.doctor.programs import Surroundings
from loopctl.bootstrap.doubting import container_warnings
from loopctl.bootstrap.holding_out import frozen_holdout
from loopctl.bootstrap.request import StartRequest
from loopctl.domain.confinement import ContainerSettings
from loopctl.git.repository import UserRepository
from loopctl.observe.plain import byte_size, duration, listing, one_line


def proof(
    request: StartRequest,
    user: UserRepository,
    where: Surroundings,
    environment: Mapping[str, str],
) -> list[Topic]:
    """The topic; none when nothing of it was asked for.

    Args:
        request: what would be started.
        user: the user's repository.
        where: what commands would find in a checkout.
        environment: loopctl's own.
    """
    rows = (*_rows(request), *_container(request.container))
    findings = (
        *refused_by(lambda: frozen_holdout(request, user, where, environment)),
        *(warning(line.removeprefix("warning: ")) for line in container_warnings(request)),
    )
    if not rows and not findings:
        return []
    held = request.holdout
    facts = {
        "holdout": None if held is None else {"folder": held.folder, "commands": list(held.stops)},
        "confirm": request.confirm,
        "allow_new_tests": request.allow_new_tests,
        "container": request.container.model_dump(mode="json"),
    }
    return [Topic("proof", rows, facts, findings)]


def _rows(request: StartRequest) -> Iterator[tuple[str, str]]:
    held = request.holdout
    if held is not None:
        what = f"the files of {one_line(held.folder)} and " if held.folder else ""
        runs = listing(held.stops) if held.stops else "the stop commands"
        yield "hold-out", f"{what}{runs}, once all else has passed; the agent never hears of it"
    if request.confirm > 1:
        yield "confirm", f"everything has to pass {request.confirm} times on one snapshot"
    if request.allow_new_tests:
        yield "new tests", "test files that the agent adds are run as well, in a second pass"


def _container(settings: ContainerSettings) -> Iterator[tuple[str, str]]:
    if not is_set(settings):
        return
    limits = settings.limits
    parts = ["network on" if settings.network else "network off"]
    if limits.memory_bytes is not None:
        parts.append(f"memory {byte_size(limits.memory_bytes)}")
    if limits.processes is not None:
        parts.append(f"processes: {limits.processes}")
    if limits.file_bytes is not None:
        parts.append(f"files up to {byte_size(limits.file_bytes)}")
    if limits.cpu_s is not None:
        parts.append(f"{duration(limits.cpu_s)} of processor time")
    if settings.read:
        parts.append(f"reads {listing(settings.read)}")
    yield "container", ", ".join(parts)
