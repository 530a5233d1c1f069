"""One way to judge a repository, with what it needs and why it was found."""

from enum import IntEnum

from loopctl.domain.value import Value


class Strength(IntEnum):
    """How surely a command judges the project."""

    GUESSED = 0
    """A manifest of the language is there, and no test was found."""
    FOUND = 1
    """Test files are there."""
    CONFIGURED = 2
    """The project itself says that this is how it is tested."""


class Setup(Value):
    """A command that installs what the tests need.

    Attributes:
        command: shell text for the root of a checkout.
        because: why this one.
        makes: the folder that it fills.
        kept_out: git ignores that folder, so that no snapshot holds what was installed.
    """

    command: str
    because: str
    makes: str
    kept_out: bool


class Reason(Value):
    """A value of the configuration with the reason for it."""

    value: str
    because: str


class Suggestion(Value):
    """A stop command.

    Attributes:
        language: whose it is.
        command: shell text for the root of a checkout.
        because: why it was found.
        folder: the part of the repository that it judges; ``""`` is the root.
        strength: how surely it does.
        programs: what has to be on PATH.
        share: ignored folders of the checkout that it needs.
        setup: what installs its dependencies; None: nothing has to be installed.
        protect: files beyond the presets that judge the work.
        cache: folders of the user without which each evaluation would download much.
        git: what git has to find in a checkout, when it is not the default.
        notes: what else the user should know.
    """

    language: str
    command: str
    because: str
    folder: str = ""
    strength: Strength = Strength.CONFIGURED
    programs: tuple[str, ...] = ()
    share: tuple[Reason, ...] = ()
    setup: Setup | None = None
    protect: tuple[Reason, ...] = ()
    cache: tuple[Reason, ...] = ()
    git: Reason | None = None
    notes: tuple[str, ...] = ()
