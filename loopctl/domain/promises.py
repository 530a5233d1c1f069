"""What each isolation is, and what it does not promise: said once, for cards, doctor and papers.

Invariant: a result is never shown with an isolation and without what that one leaves open.
"""

from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.value import Value


class Promise(Value):
    """One isolation in words.

    Attributes:
        what: where an evaluator runs in it.
        leaves_open: what can still deceive it.
        in_short: the same as ``leaves_open``, in half a line.
    """

    what: str
    leaves_open: str
    in_short: str


PROMISES = {
    Isolation.SAME_WORKSPACE: Promise(
        what="where the agent works",
        leaves_open="the agent can change every input, tests included; changes are reported, not "
        "undone",
        in_short="the agent can change every input, tests included; that is reported, not undone",
    ),
    Isolation.SEPARATE_WORKTREE: Promise(
        what="in a fresh export of the snapshot (of a big repository, in one that is made as "
        "fresh), with protected paths as they were at the base commit, an environment built from "
        "an allow-list, a new `HOME` and `TMPDIR`, and no agent process alive",
        leaves_open="it is the same user on the same machine: a program that the agent starts can "
        "read and write what you can, git objects and loopctl's own database among it. Code that "
        "cheats inside the test process itself (a comparison that is always true) is not seen by "
        "the tests; some of it is told as a sign, and a [hold-out](#a-hold-out) that compares in a "
        "process of its own catches it",
        in_short="the same user on the same machine: a program of the agent can read and write "
        "what you can",
    ),
    Isolation.CONTAINER: Promise(
        what="the same, in a sandbox: own process, mount and network namespaces, a read-only "
        "system, limits, no network unless it was asked for",
        leaves_open="the kernel is shared. Code that cheats inside the test process itself is "
        "caught only by a [hold-out](#a-hold-out) that compares in a process of its own; and the "
        "agent is in no sandbox by this, only its evaluators are",
        in_short="the kernel is shared; code that cheats inside the test process is not seen",
    ),
    Isolation.REMOTE: Promise(
        what="the snapshot is judged on another machine",
        leaves_open="trust in that machine",
        in_short="trust in the machine that judges",
    ),
}
