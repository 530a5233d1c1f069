"""Small tools for measuring whole processes."""

import os
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path


def seconds(command: Sequence[str], cwd: Path, env: Mapping[str, str]) -> float:
    """Wall-clock seconds of one run; its output is thrown away, its exit status ignored."""
    began = time.perf_counter()
    subprocess.run(
        command, cwd=cwd, env=env, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return time.perf_counter() - began


def median(run: Callable[[], float], times: int) -> float:
    """Median of ``times`` runs, after one that does not count."""
    run()
    return statistics.median(run() for _ in range(times))


def marginal(run: Callable[[int], float], few: int, many: int, times: int) -> float:
    """Median milliseconds that one more round costs: paired runs of ``many`` and ``few``."""
    run(few)
    pairs = [(run(few), run(many)) for _ in range(times)]
    return statistics.median((b - a) / (many - few) for a, b in pairs) * 1000


def peak_memory(command: Sequence[str], cwd: Path, env: Mapping[str, str]) -> dict[str, float]:
    """Peak resident megabytes of a driver and of its guard, sampled until the driver ends."""
    driver = subprocess.Popen(
        command, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    peaks = {"driver": 0.0, "guard": 0.0}
    done = threading.Event()

    def sample() -> None:
        while not done.wait(0.01):
            peaks["driver"] = max(peaks["driver"], _high_water(driver.pid))
            for pid in _children(driver.pid):
                if b"guard.py" in _command_line(pid):
                    peaks["guard"] = max(peaks["guard"], _high_water(pid))

    sampler = threading.Thread(target=sample)
    sampler.start()
    driver.wait()
    done.set()
    sampler.join()
    return peaks


def _high_water(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    found = next((line for line in lines if line.startswith("VmHWM")), "VmHWM: 0 kB")
    return int(found.split()[1]) / 1024


def _children(pid: int) -> list[int]:
    try:
        names = [name for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208
        return [int(name) for name in names if _parent(name) == pid]
    except OSError:
        return []


def _parent(name: str) -> int:
    try:
        return int(Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return -1


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
