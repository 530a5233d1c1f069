"""Programs that judge the work as their settings say, and where these settings are.

A linter that is told to look at nothing finds nothing. Invariant: settings are protected only in
loops whose commands run the program; elsewhere they are the agent's as any other file.
"""

from collections.abc import Iterable

_FILES = {
    "mypy": ("**/mypy.ini", "**/.mypy.ini"),
    "pyright": ("**/pyrightconfig.json",),
    "basedpyright": ("**/pyrightconfig.json",),
    "ruff": ("**/ruff.toml", "**/.ruff.toml", "**/.ignore"),
    "flake8": ("**/.flake8",),
    "pylint": ("**/pylintrc", "**/.pylintrc", "**/pylintrc.toml", "**/.pylintrc.toml"),
    "black": (),
    "isort": ("**/.isort.cfg",),
    "bandit": ("**/.bandit",),
    "eslint": ("**/eslint.config.*", "**/.eslintrc*", "**/.eslintignore"),
    "prettier": ("**/.prettierrc*", "**/prettier.config.*", "**/.prettierignore"),
    "stylelint": ("**/.stylelintrc*", "**/stylelint.config.*", "**/.stylelintignore"),
    "biome": ("**/biome.json", "**/biome.jsonc"),
    "vitest": ("**/vite.config.*",),  # read where it has no settings of its own
    "golangci-lint": ("**/.golangci.*",),
    "clippy": ("**/clippy.toml", "**/.clippy.toml"),
    "rubocop": ("**/.rubocop*.yml",),
}
_OBEY_GIT = frozenset({"ruff", "black", "prettier", "biome"})
_MANIFEST_KEYS = {"eslint": ("eslintConfig", "eslintIgnore")}


def linters_among(words: Iterable[str]) -> tuple[str, ...]:
    """The linters that a command's words name, by a path or without, sorted."""
    return tuple(sorted(_FILES.keys() & {word.rpartition("/")[2] for word in words}))


def settings_files(linters: Iterable[str]) -> tuple[str, ...]:
    """The globs of their own settings files."""
    return tuple(dict.fromkeys(glob for linter in linters for glob in _FILES[linter]))


def led_by_ignore_rules(linters: Iterable[str]) -> tuple[str, ...]:
    """Those that leave out what ``.gitignore`` names, also where git has the file."""
    return tuple(linter for linter in linters if linter in _OBEY_GIT)


def manifest_keys(linters: Iterable[str]) -> tuple[str, ...]:
    """The tables and sections of manifests that belong to them."""
    return tuple(key for linter in linters for key in (linter, *_MANIFEST_KEYS.get(linter, ())))
