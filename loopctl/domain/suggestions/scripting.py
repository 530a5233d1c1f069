"""Ruby, PHP and Perl: the runner that the project configures, and its package manager."""

import json

from loopctl.domain.suggestions.suggestion import Reason, Setup, Strength, Suggestion
from loopctl.domain.suggestions.survey import Place

RUBY, PHP, PERL = "ruby", "php", "perl"
RUBY_MANIFESTS = ("Gemfile", "Rakefile", ".rspec")
PERL_MANIFESTS = ("Makefile.PL", "Build.PL", "cpanfile", "dist.ini")
PHP_MANIFESTS = ("composer.json",)
_PHPUNIT = ("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml")
_GEMS = "vendor/bundle"


def suggest_ruby(place: Place) -> tuple[Suggestion, ...]:
    """RSpec, Rails, Rake or plain minitest."""
    runner = _ruby_runner(place)
    if runner is None:
        return ()
    command, program, because, strength = runner
    bundled = place.has("Gemfile") and not command.startswith("bin/")
    setup = None
    if place.has("Gemfile") and not place.present(_GEMS):
        setup = Setup(
            command=place.command(f"BUNDLE_PATH={_GEMS} bundle install --quiet"),
            because=f"{place.full('Gemfile')} is there",
            makes=place.full(_GEMS),
            kept_out=place.would_ignore(_GEMS) or place.would_ignore("vendor"),
        )
    prefix = f"BUNDLE_PATH={_GEMS} " if place.has("Gemfile") else ""
    return (
        Suggestion(
            language=RUBY,
            command=place.command(f"{prefix}{'bundle exec ' if bundled else ''}{command}"),
            because=because,
            folder=place.folder,
            strength=strength,
            programs=("bundle",) if bundled else (program,),
            share=_present(place, _GEMS, "the installed gems of your checkout"),
            setup=setup,
        ),
    )


def _ruby_runner(place: Place) -> tuple[str, str, str, Strength] | None:
    if place.has(".rspec") or place.matching("spec/**/*_spec.rb"):
        return "rspec", "rspec", "there are specifications for RSpec", Strength.CONFIGURED
    if place.has("bin/rails") and place.matching("test/**/*_test.rb"):
        return "bin/rails test", "ruby", "bin/rails is there, and test/", Strength.CONFIGURED
    tests = place.matching("test/**/*_test.rb", "test/**/test_*.rb")
    rakefile = place.text("Rakefile")
    if any(mark in rakefile for mark in ("TestTask", "task :test", "task test:", "task(:test")):
        because = f"{place.full('Rakefile')} has a task `test`"
        return "rake test", "rake", because, Strength.CONFIGURED
    if not tests:
        return None
    every = 'Dir.glob("./test/**/{*_test,test_*}.rb").each { |f| require f }'
    return f"ruby -Ilib -Itest -e '{every}'", "ruby", "test files are there", Strength.FOUND


def suggest_php(place: Place) -> tuple[Suggestion, ...]:
    """The script of Composer, PHPUnit or Pest."""
    if not place.has("composer.json"):
        return ()
    runner = _php_runner(place)
    if runner is None:
        return ()
    command, because, strength = runner
    setup = None
    if not place.present("vendor") and not place.matching("vendor/**"):
        setup = Setup(
            command=place.command("composer install --no-interaction --no-progress --quiet"),
            because=f"{place.full('composer.json')} is there",
            makes=place.full("vendor"),
            kept_out=place.would_ignore("vendor"),
        )
    return (
        Suggestion(
            language=PHP,
            command=place.command(command),
            because=because,
            folder=place.folder,
            strength=strength,
            programs=("composer", "php") if command.startswith("composer") else ("php",),
            share=_present(place, "vendor", "the installed packages of your checkout"),
            setup=setup,
        ),
    )


def suggest_perl(place: Place) -> tuple[Suggestion, ...]:
    """The files of ``t/`` through ``prove``."""
    if not place.matching("t/**/*.t"):
        return ()
    library = " -l" if place.matching("lib/**") else ""
    return (
        Suggestion(
            language=PERL,
            command=place.command(f"prove{library} -r t"),
            because=f"{place.full('t')}/ holds tests",
            folder=place.folder,
            strength=Strength.FOUND,
            programs=("prove",),
            protect=(Reason(value=place.full("t/**"), because="the tests"),),
        ),
    )


def _php_runner(place: Place) -> tuple[str, str, Strength] | None:
    settings = place.first(*_PHPUNIT)
    if "test" in _scripts(place.text("composer.json")):
        return "composer test", "composer.json has a script `test`", Strength.CONFIGURED
    if place.has("tests/Pest.php"):
        return "vendor/bin/pest", "tests/Pest.php is there", Strength.CONFIGURED
    if settings:
        return "vendor/bin/phpunit", f"{place.full(settings)} is there", Strength.CONFIGURED
    if place.matching("tests/**/*Test.php"):
        return "vendor/bin/phpunit tests", "test files are there", Strength.FOUND
    return None


def _present(place: Place, folder: str, what: str) -> tuple[Reason, ...]:
    if not place.present(folder):
        return ()
    return (Reason(value=place.full(folder), because=f"{what}, which git ignores"),)


def _scripts(text: str) -> dict[str, object]:
    try:
        scripts = json.loads(text).get("scripts", {})
    except (ValueError, AttributeError, RecursionError):
        return {}
    return scripts if isinstance(scripts, dict) else {}
