"""Which stop command and which supplies are proposed for which repository."""

import json

import pytest

from loopctl.domain.suggestions.choose import PROGRAMS, propose
from loopctl.domain.suggestions.survey import Survey
from loopctl.domain.supplies import settings_files

PYTEST = '[tool.pytest.ini_options]\naddopts = "-q"\n'
PACKAGE = '[project]\nname = "a"\n[build-system]\nrequires = []\n'
VENV = {"ignored": (".venv",), "environments": (".venv",)}
PY = {"pkg/__init__.py": "", "tests/test_a.py": "", "pyproject.toml": PYTEST}


def package(test=None, **more):
    return json.dumps({"scripts": {} if test is None else {"test": test}, **more})


def surveyed(files, **facts):
    facts.setdefault("programs", PROGRAMS)
    return Survey(paths=tuple(files), texts={k: v for k, v in files.items() if v}, **facts)


def proposed(files, **facts):
    return propose(surveyed(files, **facts))


def setup(files, **facts):
    return proposed(files, **facts).chosen.setup.command


COMMANDS = {
    "pytest with an environment": (PY, VENV, ".venv/bin/python -m pytest -q"),
    "pytest in an activated environment": (
        PY,
        {"active_environment": "/envs/a"},
        "python -m pytest -q",
    ),
    "pytest that has to be installed": (
        PY,
        {"programs": frozenset({"python3"})},
        ".venv/bin/python -m pytest -q",
    ),
    "pytest on PATH": (PY, {}, "python -m pytest -q"),
    "src layout": (
        {"src/a/__init__.py": "", "tests/test_a.py": "", "pytest.ini": "[pytest]\n"},
        VENV,
        "PYTHONPATH=src:$PYTHONPATH .venv/bin/python -m pytest -q",
    ),
    "src layout that pytest knows": (
        {
            "src/a/__init__.py": "",
            "tests/test_a.py": "",
            "pytest.ini": "[pytest]\npythonpath = src\n",
        },
        VENV,
        ".venv/bin/python -m pytest -q",
    ),
    "pytest by its imports": (
        {"a.py": "", "test_a.py": ""},
        {**VENV, "has_pytest_tests": True},
        ".venv/bin/python -m pytest -q",
    ),
    "unittest in a package": (
        {"a.py": "", "tests/__init__.py": "", "tests/test_a.py": ""},
        {"programs": frozenset({"python3"}), "has_unittest_tests": True},
        "python3 -m unittest -q",
    ),
    "unittest in a folder": (
        {"a.py": "", "tests/test_a.py": ""},
        {"has_unittest_tests": True},
        "python -m unittest discover -s tests -q",
    ),
    "unittest in a part": (
        {"lib/b/f.py": "", "lib/b/tests/__init__.py": "", "lib/b/tests/test_f.py": ""},
        {"has_unittest_tests": True},
        "python -m unittest discover -s lib/b -q",
    ),
    "unittest in two parts": (
        {"a/test_a.py": "", "b b/test_b.py": ""},
        {"has_unittest_tests": True},
        "python -m unittest discover -s a -q && python -m unittest discover -s 'b b' -q",
    ),
    "unittest below a folder": (
        {"a.py": "", "tests/unit/test_a.py": "", "examples/test_x.py": ""},
        {"has_unittest_tests": True},
        "python -m unittest discover -s tests/unit -q",
    ),
    "unittest with other names": (
        {"a.py": "", "a_test.py": ""},
        {"has_unittest_tests": True},
        "python -m unittest discover -p '*_test.py' -q",
    ),
    "unittest at the root": (
        {"a.py": "", "test_a.py": ""},
        {"has_unittest_tests": True},
        "python -m unittest -q",
    ),
    "tests of both": (
        {"a.py": "", "test_a.py": ""},
        {"has_unittest_tests": True, "has_pytest_tests": True},
        "python -m pytest -q",
    ),
    "no test, where unittest would succeed": ({"setup.py": "x"}, {}, ".venv/bin/python -m pytest"),
    "a script before a guess": (
        {"test_a.py": "", "run-tests.sh": ""},
        {"has_unittest_tests": True},
        "sh run-tests.sh",
    ),
    "perl": ({"lib/A.pm": "", "t/a.t": ""}, {}, "prove -l -r t"),
    "django": ({"manage.py": "", "app/tests.py": ""}, {}, "python manage.py test"),
    "tox alone": (
        {"a.py": "", "setup.py": "x", "tox.ini": "[testenv]\ncommands = ./run\n"},
        {},
        "tox -q",
    ),
    "nox alone": ({"a.py": "", "setup.py": "x", "noxfile.py": "x"}, {}, "nox"),
    "make": ({"a.c": "", "Makefile": "all:\n\tcc a.c\ntest: all\n\t./a.out\n"}, {}, "make test"),
    "make check": ({"a.c": "", "GNUmakefile": "check:\n\t./a.out\n"}, {}, "make check"),
    "a runner before make": ({**PY, "Makefile": "test:\n\tpytest\n"}, VENV, ".venv/bin/python -m"),
    "a script": ({"test.sh": "#!/usr/bin/env bash\n./a\n"}, {}, "bash test.sh"),
    "npm": ({"package.json": package("vitest run")}, {}, "npm test"),
    "pnpm": ({"package.json": package("x"), "pnpm-lock.yaml": ""}, {}, "pnpm test"),
    "yarn": ({"package.json": package("x"), "yarn.lock": ""}, {}, "yarn test"),
    "bun": ({"package.json": package("x"), "bun.lock": ""}, {}, "bun run test"),
    "a named manager": ({"package.json": package("x", packageManager="pnpm@9")}, {}, "pnpm test"),
    "a watching runner": (
        {"package.json": package("react-scripts test")},
        {},
        "CI=true npm test",
    ),
    "a build before the tests": (
        {
            "package.json": json.dumps(
                {"scripts": {"test": "node --test dist/test/", "build": "tsc"}}
            )
        },
        {},
        "npm run build && npm test",
    ),
    "tests that build": (
        {
            "package.json": json.dumps(
                {"scripts": {"test": "tsc && node --test dist/test/", "build": "tsc"}}
            )
        },
        {},
        "npm test",
    ),
    "the placeholder is no test": (
        {
            "package.json": package('echo "Error: no test specified" && exit 1'),
            "test/a.test.js": "",
        },
        {},
        "node --test",
    ),
    "a runner without a script": (
        {"package.json": package(devDependencies={"vitest": "1"})},
        {},
        "npx --no-install vitest run",
    ),
    "cargo": ({"Cargo.toml": "[package]\n", "Cargo.lock": "x"}, {}, "cargo test --locked"),
    "cargo, vendored": (
        {
            "Cargo.toml": "[workspace]\n",
            "Cargo.lock": "x",
            ".cargo/config.toml": '[source.crates-io]\nreplace-with = "vendored-sources"\n',
        },
        {},
        "cargo test --workspace --locked --offline",
    ),
    "go": ({"go.mod": "module a\n", "a_test.go": ""}, {}, "go test ./..."),
    "go workspace": (
        {"go.work": "go 1.22\nuse (\n\t./a\n\t./b\n)\n", "a/a_test.go": "", "a/go.mod": "x"},
        {},
        "go test ./a/... ./b/...",
    ),
    "maven wrapper": ({"pom.xml": "", "mvnw": "", "src/test/A.java": ""}, {}, "./mvnw -q -B test"),
    "maven": ({"pom.xml": "", "src/test/A.java": ""}, {}, "mvn -q -B test"),
    "gradle wrapper": (
        {"build.gradle.kts": "", "gradlew": "", "src/test/A.kt": ""},
        {},
        "./gradlew --no-daemon test",
    ),
    "gradle": ({"build.gradle": "", "src/test/A.java": ""}, {}, "gradle --no-daemon test"),
    "rspec": (
        {"Gemfile": "x", "spec/a_spec.rb": ""},
        {},
        "BUNDLE_PATH=vendor/bundle bundle exec rspec",
    ),
    "rspec without bundler": ({".rspec": "x", "spec/a_spec.rb": ""}, {}, "rspec"),
    "rake": ({"Rakefile": "Rake::TestTask.new\n", "test/a_test.rb": ""}, {}, "rake test"),
    "minitest": ({"a.gemspec": "", "test/a_test.rb": ""}, {}, "ruby -Ilib -Itest -e "),
    "composer": ({"composer.json": package("phpunit")}, {}, "composer test"),
    "phpunit": ({"composer.json": "{}", "phpunit.xml.dist": ""}, {}, "vendor/bin/phpunit"),
    "pest": ({"composer.json": "{}", "tests/Pest.php": ""}, {}, "vendor/bin/pest"),
    "a folder": (
        {"README.md": "", "back end/pyproject.toml": PYTEST, "back end/tests/test_a.py": ""},
        {"ignored": ("back end/.venv",), "environments": ("back end/.venv",)},
        "cd 'back end' && .venv/bin/python -m pytest -q",
    ),
    "a folder with the root's environment": (
        {"services/api/setup.py": "pytest", "services/api/test_a.py": ""},
        VENV,
        "cd services/api && ../../.venv/bin/python -m pytest -q",
    ),
}


@pytest.mark.parametrize("case", COMMANDS)
def test_the_stop_command(case):
    files, facts, command = COMMANDS[case]
    chosen = proposed(files, **facts).chosen
    assert chosen.command.startswith(command)
    assert chosen.because


def test_nothing_to_go_by():
    assert proposed({"README.md": "", "main.c": ""}).chosen is None


def test_what_can_run_comes_before_what_cannot():
    files = {"Cargo.toml": "[package]\n", "package.json": package("jest")}
    proposal = proposed(files, programs=frozenset({"cargo"}))
    assert proposal.chosen.command == "cargo test"
    assert [each.command for each in proposal.others] == ["npm test"]
    assert proposed(files, programs=frozenset()).missing == ("node", "npm")


def test_a_monorepo_has_alternatives():
    files = {
        "web/package.json": package("vitest run"),
        "api/pyproject.toml": PYTEST,
        "api/tests/test_a.py": "",
        "core/Cargo.toml": "[package]\n",
        "examples/x/Cargo.toml": "[package]\n",
    }
    proposal = proposed(files, **VENV)
    commands = [each.command for each in (proposal.chosen, *proposal.others)]
    assert commands == [
        "cd api && ../.venv/bin/python -m pytest -q",
        "cd web && npm test",
        "cd core && cargo test",
    ]


SETUPS = {
    "uv": ({**PY, "uv.lock": ""}, "uv sync --frozen"),
    "uv with extras": (
        {
            **PY,
            "uv.lock": "",
            "pyproject.toml": PYTEST + "[project.optional-dependencies]\nx = []\n",
        },
        "uv sync --frozen --all-extras",
    ),
    "poetry": (
        {**PY, "poetry.lock": ""},
        "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction",
    ),
    "pdm": ({**PY, "pdm.lock": ""}, "pdm install --frozen-lockfile"),
    "pipenv": ({**PY, "Pipfile.lock": ""}, "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev"),
    "requirements": (
        {
            **PY,
            "requirements.txt": "x",
            "requirements-dev.txt": "pytest",
            "docs-requirements.txt": "",
        },
        (
            "python3 -m venv .venv && .venv/bin/python -m pip install -q "
            "-r requirements.txt -r requirements-dev.txt"
        ),
    ),
    "a package": (
        {**PY, "pyproject.toml": PACKAGE + '[project.optional-dependencies]\ntest = ["pytest"]\n'},
        "python3 -m venv .venv && .venv/bin/python -m pip install -q -e '.[test]'",
    ),
    "a package with a group": (
        {**PY, "pyproject.toml": PACKAGE + '[dependency-groups]\ndev = ["pytest"]\n'},
        (
            "python3 -m venv .venv && .venv/bin/python -m pip install -q --upgrade pip && "
            ".venv/bin/python -m pip install -q -e . --group dev"
        ),
    ),
    "pytest itself": (
        {"setup.py": "x", "conftest.py": "", "test_a.py": ""},
        "python3 -m venv .venv && .venv/bin/python -m pip install -q -e . pytest",
    ),
    "npm": (
        {"package.json": package("x", dependencies={"a": "1"}), "package-lock.json": ""},
        "npm ci",
    ),
    "npm without a lock": ({"package.json": package("x", dependencies={"a": "1"})}, "npm install"),
    "pnpm": (
        {"package.json": package("x", devDependencies={"a": "1"}), "pnpm-lock.yaml": ""},
        "pnpm install --frozen-lockfile",
    ),
    "yarn": (
        {"package.json": package("x", dependencies={"a": "1"}), "yarn.lock": ""},
        "yarn install --frozen-lockfile",
    ),
    "yarn of today": (
        {
            "package.json": package("x", dependencies={"a": "1"}, packageManager="yarn@4.1.0"),
            "yarn.lock": "",
        },
        "yarn install --immutable",
    ),
    "a package in a workspace": (
        {"web/package.json": package("x", dependencies={"a": "1"}), "pnpm-lock.yaml": ""},
        "pnpm install --frozen-lockfile",
    ),
    "composer": (
        {"composer.json": package("x")},
        "composer install --no-interaction --no-progress --quiet",
    ),
    "bundler": (
        {"Gemfile": "x", "spec/a_spec.rb": ""},
        "BUNDLE_PATH=vendor/bundle bundle install --quiet",
    ),
    "make needs what its languages need": (
        {"Makefile": "test:\n\tx\n", "package.json": package(dependencies={"jest": "1"})},
        "npm install",
    ),
}


@pytest.mark.parametrize("case", SETUPS)
def test_the_setup(case):
    files, command = SETUPS[case]
    assert setup(files, programs=PROGRAMS - {"pytest"}) == command


@pytest.mark.parametrize(
    ("files", "folder"),
    [
        (PY, ".venv"),
        ({"package.json": package("x", dependencies={"a": "1"})}, "node_modules"),
        ({"composer.json": package("x")}, "vendor"),
        ({"Gemfile": "x", ".rspec": "x"}, "vendor/bundle"),
    ],
)
def test_what_is_there_is_shared_and_not_installed(files, folder):
    environments = (folder,) if folder == ".venv" else ()
    proposal = proposed(files, ignored=(folder, "dist"), environments=environments)
    assert [reason.value for reason in proposal.share] == [folder]
    assert proposal.chosen.setup is None
    programs = PROGRAMS - {"pytest"}
    ignorable = frozenset({folder})
    assert proposed(files, programs=programs, ignorable=ignorable).chosen.setup.kept_out
    assert not proposed(files, programs=programs).chosen.setup.kept_out


def test_tools_that_ignore_their_environments_themselves():
    assert proposed({**PY, "uv.lock": ""}, programs=frozenset({"uv"})).chosen.setup.kept_out


def test_nothing_is_installed_for_a_project_that_needs_nothing():
    tests = proposed({"a.py": "", "test_a.py": ""}, has_unittest_tests=True)
    assert tests.chosen.setup is None
    assert proposed({"package.json": package("node --test")}).chosen.setup is None


def test_a_version_from_tags_needs_history():
    files = {**PY, "pyproject.toml": PYTEST + '[build-system]\nrequires = ["setuptools-scm"]\n'}
    assert proposed(files).chosen.git.value == "history"


def test_what_is_commented_out_does_not_count():
    text = f'# requires = ["setuptools-scm"]\n  # [tool.tox]\n{PYTEST}'
    found = proposed(PY | {"pyproject.toml": text})
    assert found.chosen.git is None
    assert found.others == proposed(PY).others


def test_what_judges_beside_the_presets_is_protected():
    files = {
        "Makefile": "test:\n\t@sh tools/run.sh\nclean:\n\tsh tools/clean.sh\n",
        "tools/run.sh": "x",
        "tools/clean.sh": "x",
        "ci/lint.py": "x",
        "package.json": package("python3 ci/lint.py && node --test"),
        "goldens/a/b.txt": "",
        "golden/a/b.txt": "",
        "tests/goldens/c.txt": "",
        "pkg/test_data/d/goldens/e.txt": "",
    }
    assert [reason.value for reason in proposed(files).protect] == [
        "tools/run.sh",
        "ci/lint.py",
        "goldens/**",
        "pkg/test_data/**",
    ]


@pytest.mark.parametrize("name", ["pyproject.toml", "package.json", "composer.json", "Makefile"])
@pytest.mark.parametrize("text", ["{", "[]", "\0", "[[[", '{"scripts": 1, "dependencies": []}'])
def test_manifests_that_cannot_be_read(name, text):
    files = {name: text, "tests/test_a.py": "", "conftest.py": ""}
    assert proposed(files).chosen is not None


def test_ignored_files_that_look_like_settings():
    settings = (".env", ".env.test", "dev.env", "local_settings.py", "config.local.json")
    others = (".coverage", "debug.log", "environment.py", "a.pyc", "notes.txt", ".DS_Store")
    assert settings_files((*settings, *others)) == settings
