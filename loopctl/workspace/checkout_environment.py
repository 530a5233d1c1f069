"""The variables of an evaluator, and what of the user's folders they lead to.

Invariant: HOME and TMPDIR are new in every checkout; of the user's folders an evaluator finds
toolchains, and those that the configuration names.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from loopctl.domain.supplies import EvaluatorSupplies
from loopctl.process.environment import evaluator_environment, is_fixed
from loopctl.process.secret_values import secrets_in
from loopctl.workspace.shared_paths import redirected
from loopctl.workspace.toolchains import toolchain_homes


class CheckoutEnvironment:
    """Makes the environments of one loop's evaluators.

    Args:
        environment: the user's variables, as they are when the driver starts.
        passed: names of variables that evaluators receive beside the fixed ones; ``DOCKER_*``
            names all that begin so.
        fixed: variables that the loop itself sets.
        supplies: what the configuration says.
        source: root of the user's checkout.
        frozen: PATH and the locale as they were at the start of the loop; None or empty takes
            the user's.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        passed: tuple[str, ...],
        fixed: Mapping[str, str],
        supplies: EvaluatorSupplies,
        source: Path,
        *,
        frozen: Mapping[str, str] | None = None,
    ) -> None:
        if frozen:
            others = {name: value for name, value in environment.items() if not is_fixed(name)}
            environment = {**others, **frozen}
        named = {
            name for name in environment if any(fnmatchcase(name, pattern) for pattern in passed)
        }
        added = {**toolchain_homes(environment), **fixed}
        own = {name: value for name, value in added.items() if name not in named}
        self._environment = {**environment, **own}
        self._named = named
        self._passed = sorted({*named, *own})
        self._supplies = supplies
        self._source = source

    def variables(self, home: Path, tmp: Path) -> dict[str, str]:
        """The environment in a checkout whose HOME and TMPDIR are these."""
        return evaluator_environment(self._environment, self._passed, str(home), str(tmp))

    def supplied(self, home: Path, tmp: Path, folder: Path) -> dict[str, str]:
        """The same in ``folder``, a checkout that holds copies of the shared paths."""
        self._link_caches(home)
        variables = self.variables(home, tmp)
        return redirected(variables, self._source, folder, self._supplies.share)

    def seen_from(self, folder: Path) -> dict[str, str]:
        """The same without making anything: what a checkout in ``folder`` would be given."""
        variables = self.variables(folder / "home", folder / "tmp")
        return redirected(variables, self._source, folder, self._supplies.share)

    def labels(self) -> tuple[str, ...]:
        """What the evidence has to mention of the user's folders."""
        cache = self._supplies.cache
        named = {name: self._environment[name] for name in self._named}
        secrets = sorted(secrets_in(named))
        return (
            *((f"cache shared: {', '.join(cache)}",) if cache else ()),
            *((f"passed by name: {', '.join(secrets)}",) if secrets else ()),
        )

    @property
    def home(self) -> Path:
        """The user's own HOME."""
        return Path(self._environment.get("HOME") or "/nonexistent")

    def cache(self, cache: str) -> Path:
        """Where a cache is that the configuration names."""
        beneath = cache.removeprefix("~/")
        return Path(cache) if beneath == cache else self.home / beneath

    def _link_caches(self, home: Path) -> None:
        """Give the new HOME the user's caches where they are in the user's own."""
        for cache in self._supplies.cache:
            beneath = cache.removeprefix("~/")
            if beneath != cache and not (home / beneath).is_symlink():
                (home / beneath).parent.mkdir(parents=True, exist_ok=True)
                self.cache(cache).mkdir(parents=True, exist_ok=True)
                (home / beneath).symlink_to(self.cache(cache))
