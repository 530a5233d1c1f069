"""Confinement: what of the machine a program can see, as data; a sandbox makes it true.

Invariant: what is not listed does not exist for the program. The seam between what is wanted (here)
and how a backend does it (bubblewrap; others fit) is this value and nothing else.
"""

from enum import StrEnum

from pydantic import PositiveInt

from loopctl.domain.value import Value


class Backend(StrEnum):
    """What makes a sandbox."""

    BUBBLEWRAP = "bwrap"


class Limits(Value):
    """Hard caps of everything in a sandbox; ``None`` leaves one as it is.

    Attributes:
        memory_bytes: data of one process, and of all together where there is a control group.
        processes: processes and threads at one time.
        file_bytes: the largest file that may be written.
        cpu_s: processor seconds of one process.
    """

    memory_bytes: PositiveInt | None = None
    processes: PositiveInt | None = None
    file_bytes: PositiveInt | None = None
    cpu_s: PositiveInt | None = None

    def or_else(self, others: "Limits") -> "Limits":
        """These, and of the others those that are not set here."""
        return others.evolve(**self.model_dump(exclude_none=True))


class Mount(Value):
    """A file or folder of the machine that exists in the sandbox.

    Attributes:
        path: where it appears.
        source: where it is; ``""`` is the same path.
        writable: it can be changed from inside.
        optional: it is left out when the machine has none.
    """

    path: str
    source: str = ""
    writable: bool = False
    optional: bool = False


class Confinement(Value):
    """What one program can see and do.

    Attributes:
        mounts: beside the read-only system; a later one lies over an earlier one.
        hidden: folders of the system that are empty, but for what is mounted in them.
        home: a folder that is HOME, empty and writable, unless a mount says otherwise.
        network: it reaches the network; else it has a loopback of its own.
        limits: its caps.
        backend: what makes it true.
    """

    mounts: tuple[Mount, ...] = ()
    hidden: tuple[str, ...] = ()
    home: str = ""
    network: bool = False
    limits: Limits = Limits()
    backend: Backend = Backend.BUBBLEWRAP


DEFAULT_LIMITS = Limits(processes=4096, file_bytes=8 * 1024**3)
"""What no honest check needs and a runaway one exceeds before the machine is of no use: a fork
bomb, a file without end. Of memory and processor there is no default: instrumented programs
reserve terabytes that they never use, and an evaluator has its time-out."""


class ContainerSettings(Value):
    """What the user says about evaluators in a container; frozen at start.

    Attributes:
        network: they may use it.
        read: further files and folders of the machine that they may read.
        limits: their caps; ``DEFAULT_LIMITS`` stand for those that are not set.
        backend: what makes the sandbox.
    """

    network: bool = False
    read: tuple[str, ...] = ()
    limits: Limits = Limits()
    backend: Backend = Backend.BUBBLEWRAP


class SandboxSettings(Value):
    """What the user says about the sandbox of the agent; frozen at start.

    Attributes:
        backend: what makes it; ``None`` runs the agent as it is.
        read: further files and folders of the machine that it may read.
        write: the same that it may change, such as the folder in which it keeps its login.
        keys: names of secret-like variables that it receives; no other one is passed.
        limits: its caps.
    """

    backend: Backend | None = None
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    limits: Limits = Limits()
