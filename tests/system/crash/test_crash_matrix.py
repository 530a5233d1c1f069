"""A driver is killed at every commit boundary and inside every effect of a three-round loop."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

MATRIX = Path(__file__).with_name("crash_matrix.py")
PARTS = 2
KILL_POINTS = "kill points"


@pytest.mark.timeout(200)
@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_is_lost_at_any_kill_point(
    part: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    command = [sys.executable, str(MATRIX), str(tmp_path), str(part), str(PARTS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results = [json.loads(line) for line in done.stdout.splitlines()]
    record_property(KILL_POINTS, len(results))
    assert len(results) > 40
    assert [(where, index, found) for where, index, found in results if found] == []
