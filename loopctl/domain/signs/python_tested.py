"""Python that asks whether it is being tested: variables, arguments, modules, names of places."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from loopctl.domain.sign import SignKind
from loopctl.domain.signs.mark import Mark
from loopctl.domain.signs.python_source import PythonSource

_KIND = SignKind.KNOWS_IT_IS_TESTED
TELLING = re.compile(
    r"PYTEST_\w+|_called_from_test|JEST_WORKER_ID|VITEST\w*|NEXTEST\w*|TOX_ENV\w*|TOX_WORK_DIR"
    r"|NOX_CURRENT_SESSION|COVERAGE_RUN|LOOPCTL_\w+"
)
VARIABLE = re.compile(
    r"CI|CONTINUOUS_INTEGRATION|GITHUB_ACTIONS|GITLAB_CI|TRAVIS|CIRCLECI|JENKINS_(?:URL|HOME)"
    r"|BUILDKITE|TEAMCITY_VERSION|TF_BUILD|(?:IS_|UNDER_|IN_)?TEST(?:ING|S|_MODE|_ENV)?"
    r"|RUNNING_TESTS?|UNIT_?TEST(?:ING|S)?"
)
_RUNNER = re.compile(
    r"py\.?test|junit|unittest|nose2?|jest|vitest|mocha|rspec|tox\b|_test\b|\btests?\b"
)
_ENVIRONMENT = ("os.environ", "os.getenv", "os.environb", "os.getenvb")
_CALLED_BY = frozenset({"sys.argv", "sys.orig_argv", "sys.modules"})
_LONGEST_NAME = 200
_PLACES = frozenset(
    {"os.getcwd", "os.getcwdb", "pathlib.Path.cwd", "socket.gethostname", "socket.getfqdn"}
    | {"platform.node", "os.uname", "getpass.getuser", "os.getlogin"}
)
_QUESTIONS = frozenset({"startswith", "endswith", "match", "search", "fullmatch", "find", "count"})


def marks(source: PythonSource) -> Iterator[Mark]:
    """Every such place."""
    texts: dict[int, list[str]] = defaultdict(list)
    for node, scope in source.of(ast.Constant):
        if isinstance(node.value, str) and len(node.value) < _LONGEST_NAME:
            texts[id(scope.statement)].append(node.value)
            if TELLING.fullmatch(node.value):
                yield source.mark(_KIND, node)
    seen = set()
    for use in source.uses:
        statement = id(use.scope.statement)
        if statement not in seen and _asks(use.name, texts[statement]):
            seen.add(statement)
            yield source.mark(_KIND, use.node)
    yield from _places(source)


def _asks(name: str, said: list[str]) -> bool:
    if name.startswith(_ENVIRONMENT):
        return any(map(VARIABLE.fullmatch, said))
    if any(name == each or name.startswith(f"{each}.") for each in _CALLED_BY):
        return any(map(_RUNNER.search, said))
    return False


def _places(source: PythonSource) -> Iterator[Mark]:
    """Comparisons of where the program runs with a name that is written down."""
    for compared, _ in source.of(ast.Compare):
        sides = [compared.left, *compared.comparators]
        if any(map(_is_text, sides)) and any(_leads_to_place(source, side) for side in sides):
            yield source.mark(_KIND, compared)
    for call, _ in source.of(ast.Call):
        match call.func:
            case ast.Attribute(value=value, attr=attr) if attr in _QUESTIONS:
                given = [value, *call.args]
                if any(map(_is_text, given)) and any(
                    _leads_to_place(source, each) for each in given
                ):
                    yield source.mark(_KIND, call)


def _is_text(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str(text)):
            return len(text) > 1
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            return bool(elts) and all(map(_is_text, elts))
    return False


def _leads_to_place(source: PythonSource, node: ast.expr) -> bool:
    return any(source.name(each) in _PLACES for each in ast.walk(node))
