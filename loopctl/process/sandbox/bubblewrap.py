"""Bubblewrap: the arguments with which it makes a confinement true.

As an ordinary user it works in a user namespace. As root it makes the mounts as root; then
``setpriv`` becomes somebody without rights before the program starts. Invariants: the program has
no capability and can get none, sees its own processes only, and ends when our guard ends.
"""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from loopctl.domain.confinement import Confinement
from loopctl.process.sandbox.owner import UNPRIVILEGED
from loopctl.process.sandbox.programs import Programs
from loopctl.process.sandbox.system import system_arguments

STATUS = 3
"""The descriptor on which it says whether it could start the program."""

_NAMESPACES = ("--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try")
_SAME_NAME = ("--hostname", "localhost")
_TIED = ("--die-with-parent", "--new-session")
_AS_USER = ("--unshare-user", "--cap-drop", "ALL")
_AS_ROOT = (
    *("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"),
    # To give up what is left, and to enter the folder of somebody else to start in.
    *("--cap-add", "CAP_SETPCAP", "--cap-add", "CAP_DAC_READ_SEARCH"),
)
_GIVE_UP_ROOT = (
    *("--reuid", str(UNPRIVILEGED), "--regid", str(UNPRIVILEGED), "--clear-groups"),
    *("--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all", "--"),
)
_CAN_DISABLE_NAMESPACES = (0, 8)
_READ_ONLY_ROOT = ("--remount-ro", "/")
_PARTS_OF_SYSTEM = frozenset({"usr", "etc", "opt", "nix", "gnu", "bin", "sbin"})


def command_line(
    programs: Programs,
    confinement: Confinement,
    argv: tuple[str, ...],
    cwd: str,
    *,
    as_root: bool,
    status: int = STATUS,
) -> tuple[str, ...]:
    """What is started so that ``argv`` runs in the sandbox.

    Args:
        programs: where everything is.
        confinement: what it can see and do.
        argv: the program and its arguments, looked up in the PATH that it gets.
        cwd: the folder that it starts in, as it is called inside.
        as_root: we are root, and the program must not be.
        status: the descriptor on which it says how far it has come.
    """
    inner = argv
    processes = confinement.limits.processes
    if processes is not None:
        # Inside: there the number counts for this sandbox's processes, not all of the user's.
        inner = (programs.prlimit, f"--nproc={processes}", "--", *inner)
    if as_root:
        inner = (programs.setpriv, *_GIVE_UP_ROOT, *inner)
    return (
        programs.bubblewrap,
        *_NAMESPACES,
        *(() if confinement.network else ("--unshare-net",)),
        *_SAME_NAME,
        *_TIED,
        *("--json-status-fd", str(status)),
        *(_AS_ROOT if as_root else _as_user(programs)),
        *system_arguments(network=confinement.network),
        *_mounts(confinement, as_root=as_root),
        *_READ_ONLY_ROOT,
        *("--chdir", cwd, "--"),
        *inner,
    )


def _as_user(programs: Programs) -> tuple[str, ...]:
    newer = programs.version >= _CAN_DISABLE_NAMESPACES
    return (*_AS_USER, *(("--disable-userns",) if newer else ()))


def _mounts(confinement: Confinement, *, as_root: bool) -> Iterator[str]:
    mounts, home = confinement.mounts, confinement.home
    for folder in confinement.hidden:
        yield from ("--perms", "0755", "--tmpfs", folder)
    if home:
        yield from _ways_to([home], "0755")
        # Nobody but the program is in there: that it may write is all that matters.
        yield from ("--perms", "1777" if as_root else "0700", "--tmpfs", home)
    paths = [mount.path for mount in mounts]
    below = [path for path in paths if home and PurePosixPath(path).is_relative_to(home)]
    yield from _ways_to([path for path in paths if path not in below], "0755")
    yield from _ways_to(below, "1777" if as_root else "0755", within=home)
    for mount in mounts:
        how = "--bind" if mount.writable else "--ro-bind"
        yield from (f"{how}-try" if mount.optional else how, mount.source or mount.path, mount.path)


def _ways_to(paths: Iterable[str], mode: str, within: str = "/") -> Iterator[str]:
    """The folders above mounts, which can be passed whatever they are like outside."""
    above = {parent for path in paths for parent in PurePosixPath(path).parents}
    start = PurePosixPath(within)
    for folder in sorted(above):
        if start in folder.parents and folder.parts[1] not in _PARTS_OF_SYSTEM:
            yield from ("--perms", mode, "--dir", str(folder))
