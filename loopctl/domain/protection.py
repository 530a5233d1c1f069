"""Which paths of a repository judge the work, and so are not the agent's to change."""

from loopctl.domain.globs import matches_any
from loopctl.domain.value import Value


class Protection(Value):
    """What is protected in one loop.

    Attributes:
        presets: names of the presets in use.
        patterns: everything that is protected.
        linters: programs of the commands whose settings in manifests are protected as well.
        installed: where dependencies are installed; what the agent puts there is not judged.
        allowed: what the user opened again.
        import_roots: folders, beside the root, from which the commands import Python first.
    """

    presets: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    linters: tuple[str, ...] = ()
    installed: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    import_roots: tuple[str, ...] = ()

    def covers(self, path: str) -> bool:
        """Whether ``path`` is protected."""
        return matches_any(path, self.patterns) and not matches_any(path, self.allowed)
