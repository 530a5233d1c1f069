import os
import sys
from pathlib import Path

import pytest
from process_bench import Bench


@pytest.fixture
def bench(tmp_path):
    bench = Bench(tmp_path)
    before = _open_descriptors()
    yield bench
    assert bench.command_lines() == []
    assert _open_descriptors() <= before, "a descriptor was left open"


def _open_descriptors():
    return len(list(Path("/proc/self/fd").iterdir())) if sys.platform == "linux" else 0


@pytest.fixture
def null():
    descriptor = os.open(os.devnull, os.O_RDWR)
    yield descriptor
    os.close(descriptor)
