"""What lies above the checkouts: folders in which tools look for settings and modules of a project.

A linter, a test runner or Node.js goes from its folder up to the root of the file system until it
finds something. Invariant: an evaluator runs only while what it could find up there is what was
there as the driver started; in folders of our own there is nothing of that kind at all.
"""

import fnmatch
import os
import re
import stat
from pathlib import Path

from loopctl.errors import SupplyError
from loopctl.workspace.path_text import path_text

_LOOKED_FOR = (
    *("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "conftest.py", "pyproject.toml"),
    *("setup.cfg", "tox.ini", "ruff.toml", ".ruff.toml", "pyrightconfig.json", "mypy.ini"),
    *(".mypy.ini", ".flake8", "pylintrc", ".pylintrc", ".coveragerc"),
    *("node_modules", "package.json", ".yarnrc*", ".pnp.*", "pnpm-workspace.yaml"),
    *(".eslintrc*", "eslint.config.*", ".prettierrc*", "prettier.config.*", ".stylelintrc*"),
    *("tsconfig*.json", "jsconfig.json", ".babelrc*", "babel.config.*", "jest.config.*", ".swcrc"),
    *("vite.config.*", "vitest.config.*", "vitest.workspace.*", ".mocharc.*", ".nycrc*"),
    *("biome.json*", "deno.json*", "bunfig.toml", "turbo.json", "nx.json", "lerna.json"),
    *("Cargo.toml", "rust-toolchain*", "clippy.toml", ".clippy.toml", "rustfmt.toml"),
    *("go.mod", "go.work", ".golangci.*", ".mvn", "settings.gradle*", "Gemfile", ".rubocop*.yml"),
    *("Rakefile", "composer.json", "phpunit.xml*", "phpstan.neon*"),
    *("uv.toml", ".isort.cfg", ".bandit", ".sqlfluff", ".yamllint*", ".ansible-lint"),
    *(".clang-tidy", ".clang-format", ".shellcheckrc", "shellcheckrc", ".hadolint.y*ml"),
    *(".markdownlint*", ".luacheckrc", ".stylua.toml", "stylua.toml", ".swiftlint.yml"),
    *("Directory.*.props", "Directory.*.targets", "global.json", "[Nn]u[Gg]et.[Cc]onfig"),
    *(".python-version", ".ruby-version", ".nvmrc", ".node-version", ".tool-versions"),
    *("mise.toml", ".mise.toml", "justfile", ".justfile", "Justfile", "[Tt]askfile.y*ml"),
    *(".editorconfig", ".env", ".git", ".ignore", ".rgignore", ".gitignore"),
)
_CARGO = (".cargo/config", ".cargo/config.toml")
_PACKAGES = "node_modules"
_IS_LOOKED_FOR = re.compile("|".join(map(fnmatch.translate, _LOOKED_FOR))).match


class Surroundings:
    """The folders above the checkouts of one loop. Make it before an agent is at work.

    Args:
        root: the folder for checkouts.
        home: our own folder that holds it; what is between them belongs to nobody else.
    """

    def __init__(self, root: Path, home: Path) -> None:
        self._root = root.absolute()
        self._above = tuple(dict.fromkeys((*self._root.parents, *root.resolve().parents)))
        own = {home.absolute(), home.resolve()}
        users = [each for each in self._above if each not in own and not own & {*each.parents}]
        self._known = {path: self._stamp(path) for path in self._found(*users)}

    def check(self) -> None:
        """Refuse what has appeared or changed since.

        Raises:
            SupplyError: it names the first such path.
        """
        for path in self._found(self._root, *self._above):
            stamp = self._stamp(path)
            if stamp is not None and self._known.get(path) != stamp:
                name = path_text(str(path))
                raise SupplyError(
                    f"{name} was put above the checkouts while the loop was running",
                    why="tools look there for settings and modules: it would take part in judging",
                    next_step=f"find out who did it, remove it (ls -ld {name})",
                    evidence=(f"appeared above the checkout: {name}",),
                )

    @staticmethod
    def _found(*folders: Path) -> list[Path]:
        found = []
        for folder in folders:
            try:
                names = os.listdir(folder)  # noqa: PTH208 - only the names
            except OSError:
                continue
            found += [folder / name for name in names if _IS_LOOKED_FOR(name)]
            found += [folder / name for name in _CARGO if (folder / name).exists()]
        return sorted(found)

    @staticmethod
    def _stamp(path: Path) -> tuple[int, int, int] | None:
        """None when it is gone. A folder may change inside, but for the names of packages."""
        try:
            seen = path.lstat()
        except OSError:
            return None
        counts = not stat.S_ISDIR(seen.st_mode) or path.name == _PACKAGES
        return seen.st_dev, seen.st_ino, seen.st_ctime_ns if counts else 0
