"""What a loop was asked for, sealed where its snapshots are: a digest in the messages of commits.

The database is the agent's user's to write. Invariant: a specification that is not the one of the
start is noticed before it is used again, unless every ref of the loop was forged with it.
"""

import time

from loopctl.git.project_repository import ProjectRepository, RefMoved
from loopctl.git.runner import text

_TRAILER = "Loopctl-Spec"


class SpecSeal:
    """The seal of one loop.

    Args:
        project: where its snapshots are.
        loop_id: part of its refs.
        digest: of the specification, as it is stored now.
    """

    def __init__(self, project: ProjectRepository, loop_id: str, digest: str) -> None:
        self._project = project
        self._refs = f"refs/loopctl/{loop_id}"
        self._digest = digest

    @property
    def trailer(self) -> str:
        """A line for the message of a commit."""
        return f"{_TRAILER}: {self._digest}\n"

    def leave(self) -> None:
        """Seal it before an agent exists; what was sealed once is not sealed anew.

        Raises:
            GitError: git could not write.
        """
        message = f"loopctl: what was asked for\n\n{self.trailer}"
        commit = self._project.write_commit(self._project.empty_tree, (), message, int(time.time()))
        try:
            self._project.swap_ref(f"{self._refs}/asked", commit, None)
        except RefMoved:
            return

    def is_broken(self) -> bool:
        """Whether something else was sealed; a loop of an earlier version has no seal."""
        form = f"--format=%(contents:trailers:key={_TRAILER},valueonly)"
        # Not the refs with the agent's own commits: their messages are the agent's.
        sealed = (f"{self._refs}/asked", f"{self._refs}/rounds/")
        found = text(self._project.git.run("for-each-ref", form, *sealed)).split()
        return any(digest != self._digest for digest in found)
