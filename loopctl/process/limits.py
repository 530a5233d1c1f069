"""Limits as the kernel knows them."""

import resource
import sys

from loopctl.domain.confinement import Limits


def by_resource(limits: Limits) -> dict[int, int]:
    """The limits that are set, keyed by ``RLIMIT_*`` number."""
    # What is only reserved does not count as data: language runtimes reserve without measure.
    memory = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    values = {
        memory: limits.memory_bytes,
        resource.RLIMIT_NPROC: limits.processes,
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_CPU: limits.cpu_s,
    }
    return {number: value for number, value in values.items() if value is not None}
