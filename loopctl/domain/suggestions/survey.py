"""The facts about a repository that suggestions are made from, and a view of one of its folders.

Invariant: what the files say is from the base commit, because a loop starts from that; what is
ignored or installed is from the user's checkout and machine.
"""

from functools import cached_property

from pydantic import Field

from loopctl.domain.globs import matches_any
from loopctl.domain.value import Value


class Survey(Value):
    """What was found.

    Attributes:
        paths: every path of the base tree.
        texts: the manifests and settings among them, as text.
        ignored: ignored folders near the root of the checkout.
        settings: ignored files at the root of the checkout that look like settings.
        environments: those of them that are virtual environments of Python.
        ignorable: folders that git would ignore if they were made; by their path.
        programs: of the programs that are asked about, those on PATH.
        active_environment: an activated Python environment outside the checkout; ``""``: none.
        has_pytest_tests: a test file imports pytest, or has tests that are plain functions.
        has_unittest_tests: a test file imports unittest.
    """

    paths: tuple[str, ...]
    texts: dict[str, str] = Field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    environments: tuple[str, ...] = ()
    ignorable: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()
    active_environment: str = ""
    has_pytest_tests: bool = False
    has_unittest_tests: bool = False


class Place:
    """One folder of the repository, seen as if it were a project of its own.

    Args:
        survey: the facts.
        folder: its path from the root; ``""`` is the root.
        hidden: folders below it that are projects of their own, and not looked at.
    """

    def __init__(self, survey: Survey, folder: str = "", hidden: tuple[str, ...] = ()) -> None:
        self.survey = survey
        self._hidden = tuple(f"{name}/" for name in hidden)
        self.folder = folder
        self._prefix = f"{folder}/" if folder else ""

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths below the folder, relative to it."""
        length = len(self._prefix)
        below = (path[length:] for path in self.survey.paths if path.startswith(self._prefix))
        return tuple(path for path in below if not path.startswith(self._hidden))

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.paths)

    def full(self, name: str) -> str:
        """A path of the folder as one from the root."""
        return f"{self._prefix}{name}"

    def without_projects(self, manifests: tuple[str, ...]) -> "Place":
        """The same folder without those below it that have a manifest of their own."""
        holding = (path.rpartition("/") for path in self.paths)
        inner = {folder for folder, _, name in holding if folder and name in manifests}
        return Place(self.survey, self.folder, tuple(sorted(inner)))

    def has(self, *names: str) -> bool:
        """Whether the base tree has one of these files here."""
        return not self._known.isdisjoint(names)

    def first(self, *names: str) -> str:
        """The first of these files that is here; ``""`` when none is."""
        return next((name for name in names if name in self._known), "")

    def text(self, name: str) -> str:
        """What is in a manifest; ``""`` when it is not here."""
        return self.survey.texts.get(self.full(name), "")

    def settings(self, name: str) -> str:
        """The same without lines that are comments: what is commented out does not count."""
        lines = self.text(name).splitlines(keepends=True)
        return "".join(line for line in lines if not line.lstrip().startswith(("#", ";")))

    def matching(self, *patterns: str) -> tuple[str, ...]:
        """The paths that match one of these globs."""
        return tuple(path for path in self.paths if matches_any(path, patterns))

    def present(self, name: str) -> bool:
        """Whether the checkout has this ignored folder."""
        return self.full(name) in self.survey.ignored

    def would_ignore(self, name: str) -> bool:
        """Whether git would ignore a folder of this name."""
        full = self.full(name)
        return full in self.survey.ignored or full in self.survey.ignorable

    def command(self, text: str) -> str:
        """Shell text for the root that runs ``text`` here."""
        return f"cd {quoted(self.folder)} && {text}" if self.folder else text


def quoted(path: str) -> str:
    """A path as a word of shell text."""
    plain = path.replace("/", "").replace("-", "").replace("_", "").replace(".", "")
    if plain.isascii() and plain.isalnum():
        return path
    return "'" + path.replace("'", "'\\''") + "'"
