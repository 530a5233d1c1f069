"""The guard: one small process that owns every program its driver starts.

It is a child subreaper: whatever a program forks, however deep and however detached, becomes a
descendant of the guard. So the guard can end all of it and *prove* it: `waitpid(-1)` answers
ECHILD only when no descendant is left. When its socket reaches end of file (the driver is gone,
also after SIGKILL) it ends everything and exits.

Invariant: at most one job at a time, and `ended` is sent only after everything was reaped, or
after what could not be killed within `PATIENCE_S` was named as `unkilled`.

Orders and replies are lines over a Unix stream socket:

    spawn      with four descriptors: stdin, stdout, stderr, and a file that holds the order;
               a fifth one is the program's descriptor 3
               -> started PID | failed ERRNO STAGE        (STAGE: limits, cwd, exec)
    interrupt  SIGINT to the leader's process group
    interrupt-within
               the same to the group of the leader's first child: a sandbox is ended by a signal
               at once, with all that is in it
    end        -> survivor PID COMMAND ..., unkilled PID ..., ended
               -> exited WAIT_STATUS                      (unasked, as soon as the leader is dead)

The order's file: cwd, limits ("RESOURCE=VALUE,..."), the number of arguments, the arguments and
the environment ("NAME=VALUE"), separated by NUL, which none of them can contain.

This file runs as a script under `python -I -S` and must start fast: it imports the C modules
under `socket` and `signal`, because those two alone double its start-up time, and no `json`.

macOS has no subreaper and no /proc. There the tree is walked with `ps` and the leader's group is
killed. That does not find a process which left the group *and* lost its parent.
"""

import _signal as signal  # type: ignore[import-not-found]  # typeshed has only the wrapper
import _socket as socket
import os
import select
import sys
import time
import warnings  # noqa: F401 - `os.execvpe` needs it: not to be imported in every child

DESCRIPTORS_PER_SPAWN = 5
STATUS = 3
MAX_ORDER_BYTES = 4096
MAX_SURVIVORS_NAMED = 100
MAX_COMMAND_CHARS = 200
PATIENCE_S = 5.0
PARTING_S = 0.2
PAUSE_S = 0.0005
PR_SET_CHILD_SUBREAPER = 36
EINVAL = 22


class Guard:
    """The state between two orders: the link to the driver and the current leader's pid."""

    def __init__(self, link: socket.socket) -> None:
        self.link = link
        self.leader = 0
        self.pending = b""
        self.descriptors: list[int] = []
        self.wake, self.wake_end = os.pipe()

    def serve(self) -> None:
        """Carries out orders until the driver is gone; then ends everything."""
        catch_signals(self.wake, self.wake_end)
        self.send("ready")
        poller = select.poll()
        poller.register(self.link.fileno(), select.POLLIN)
        poller.register(self.wake, select.POLLIN)
        connected = True
        while connected:
            ready = [fd for fd, _ in poller.poll()]
            if self.wake in ready:
                os.read(self.wake, 4096)
                self.reap()
            if self.link.fileno() in ready:
                connected = self.receive()
        self.end_all()

    def receive(self) -> bool:
        """Reads and carries out what has arrived; False at end of file."""
        space = socket.CMSG_SPACE(DESCRIPTORS_PER_SPAWN * 4)
        try:
            data, ancillary, _, _ = self.link.recvmsg(MAX_ORDER_BYTES, space)
        except OSError:  # the driver died with replies unread: a reset, not an end of file
            return False
        for _level, _kind, packed in ancillary:
            self.descriptors += unpack_descriptors(packed)
        *lines, self.pending = (self.pending + data).split(b"\n")
        for line in lines:
            self.obey(line)
        return bool(data)

    def obey(self, order: bytes) -> None:
        """Carries out one order."""
        if order == b"spawn":
            received, self.descriptors = self.descriptors, []
            self.spawn(received)
        elif order == b"interrupt" and self.leader:
            signal_group(self.leader, signal.SIGINT)
        elif order == b"interrupt-within" and self.leader:
            for pid in children_of(self.leader)[:1]:
                signal_group_of(pid, signal.SIGINT)
        elif order == b"end":
            self.let_helpers_leave()
            for pid, command in self.end_all()[:MAX_SURVIVORS_NAMED]:
                self.send(f"survivor {pid} {command}")
            unkilled = [] if self.reap() else descendants()
            for pid in unkilled[:MAX_SURVIVORS_NAMED]:
                self.send(f"unkilled {pid}")
            self.leader = 0
            self.send("ended")

    def spawn(self, received: list[int]) -> None:
        """Starts the program of an order and says how that went."""
        failure, report = os.pipe()  # a successful exec closes it unwritten
        pid = os.fork()
        if pid == 0:
            become_program(received, report)
        for descriptor in (*received, report):
            os.close(descriptor)
        error = os.read(failure, 64)
        os.close(failure)
        if error:
            os.waitpid(pid, 0)
            self.send(f"failed {error.decode()}")
        else:
            self.leader = pid
            self.send(f"started {pid}")

    def reap(self) -> bool:
        """Collects the dead, reports the leader's end; True when no child is left at all."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            if pid == self.leader:
                self.leader = 0
                self.send(f"exited {status}")

    def let_helpers_leave(self) -> None:
        """Waits a moment for what ends by itself once a dead leader's pipe is closed.

        The resource tracker of Python's multiprocessing is such a helper: nobody left it running.
        """
        deadline = time.monotonic() + PARTING_S
        while not self.leader and not self.reap() and time.monotonic() < deadline:
            time.sleep(PAUSE_S)

    def end_all(self) -> list[tuple[int, str]]:
        """Stops, kills and reaps every descendant; returns those that outlived the leader.

        The tree is listed again for each signal and in each pass, and whole process groups are
        signalled: the kernel does that atomically, so a process that forks for ever in its group
        cannot slip through, and one that changes its group each time loses within a few passes.
        """
        group = self.leader
        if self.reap():
            return []
        survivors = [(pid, command_of(pid)) for pid in living(descendants()) if pid != self.leader]
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            for number in (signal.SIGSTOP, signal.SIGKILL):
                if group and sys.platform != "linux":
                    signal_group(group, number)
                for pid in descendants():
                    signal_group_of(pid, number)
            if self.reap():
                break
            time.sleep(PAUSE_S)
        return survivors

    def send(self, reply: str) -> None:
        """Sends one line; a driver that is gone is noticed by `receive`."""
        try:
            self.link.sendall(reply.encode("utf-8", "replace") + b"\n")
        except OSError:
            return


def catch_signals(wake: int, wake_end: int) -> None:
    """Lets the death of a child wake the loop, and nobody's signal to a terminal end the guard."""
    for descriptor in (wake, wake_end):
        os.set_blocking(descriptor, False)
    signal.set_wakeup_fd(wake_end, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _signum, _frame: None)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def unpack_descriptors(packed: bytes) -> list[int]:
    """The descriptors in a control message, which no program may inherit by accident."""
    ends = range(4, len(packed) + 1, 4)
    descriptors = [int.from_bytes(packed[end - 4 : end], sys.byteorder) for end in ends]
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - positional only
    return descriptors


def become_program(received: list[int], report: int) -> None:
    """In the forked child: turns into the ordered program, or reports why not and exits.

    Every descriptor of the guard closes itself at exec; the program gets 0, 1 and 2, and 3 when
    it is to say something there.
    """
    stage = "exec"
    while report <= STATUS:  # out of the way
        report = os.dup(report)
    try:
        os.setsid()
        reset_signals()
        with open(received[3], "rb", closefd=False) as order:
            order.seek(0)
            cwd, limits, count, *fields = order.read().split(b"\0")
        for target in (0, 1, 2):
            os.dup2(received[target], target)
        for status in received[4:]:
            os.dup2(status, STATUS)
        stage = "limits"
        set_limits(limits.decode())
        stage = "cwd"
        os.chdir(cwd)
        stage = "exec"
        argv, pairs = fields[: int(count)], fields[int(count) :]
        environment = dict(pair.split(b"=", 1) for pair in pairs)
        os.execvpe(argv[0], argv, environment)  # noqa: S606 - no shell is the point
    except (OSError, ValueError) as error:
        os.write(report, f"{getattr(error, 'errno', EINVAL)} {stage}".encode())
    finally:
        os._exit(127)


def reset_signals() -> None:
    """Gives the program the signal state of a fresh login, whatever the driver inherited."""
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def set_limits(limits: str) -> None:
    """Applies "RESOURCE=VALUE,..." as hard limits."""
    if not limits:
        return
    import resource  # noqa: PLC0415 - only a limited program pays for it

    for limit in limits.split(","):
        number, value = map(int, limit.split("="))
        resource.setrlimit(number, (value, value))


def descendants() -> list[int]:
    """Every descendant's pid, parents before children, zombies included."""
    return trees_of(children_of(os.getpid()))


def trees_of(roots: list[int]) -> list[int]:
    """The pids of `roots` and all of their descendants, parents before children."""
    table = None if sys.platform == "linux" else process_table()
    found = list(roots)
    for pid in found:  # grows while it is walked
        found += children_of(pid, table)
    return found


def children_of(pid: int, table: dict[int, list[int]] | None = None) -> list[int]:
    """The children of all threads of `pid`; from a process table where there is no /proc."""
    if sys.platform != "linux":
        return (table or process_table()).get(pid, [])
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - pathlib is slow to import
    except OSError:
        return []
    return [
        int(child)
        for thread in threads
        for child in read_proc(f"{pid}/task/{thread}/children").split()
    ]


def process_table() -> dict[int, list[int]]:
    """Every parent's children, as `ps` sees them now."""
    table: dict[int, list[int]] = {}
    with os.popen("ps -axo pid=,ppid=") as rows:  # noqa: S605, S607 - a constant command
        for row in rows:
            pid, parent = map(int, row.split())
            table.setdefault(parent, []).append(pid)
    return table


def living(pids: list[int]) -> list[int]:
    """The pids of those that are not zombies (without /proc: all of them)."""
    if sys.platform != "linux":
        return pids
    states = [(pid, read_proc(f"{pid}/stat").rpartition(") ")[2][:1]) for pid in pids]
    return [pid for pid, state in states if state not in ("", "Z", "X")]


def command_of(pid: int) -> str:
    """One printable line that names the process."""
    command = read_proc(f"{pid}/cmdline") or read_proc(f"{pid}/comm")
    return " ".join(command.replace("\0", " ").split())[:MAX_COMMAND_CHARS]


def read_proc(path: str) -> str:
    """A file under /proc, or the empty text when it cannot be had."""
    try:
        with open(f"/proc/{path}", errors="replace") as file:  # noqa: PTH123 - as above
            return file.read()
    except OSError:
        return ""


def signal_group_of(pid: int, number: int) -> None:
    """Signals the process group of `pid`; never the guard's own."""
    try:
        group = os.getpgid(pid)
        if group != os.getpgrp():
            signal_group(group, number)
        else:
            os.kill(pid, number)
    except OSError:  # it is gone, or belongs to somebody else: the caller looks again
        return


def signal_group(group: int, number: int) -> None:
    """Signals a process group that may be gone."""
    try:
        os.killpg(group, number)
    except OSError:
        return


def become_subreaper() -> None:
    """Adopts every orphaned descendant from now on (Linux)."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - not needed elsewhere

        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def main() -> None:
    """Serves the driver at the other end of the descriptor named on the command line."""
    become_subreaper()
    os.chdir("/")
    os.set_inheritable(int(sys.argv[1]), False)  # noqa: FBT003 - positional only
    Guard(socket.socket(fileno=int(sys.argv[1]))).serve()


if __name__ == "__main__":
    main()
