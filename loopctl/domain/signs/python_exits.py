"""Python that ends the process under the tests, before they could fail.

At import, in ``__del__``, at exit, in a thread or a signal handler; or past all of Python. What is
below ``if __name__ == "__main__"``, ends a plain function, or exits with a failure is none.
"""

import ast
from collections.abc import Iterator

from loopctl.domain.sign import SignKind
from loopctl.domain.signs.mark import Mark
from loopctl.domain.signs.python_scope import Scope
from loopctl.domain.signs.python_source import PythonSource

_KIND = SignKind.EXITS
_PLAIN = frozenset({"sys.exit", "builtins.exit", "builtins.quit"})
_HARD = frozenset(
    {"os._exit", "os.execl", "os.execle", "os.execlp", "os.execlpe", "os.execv", "os.execve"}
    | {"os.execvp", "os.execvpe", "_thread.interrupt_main"}
)
_STARTERS = frozenset(
    {"atexit.register", "threading.Thread", "threading.Timer", "signal.signal", "weakref.finalize"}
    | {"_thread.start_new_thread", "signal.setitimer", "signal.alarm"}
)
_OWN_PROCESS = ("os.getpid", "os.getpgrp", "os.getppid")
_KILLERS = frozenset({"os.kill", "os.killpg", "signal.raise_signal", "signal.pthread_kill"})


def marks(source: PythonSource) -> Iterator[Mark]:
    """Every such place."""
    leaving = {
        scope.function.name
        for node, scope in _plain_exits(source)
        if scope.function is not None and not scope.guarded
    }
    for node, scope in _plain_exits(source):
        if scope.at_import or _is_finalizer(scope):
            yield source.mark(_KIND, node)
    for call, scope in source.of(ast.Call):
        if _ends(source, call, scope, leaving):
            yield source.mark(_KIND, call)


def _plain_exits(source: PythonSource) -> Iterator[tuple[ast.Call | ast.Raise, Scope]]:
    """Exits that Python code could still catch."""
    for call, scope in source.of(ast.Call):
        if source.name(call.func) in _PLAIN and not _fails(source, call):
            yield call, scope
    for raised, scope in source.of(ast.Raise):
        match raised.exc:
            case ast.Call(func=ast.Name(id="SystemExit")) as made if not _fails(source, made):
                yield raised, scope
            case ast.Name(id="SystemExit"):
                yield raised, scope


def _fails(source: PythonSource, call: ast.Call) -> bool:
    """Whether an exit tells that something went wrong, or hands on what a script came to."""
    match call.args:
        case [ast.Constant(value=int(status))]:
            return status != 0
        case [ast.Constant(value=str()) | ast.JoinedStr()]:
            return True
        case [ast.Call()]:
            return source.is_script
    return False


def _ends(source: PythonSource, call: ast.Call, scope: Scope, leaving: set[str]) -> bool:
    """Whether a call ends the process past Python, at import, or later."""
    if not scope.guarded and _ends_hard(source, call):
        return True
    if scope.at_import and isinstance(call.func, ast.Name) and call.func.id in leaving:
        return True
    return source.name(call.func) in _STARTERS and _hands_over(source, call, leaving)


def _is_finalizer(scope: Scope) -> bool:
    return scope.function is not None and scope.function.name == "__del__"


def _ends_hard(source: PythonSource, call: ast.Call) -> bool:
    name = source.name(call.func)
    if name in _KILLERS:
        return name.startswith("signal.raise") or any(
            isinstance(each, ast.Call) and source.name(each.func) in _OWN_PROCESS
            for each in call.args
        )
    if name in _HARD:
        return not _fails(source, call)
    # Through ctypes: the name of the function is all that can be seen.
    return isinstance(call.func, ast.Attribute) and call.func.attr == "_exit" and not name


def _hands_over(source: PythonSource, call: ast.Call, leaving: set[str]) -> bool:
    """Whether what is run later ends the process."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    for value in given:
        for node in ast.walk(value):
            if isinstance(node, ast.Name) and node.id in leaving:
                return True
            if source.name(node) in _HARD | _PLAIN:
                return True
    return False
