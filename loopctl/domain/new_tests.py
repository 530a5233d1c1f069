"""Which added files are tests that an agent may have judged as well, in a second pass.

Tests and their data lie under protected patterns, where an added file is not part of the judged
tree. Invariant: a file that says how tests are run, such as a runner's settings or a hook that it
loads by itself, is never one of these.
"""

from loopctl.domain.globs import matches_any
from loopctl.domain.protection import Protection

_SETTINGS = tuple(
    f"**/{name}"
    for name in (
        *("conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini"),
        *("setup.cfg", "noxfile.py", ".coveragerc", "sitecustomize.py", "usercustomize.py"),
        *("*.dist-info/**", "*.egg-info/**", "*.pth", "*.egg-link"),
        *("makefile", "gnumakefile", "*.mk", "CTestConfig.cmake", "CTestCustom.cmake"),
        *("*.config.*", "jest.setup.*", "vitest.workspace.*", "karma.conf.*", ".mocharc.*"),
        *(".nycrc*", ".c8rc*", ".npmrc", ".yarnrc*", "package.json", "__mocks__/**"),
        *(".cargo/**", "nextest.toml", "rust-toolchain*", ".mvn/**", "gradle.properties"),
        *("init.gradle*", "META-INF/**", "junit-platform.properties"),
        *(".rspec", "spec_helper.rb", "rails_helper.rb", "Rakefile", "*.rake", ".simplecov"),
        *("phpunit.xml*", "phpunit.dist.xml", "phpstan.neon*", "pest.php", "bootstrap.php"),
        *(".gitattributes", ".gitignore", ".ignore", ".env*", "*.sh"),
    )
)


def is_plain_test(protection: Protection, path: str) -> bool:
    """Whether a new file under a protected pattern is a test, or data of one."""
    return protection.covers(path) and not matches_any(path, (*_SETTINGS, *protection.installed))
