"""What is protected in which language, chosen by what the base tree holds.

A preset names the files that decide what is tested and how: tests, their data, the settings of
test runners. A manifest is the project's as a whole and belongs to the agent; it is put back
only when the test settings in it changed. What a preset leaves open is told to the user.
"""

from collections.abc import Iterable

from loopctl.domain.globs import matches_any
from loopctl.domain.value import Value


class Preset(Value):
    """The protected paths of one language.

    Attributes:
        name: the language.
        markers: the base tree holds one of these: the preset applies.
        programs: or a command runs one of these, wherever its files are.
        patterns: what it protects.
        installed: where dependencies are installed, with the programs that run the tests; protected
            where the base tree has nothing there, because nobody commits them.
        manifests: names of files of which only the test settings are protected.
        leaves_open: what it does not cover, for the user to read.
    """

    name: str
    markers: tuple[str, ...]
    programs: tuple[str, ...] = ()
    patterns: tuple[str, ...]
    installed: tuple[str, ...] = ()
    manifests: tuple[str, ...] = ()
    leaves_open: str


_TEST_FOLDERS = ("**/tests/**", "**/test/**")

PYTHON = Preset(
    name="python",
    markers=("**/*.py",),
    patterns=(
        "**/test_*.py",
        "**/*_test.py",
        "**/conftest.py",
        *_TEST_FOLDERS,
        "**/pytest.ini",
        "**/.pytest.ini",
        "**/pytest.toml",
        "**/.pytest.toml",
        "**/tox.ini",
        "**/noxfile.py",
        "**/.coveragerc",
        "**/sitecustomize.py",
        "**/usercustomize.py",
        "**/*.dist-info/**",
        "**/*.egg-info/**",
    ),
    installed=(
        *("**/.venv/**", "**/site-packages/**", "**/pyvenv.cfg", "**/.tox/**", "**/.nox/**"),
        "**/__pypackages__/**",
    ),
    manifests=("pyproject.toml", "setup.cfg"),
    leaves_open="doctests, test helpers outside test folders, tasks in pyproject.toml",
)
MAKE = Preset(
    name="make",
    markers=("Makefile", "makefile", "GNUmakefile"),
    programs=("make", "gmake"),
    patterns=("**/Makefile", "**/makefile", "**/GNUmakefile", "**/*.mk"),
    leaves_open="scripts that the recipes call",
)
_C_SUFFIXES = ("c", "cc", "cpp", "cxx")
C = Preset(
    name="c",
    markers=tuple(f"**/*.{suffix}" for suffix in _C_SUFFIXES),
    patterns=(
        *_TEST_FOLDERS,
        "**/unittests/**",
        *(
            f"**/{name}.{suffix}"
            for name in ("test", "tests", "test_*", "test-*", "*_test", "*_tests", "*-test")
            for suffix in _C_SUFFIXES
        ),
        "**/CTestConfig.cmake",
        "**/CTestCustom.cmake",
    ),
    leaves_open="tests with other names, CMakeLists.txt, meson.build and configure scripts",
)
JAVASCRIPT = Preset(
    name="javascript",
    markers=("**/package.json",),
    patterns=(
        "**/*.test.*",
        "**/*.spec.*",
        "**/__tests__/**",
        "**/__mocks__/**",
        "**/__snapshots__/**",
        *_TEST_FOLDERS,
        "**/spec/**",
        "**/cypress/**",
        "**/jest.config.*",
        "**/jest.setup.*",
        "**/vitest.config.*",
        "**/vitest.workspace.*",
        "**/playwright.config.*",
        "**/cypress.config.*",
        "**/karma.conf.*",
        "**/.mocharc.*",
        "**/ava.config.*",
        "**/.nycrc*",
        "**/.c8rc*",
        "**/.npmrc",
        "**/.yarnrc*",
    ),
    installed=("**/node_modules/**", "**/.pnp.*", "**/.yarn/**"),
    manifests=("package.json",),
    leaves_open="tsconfig.json, babel and bundler settings, build scripts outside package.json",
)
RUST = Preset(
    name="rust",
    markers=("**/Cargo.toml",),
    patterns=(
        *_TEST_FOLDERS,
        "**/benches/**",
        "**/.cargo/config",
        "**/.cargo/config.toml",
        "**/nextest.toml",
        "**/rust-toolchain",
        "**/rust-toolchain.toml",
    ),
    manifests=("Cargo.toml",),
    leaves_open="unit tests inside source files, doc tests, build.rs",
)
GO = Preset(
    name="go",
    markers=("**/go.mod",),
    patterns=("**/*_test.go", "**/testdata/**"),
    leaves_open="build tags in source files, code that go:generate writes",
)
JVM = Preset(
    name="jvm",
    markers=("**/pom.xml", "**/build.gradle", "**/build.gradle.kts", "**/build.sbt"),
    patterns=(
        "**/src/test/**",
        "**/src/*Test/**",
        "**/src/androidTest/**",
        "**/.mvn/**",
        "**/gradle.properties",
        "**/init.gradle*",
    ),
    leaves_open="pom.xml, build.gradle and build.sbt, also the test settings in them",
)
RUBY = Preset(
    name="ruby",
    markers=("**/Gemfile", "**/*.gemspec"),
    patterns=(
        "**/spec/**",
        *_TEST_FOLDERS,
        "**/features/**",
        "**/.rspec",
        "**/Rakefile",
        "**/*.rake",
        "**/.simplecov",
    ),
    installed=("**/vendor/bundle/**", "**/.bundle/**"),
    leaves_open="the Gemfile",
)
PHP = Preset(
    name="php",
    markers=("**/composer.json",),
    patterns=(
        *_TEST_FOLDERS,
        "**/*Test.php",
        "**/phpunit.xml",
        "**/phpunit.xml.dist",
        "**/phpunit.dist.xml",
        "**/phpstan.neon*",
        "**/pest.php",
    ),
    installed=("vendor/**",),
    manifests=("composer.json",),
    leaves_open="bootstrap files outside test folders",
)
_FOLDERS_OF_TESTS = (*_TEST_FOLDERS, "**/testdata/**", "**/golden/**", "**/__snapshots__/**")
OTHER = Preset(
    name="other",
    markers=_FOLDERS_OF_TESTS,
    patterns=_FOLDERS_OF_TESTS,
    leaves_open="tests outside of such folders",
)
PRESETS = (PYTHON, MAKE, C, JAVASCRIPT, RUST, GO, JVM, RUBY, PHP, OTHER)


def choose_presets(base_paths: Iterable[str], programs: Iterable[str] = ()) -> tuple[Preset, ...]:
    """The presets whose markers the base tree holds, or whose programs are run.

    What no language speaks for is protected as well where its folder says that it is a test.
    """
    paths, run = tuple(base_paths), frozenset(programs)
    chosen = tuple(
        preset
        for preset in PRESETS
        if preset is not OTHER
        and (
            run.intersection(preset.programs)
            or any(matches_any(path, preset.markers) for path in paths)
        )
    )
    known = tuple(pattern for preset in chosen for pattern in preset.patterns)
    tests = (path for path in paths if matches_any(path, OTHER.markers))
    return chosen if all(matches_any(path, known) for path in tests) else (*chosen, OTHER)


def named_presets(names: Iterable[str]) -> tuple[Preset, ...]:
    """The presets of these names, in the order of ``PRESETS``."""
    wanted = set(names)
    return tuple(preset for preset in PRESETS if preset.name in wanted)
