"""Names for implementations: built-ins, entry points of installed packages, dotted paths.

A seam's registry turns a name into a factory. Built-ins are registered by the composition root.
An entry point is looked up in the group ``loopctl.<seam>``; a dotted path ``package.module:name``
is imported as it stands. An unknown name lists the known ones.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar

from loopctl.errors import LoopctlError, UnknownNameError, UsageError

T = TypeVar("T")


class Registry(Generic[T]):
    """The implementations of one seam.

    Args:
        seam: the seam's name, such as ``agents``; names the entry-point group.
        builtin: the factories that ship with loopctl.
    """

    def __init__(self, seam: str, builtin: dict[str, Callable[..., T]]) -> None:
        self.seam = seam
        self._builtin = builtin

    @property
    def group(self) -> str:
        """The entry-point group of the seam."""
        return f"loopctl.{self.seam}"

    def names(self) -> tuple[str, ...]:
        """Every name that can be used without a dotted path."""
        installed = {point.name for point in entry_points(group=self.group)}
        return tuple(sorted(installed | self._builtin.keys()))

    def factory(self, name: str) -> Callable[..., T]:
        """The factory called ``name``.

        Raises:
            UnknownNameError: there is no such name.
            UsageError: the plug-in cannot be imported.
        """
        if name in self._builtin:
            return self._builtin[name]
        for point in entry_points(group=self.group, name=name):
            return self._load(name, point.load)
        module, separator, attribute = name.partition(":")
        if separator and attribute.isidentifier():
            return self._load(name, lambda: getattr(import_module(module), attribute))
        raise UnknownNameError(
            f"no {self.seam} plug-in is called {name!r}",
            why=f"known names: {', '.join(self.names()) or 'none'}",
            next_step="use one of them, or a dotted path such as package.module:Factory",
        )

    def make(self, name: str, **arguments: object) -> T:
        """What the factory called ``name`` makes of ``arguments``.

        Raises:
            UsageError: there is no such factory, or it fails.
        """
        factory = self.factory(name)
        try:
            return factory(**arguments)
        except LoopctlError:
            raise
        except Exception as error:  # whatever a plug-in raises is the user's to read
            raise UsageError(
                f"the {self.seam} plug-in {name!r} cannot be used",
                why=f"{type(error).__name__}: {error}",
                next_step="correct it, or use another one",
            ) from error

    def _load(self, name: str, load: Callable[[], Any]) -> Callable[..., T]:
        try:
            factory: Callable[..., T] = load()
        except Exception as error:  # whatever a plug-in's import raises is the user's to read
            raise UsageError(
                f"the {self.seam} plug-in {name!r} cannot be loaded",
                why=f"{type(error).__name__}: {error}",
                next_step="install it, or correct the name",
            ) from error
        return factory
