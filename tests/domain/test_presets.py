"""Which language protects what."""

import pytest

from loopctl.domain.presets import PRESETS, choose_presets, named_presets
from loopctl.domain.protection import Protection

BASE = {
    "python": "lib/a.py",
    "make": "Makefile",
    "c": "lib/sum.cc",
    "javascript": "web/package.json",
    "rust": "Cargo.toml",
    "go": "go.mod",
    "jvm": "app/build.gradle.kts",
    "ruby": "acme.gemspec",
    "php": "composer.json",
    "other": "tests/golden/of-21",
}


@pytest.mark.parametrize(("name", "path"), BASE.items())
def test_a_preset_is_chosen_by_what_the_base_tree_holds(name, path):
    assert [preset.name for preset in choose_presets(["README.md", path])] == [name]


def test_every_preset_is_tried_here_and_can_be_found_by_its_name():
    names = [preset.name for preset in PRESETS]
    assert names == list(BASE)
    assert named_presets(reversed(names)) == PRESETS


@pytest.mark.parametrize(
    ("name", "protected", "free"),
    [
        ("c", "test_sum.c", "sum.c"),
        ("c", "src/sum_test.cpp", "src/latest.cpp"),
        ("c", "lib/tests/data.in", "CMakeLists.txt"),
        ("javascript", "src/sum.test.ts", "src/sum.ts"),
        ("javascript", "src/__snapshots__/sum.snap", "src/latest.js"),
        ("javascript", "vitest.config.mts", "vite.config.ts"),
        ("rust", "crates/a/tests/it.rs", "crates/a/src/lib.rs"),
        ("rust", ".cargo/config.toml", "Cargo.lock"),
        ("go", "pkg/sum_test.go", "pkg/sum.go"),
        ("go", "pkg/testdata/in.txt", "pkg/data/in.txt"),
        ("jvm", "app/src/test/java/ATest.java", "app/src/main/java/A.java"),
        ("jvm", "app/src/integrationTest/kotlin/B.kt", "app/pom.xml"),
        ("ruby", "spec/a_spec.rb", "lib/a.rb"),
        ("ruby", "Rakefile", "Gemfile.lock"),
        ("php", "tests/ATest.php", "src/A.php"),
        ("php", "phpunit.xml.dist", "composer.lock"),
        ("other", "lib/tests/input", "lib/latest/input"),
        ("other", "golden/of-21", "golden.sh"),
    ],
)
def test_tests_and_their_settings_are_protected(name, protected, free):
    (preset,) = named_presets([name])
    protection = Protection(presets=(name,), patterns=preset.patterns)
    assert protection.covers(protected)
    assert not protection.covers(free)


def test_test_folders_of_a_language_need_no_other_preset():
    assert [preset.name for preset in choose_presets(["a.py", "tests/golden/of-21"])] == ["python"]
    chosen = choose_presets(["a.py", "golden/of-21"])
    assert [preset.name for preset in chosen] == ["python", "other"]
