"""Python that reads who calls it, or the tests themselves.

Frames, the garbage collector's lists, all loaded modules, sources at run time, files in folders of
tests.
"""

import ast
import re
from collections.abc import Iterator

from loopctl.domain.sign import SignKind
from loopctl.domain.signs.mark import Mark
from loopctl.domain.signs.python_source import PythonSource

_KIND = SignKind.READS_CALLERS
_NAMES = frozenset(
    {"sys._getframe", "sys._getframemodulename", "sys._current_frames"}
    | {"inspect.stack", "inspect.currentframe", "inspect.getouterframes", "inspect.trace"}
    | {"inspect.getframeinfo", "inspect.getinnerframes", "inspect.getsource"}
    | {"inspect.getsourcelines", "inspect.getsourcefile", "inspect.findsource"}
    | {"gc.get_objects", "gc.get_referrers", "gc.get_referents"}
    | {"traceback.extract_stack", "traceback.walk_stack", "traceback.format_stack"}
    | {
        "traceback.StackSummary",
        "sys.modules.values",
        "sys.modules.items",
        "linecache.getline",
        "linecache.getlines",
    }
)
_FRAME_PARTS = frozenset({"f_back", "f_locals", "f_globals", "f_code", "f_lineno", "tb_frame"})
_TEST_PLACE = re.compile(
    r"(?:^|[/\\])(?:tests?|specs?|testdata|fixtures|goldens?|snapshots?|__snapshots__)(?:[/\\]|$)"
    r"|(?:^|[/\\*])(?:test_[\w*]*|[\w*]+_test|conftest)\.py|junit[\w*.-]*xml|(?:^|[/\\])test[_*][\w*.]*$",
    re.IGNORECASE,
)
_FOLDER = re.compile(r"tests?|specs?|testdata|__snapshots__", re.IGNORECASE)
_LONGEST_PATH = 1_000
_OPENERS = frozenset(
    {"open", "Path", "PurePath", "read_text", "read_bytes", "listdir", "scandir", "walk", "glob"}
    | {"rglob", "iglob", "joinpath", "join", "files", "open_text", "read", "with_name"}
    | {"get_data", "open_binary", "load", "loadtxt", "read_csv", "read_json", "run_path"}
    | {"spec_from_file_location"}
)


def marks(source: PythonSource) -> Iterator[Mark]:
    """Every such place."""
    for use in source.uses:
        if use.name in _NAMES:
            yield source.mark(_KIND, use.node)
    for part, _ in source.of(ast.Attribute):
        if part.attr in _FRAME_PARTS:
            yield source.mark(_KIND, part)
    for call, _ in source.of(ast.Call):
        if _called(call.func) in _OPENERS and any(_is_test_place(each) for each in call.args):
            yield source.mark(_KIND, call)
    for joined, _ in source.of(ast.BinOp):
        match joined:
            case ast.BinOp(op=ast.Div(), right=ast.Constant(value=str(name))):
                if _FOLDER.fullmatch(name) or _TEST_PLACE.search(name[:_LONGEST_PATH]):
                    yield source.mark(_KIND, joined)


def _called(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _is_test_place(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str(text)):
            return bool(_TEST_PLACE.search(text[:_LONGEST_PATH]))
        case ast.JoinedStr(values=values):
            return any(map(_is_test_place, values))
    return False
