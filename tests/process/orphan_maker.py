"""A program that leaves one process of the given kind behind and ends.

The orphan appends a byte to the heartbeat file every few milliseconds; the program ends only
after the first beat, so that the orphan is known to live by then.
"""

import ctypes
import os
import signal
import sys
import time
from pathlib import Path

KIND, HEARTBEAT = sys.argv[1:3]


def beat():
    descriptor = os.open(HEARTBEAT, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(descriptor, b".")
    os.close(descriptor)


def live():
    while True:
        beat()
        time.sleep(0.005)


def plain():
    live()


def setsid():
    os.setsid()
    live()


def double_fork():
    os.setsid()
    if os.fork():
        os._exit(0)
    live()


def cleared_environment():
    os.setsid()
    os.execve(sys.executable, [sys.executable, "-I", "-S", __file__, "live", HEARTBEAT], {})


def own_subreaper():
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    os.setsid()
    if os.fork() == 0 and os.fork() == 0:
        os.setsid()
    live()


def ignores_signals():
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    live()


def stopped():
    beat()
    os.kill(os.getpid(), signal.SIGSTOP)
    live()


def reforks():
    """Has a new pid every millisecond."""
    while True:
        if os.fork():
            os._exit(0)
        beat()


def reforks_in_new_sessions():
    """Has a new pid and a new group every millisecond: nothing holds still to be killed."""
    while True:
        if os.fork():
            os._exit(0)
        os.setsid()
        beat()


def respawned():
    """Two processes that start each other again."""
    while True:
        if os.fork() == 0:
            os.setsid()
            live()
        beat()
        os.wait()


if KIND == "live":
    live()
elif os.fork() == 0:
    globals()[KIND]()
while not Path(HEARTBEAT).exists():
    time.sleep(0.001)
