"""Which of the suggestions comes first, and what the repository as a whole needs.

The root before its folders, what can run here before what cannot, what the project configures
before what was guessed. Invariant: the same survey gives the same proposal.
"""

from collections.abc import Callable, Iterable

from loopctl.domain.suggestions import compiled, javascript, make, python, scripting
from loopctl.domain.suggestions.called import judging_files
from loopctl.domain.suggestions.python_environment import MANIFESTS as PYTHON_MANIFESTS
from loopctl.domain.suggestions.suggestion import Reason, Strength, Suggestion
from loopctl.domain.suggestions.survey import Place, Survey
from loopctl.domain.value import Value

Suggest = Callable[[Place], tuple[Suggestion, ...]]
_LANGUAGES: tuple[tuple[Suggest, tuple[str, ...]], ...] = (
    (python.suggest, PYTHON_MANIFESTS),
    (javascript.suggest, javascript.MANIFESTS),
    (compiled.suggest_rust, compiled.RUST_MANIFESTS),
    (compiled.suggest_go, compiled.GO_MANIFESTS),
    (compiled.suggest_jvm, compiled.JVM_MANIFESTS),
    (scripting.suggest_ruby, scripting.RUBY_MANIFESTS),
    (scripting.suggest_php, scripting.PHP_MANIFESTS),
    (scripting.suggest_perl, scripting.PERL_MANIFESTS),
    (make.suggest, ()),
)
"""What suggests, and the names that make a folder worth asking it about."""

PROGRAMS = frozenset(
    {
        "python",
        "python3",
        "pytest",
        "uv",
        "poetry",
        "pdm",
        "pipenv",
        "tox",
        "nox",
        "node",
        "npm",
        "pnpm",
    }
    | {"yarn", "bun", "cargo", "go", "java", "gradle", "mvn", "bundle", "rspec", "rake", "ruby"}
    | {"composer", "php", "prove", "make", "sh"}
)
"""The programs that a survey has to look for on PATH."""

_DEPTH = 2
_FOLDERS = 20
_NOT_PROJECTS = frozenset(
    {"examples", "example", "tests", "test", "docs", "doc", "vendor", "third_party", "fixtures"}
    | {"node_modules", "testdata", "templates", "benchmarks", "bench", "spec", ".github"}
)


class Proposal(Value):
    """What to write into a configuration.

    Attributes:
        chosen: the stop command; None when nothing tells how the repository is judged.
        others: further ones, the better first.
        share: ignored folders of the checkout that loops need.
        protect: files beyond the presets that judge the work.
        settings: ignored files that look like settings, which tests may need.
        missing: programs of the chosen one that are not on PATH.
    """

    chosen: Suggestion | None
    others: tuple[Suggestion, ...] = ()
    share: tuple[Reason, ...] = ()
    protect: tuple[Reason, ...] = ()
    settings: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def propose(survey: Survey) -> Proposal:
    """Choose a stop command and what it needs."""
    found = _ranked(survey, _all(survey))
    if not found:
        protect = judging_files(survey)
        return Proposal(chosen=None, protect=protect, settings=survey.settings)
    chosen, *others = found
    if chosen.language in {make.MAKE, make.SCRIPT}:
        chosen = _supplied(chosen, others)
    return Proposal(
        chosen=chosen,
        others=tuple(others),
        share=_once(chosen.share),
        protect=_once((*chosen.protect, *judging_files(survey))),
        settings=survey.settings,
        missing=_missing(survey, chosen),
    )


def _all(survey: Survey) -> list[Suggestion]:
    """Every suggestion at the root, and those in folders for languages that the root lacks."""
    found: list[Suggestion] = []
    for suggest, manifests in _LANGUAGES:
        at_root = suggest(Place(survey))
        found += at_root
        if any(each.strength > Strength.GUESSED for each in at_root):
            continue
        for folder in _folders_with(survey, manifests):
            found += suggest(Place(survey, folder))
    return found


def _folders_with(survey: Survey, manifests: tuple[str, ...]) -> list[str]:
    """Folders near the root that hold one of these files, without those below another one."""
    found: list[str] = []
    for path in sorted(survey.paths, key=lambda path: (path.count("/"), path)):
        *parents, name = path.split("/")
        if name not in manifests or not 1 <= len(parents) <= _DEPTH:
            continue
        folder = "/".join(parents)
        is_inner = any(folder == each or folder.startswith(f"{each}/") for each in found)
        if not is_inner and _NOT_PROJECTS.isdisjoint(parents):
            found.append(folder)
    return found[:_FOLDERS]


def _ranked(survey: Survey, suggestions: list[Suggestion]) -> list[Suggestion]:
    """The better first; of equal ones, in the order in which they were found."""

    def rank(suggestion: Suggestion) -> tuple[object, ...]:
        return (
            suggestion.strength is Strength.GUESSED,
            bool(_missing(survey, suggestion)),
            suggestion.folder != "",
            -suggestion.strength,
        )

    return sorted(suggestions, key=rank)


def _missing(survey: Survey, suggestion: Suggestion) -> tuple[str, ...]:
    return tuple(name for name in suggestion.programs if name not in survey.programs)


def _supplied(chosen: Suggestion, others: list[Suggestion]) -> Suggestion:
    """A target of make needs whatever the languages of the repository need."""
    return chosen.evolve(
        share=_once(reason for each in others for reason in each.share),
        setup=next((each.setup for each in others if each.setup), None),
        git=next((each.git for each in others if each.git), None),
    )


def _once(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    return tuple({reason.value: reason for reason in reasons}.values())
