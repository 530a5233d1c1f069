"""Which added files are tests, and which say how tests are run."""

import pytest

from loopctl.domain.new_tests import is_plain_test
from loopctl.domain.presets import PRESETS
from loopctl.domain.protection import Protection

ALL = Protection(
    presets=tuple(preset.name for preset in PRESETS),
    patterns=tuple(pattern for preset in PRESETS for pattern in preset.patterns),
    installed=tuple(pattern for preset in PRESETS for pattern in preset.installed),
)


@pytest.mark.parametrize(
    "path",
    [
        *("tests/test_more.py", "pkg/test_in.py", "tests/__init__.py", "tests/data/in.json"),
        *("src/a.test.ts", "src/__tests__/a.js", "tests/more.rs", "a/b_test.go"),
        *("src/test/java/ATest.java", "spec/a_spec.rb", "tests/ATest.php", "Tests/test_a.py"),
    ],
)
def test_tests_and_their_data(path):
    assert is_plain_test(ALL, path)


@pytest.mark.parametrize(
    "path",
    [
        *("tests/conftest.py", "CONFTEST.py", "pytest.ini", "tests/pytest.ini", "sitecustomize.py"),
        *("tests/sub/tox.ini", "tests/Makefile", "tests/rules.mk", "jest.config.js"),
        *("tests/vitest.config.ts", "tests/__mocks__/fs.js", "tests/package.json", ".npmrc"),
        *("x.dist-info/entry_points.txt", "tests/x.pth", ".cargo/config.toml", "nextest.toml"),
        *("src/test/resources/META-INF/services/org.junit.jupiter.api.extension.Extension",),
        *("spec/spec_helper.rb", "Rakefile", "tests/bootstrap.php", "phpunit.xml"),
        *("tests/.gitattributes", "tests/run.sh", ".venv/tests/test_a.py", "src/app.py"),
        "node_modules/a/tests/a.test.js",
    ],
)
def test_settings_and_what_is_no_test(path):
    assert not is_plain_test(ALL, path)


def test_what_the_user_opened_is_judged_anyway():
    assert not is_plain_test(ALL.evolve(allowed=("tests/**",)), "tests/test_more.py")
