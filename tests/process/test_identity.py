"""A process is known by more than its pid."""

import dataclasses
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from loopctl.process.identity import ProcessIdentity, is_alive, signal_process

ME = ProcessIdentity.of_current()
PRINT = """
import dataclasses, sys
sys.path.insert(0, sys.argv[1])
from loopctl.process.identity import ProcessIdentity
print(dataclasses.asdict(ProcessIdentity.of_current()), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def other():
    """Another process and its identity as it states it."""
    command = [sys.executable, "-c", PRINT, str(Path.cwd())]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        fields = eval(process.stdout.readline())
        yield process, ProcessIdentity(**fields)
        process.kill()


def test_this_process_lives():
    assert is_alive(ME)
    assert ProcessIdentity.of_current() == ME


@pytest.mark.parametrize(
    "change", [{"host": "elsewhere"}, {"boot_id": "earlier"}, {"start_time": ME.start_time - 1}]
)
def test_a_process_that_differs_in_anything_is_dead_and_never_signalled(change):
    foreign = dataclasses.replace(ME, **change)
    assert not is_alive(foreign)
    assert not signal_process(foreign, signal.SIGKILL)  # or this test ends here


def test_another_process_sees_the_same_identity(other):
    process, identity = other
    assert is_alive(identity)
    assert signal_process(identity, signal.SIGTERM)
    assert process.wait() == -signal.SIGTERM
    assert not is_alive(identity)
    assert not signal_process(identity, signal.SIGTERM)


def test_a_zombie_is_dead(other):
    process, identity = other
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert not is_alive(identity)
