"""What holds for every test: no home, no network, and folders in memory where that can be had."""

import os
import shutil
import socket
import ssl
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

LOOPBACK = ("127.", "::1", "localhost")
MEMORY = "/dev/shm"
ROOM_BYTES = 2 * 1024**3
LONG = {"test_examples.py", "test_crash_matrix.py", "test_loop_machine.py"}
TEMPORARY = "PYTEST_DEBUG_TEMPROOT"  # pytest's own name for where its folders are


def pytest_configure(config: pytest.Config) -> None:
    """Keep the tests' folders off the disk: they are thousands of small files and many syncs.

    Not where programs cannot be run, where there is little room, or against an explicit wish.
    """
    if sys.platform == "linux" and config.option.basetemp is None and TEMPORARY not in os.environ:
        can_run = Path(MEMORY).is_dir() and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC
        if can_run and shutil.disk_usage(MEMORY).free > ROOM_BYTES:
            os.environ[TEMPORARY] = MEMORY


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest tests first, shared among workers that begin with an equal part of the list each.

    A worker that still has one of them at the end would leave the others idle.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    long = [item for item in items if item.path.name in LONG]
    short = [item for item in items if item.path.name not in LONG]
    size = -(-len(short) // workers)
    parts = [(long[n::workers], short[n * size : (n + 1) * size]) for n in range(workers)]
    items[:] = [item for part in parts for group in part for item in group]


@pytest.fixture(autouse=True, scope="session")
def _no_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """HOME is an empty folder for every program, and still empty at the end."""
    home = tmp_path_factory.mktemp("nobody")
    os.environ["HOME"] = str(home)
    for name in [name for name in os.environ if name.startswith(("XDG_", "LOOPCTL_"))]:
        del os.environ[name]
    yield
    assert list(home.iterdir()) == []


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but this machine can be reached from a test's own process."""
    connect = socket.socket.connect

    def connect_here(link: socket.socket, address: tuple[str, int] | str | bytes) -> None:
        foreign = link.family in {socket.AF_INET, socket.AF_INET6}
        if foreign and not str(address[0]).startswith(LOOPBACK):
            raise AssertionError(f"a test wants to reach {address}")
        connect(link, address)

    monkeypatch.setattr(socket.socket, "connect", connect_here)


@pytest.fixture(autouse=True)
def _no_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of tests speak plain HTTP, yet each client loads all certificates: 0.1 s."""
    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have counted with ``record_property``, added up by name."""
    reports = terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", [])
    counted: Counter[str] = Counter()
    for report in reports:
        for name, value in report.user_properties:
            counted[name] += value
    for name, total in counted.items():
        terminalreporter.write_line(f"{total} {name} tried")
