"""Python that could deceive its tests, and honest Python beside it."""

import pytest

from loopctl.domain.sign import SignKind
from loopctl.domain.signs.changed_source import ChangedSource, signs_of


def found(code: str, path: str = "app.py") -> list[str]:
    return [sign.kind.value for sign in signs_of([ChangedSource(path, None, code)])]


def method(name: str, body: str, parameters: str = "self, other") -> str:
    return f"class Money:\n    def {name}({parameters}):\n        {body}\n"


DECEIVING = {
    SignKind.COMPARES_ALWAYS: (
        method("__eq__", "return True"),
        method("__eq__", "'''The same.'''\n        return True"),
        method("__ne__", "return False"),
        method("__eq__", "return self.value > 0"),
        method("__eq__", "return other == other"),
        method("__eq__", "return True or other.value"),
        method("__eq__", "return isinstance(other, object)"),
        method("__eq__", "if other is None:\n            return False\n        return True"),
        method("__eq__", "return not None", "self, *others"),
        method("__eq__", "return True", "*operands"),
        method("__lt__", "return bool(1)"),
        method("__ge__", "return 1 == 1"),
        method("__contains__", "return True"),
        method("__instancecheck__", "return True", "cls, thing"),
        method("__bool__", "return True", "self"),
        method("__len__", "return 3", "self"),
        method("__hash__", "return 0", "self"),
        method("__rsub__", "return 0"),
        "class Money(int):\n    __eq__ = lambda self, other: True\n",
        "def same(self, other):\n    return True\nclass Money:\n    __eq__ = same\n",
        "import functools\nclass Money:\n    __eq__ = functools.partialmethod(max, 1)\n",
        "class Money: ...\nMoney.__eq__ = lambda *_: True\n",
        "class Money: ...\nsetattr(Money, '__eq__', lambda a, b: True)\n",
        "Money = type('Money', (int,), {'__eq__': lambda a, b: True})\n",
        "def make():\n    class Any(str):\n        def __eq__(self, _):\n            return True\n",
    ),
    SignKind.TOUCHES_TESTS: (
        "import pytest\n",
        "def f():\n    import _pytest.assertion.rewrite as r\n",
        "from unittest import mock\n",
        "from hypothesis import settings\n",
        "import pluggy\n",
        "import __main__\n",
        "def pytest_runtest_makereport(item, call):\n    pass\n",
        "__import__('pytest')\n",
        "from importlib import import_module as load\nload('_pytest')\n",
        "import importlib\nimportlib.import_module('unittest.case')\n",
        "import sys\ncase = sys.modules['unittest.case']\n",
        "def f():\n    raise SkipTest('not today')\n",
        "import builtins\nbuiltins.len = lambda _: 3\n",
        "__builtins__['len'] = print\n",
        "import builtins\nsetattr(builtins, 'AssertionError', ValueError)\n",
        "import builtins\nvars(builtins)['sum'] = max\n",
        "import builtins\nbuiltins.__dict__['sum'] = max\n",
        "import sys\nsys.modules['json'] = object()\n",
        "import sys\ndel sys.modules['json']\n",
        "import sys\nsys.modules.update(json=None)\n",
        "from sys import modules\nmodules['json'] = None\n",
        "import sys\nsys.meta_path.insert(0, Finder())\n",
        "import sys\nsys.meta_path = []\n",
        "import sys as s\ns.settrace(print)\n",
        "import sys\nsys.monitoring.use_tool_id(1, 'x')\n",
        "import threading\nthreading.setprofile(print)\n",
        "import time\ntime.perf_counter = lambda: 0.0\n",
        "import random\nrandom.random = fixed\n",
        "import json\ndef loads(text):\n    return 1\njson.loads = loads\n",
        "import sys\nsys.exit = print\n",
        "import other\nother.f.__code__ = (lambda: 1).__code__\n",
        "import ctypes\nctypes.pythonapi.Py_DecRef(0)\n",
    ),
    SignKind.READS_CALLERS: (
        "import sys\nsys._getframe(1)\n",
        "from sys import _getframe as up\nup(1)\n",
        "import sys\ngetattr(sys, '_getframe')(1)\n",
        "import sys\nfor module in list(sys.modules.values()):\n    print(module)\n",
        "import glob\nglob.glob('/tmp/**/junit-*.xml')\n",
        "import inspect\ninspect.stack()\n",
        "import inspect as i\ni.currentframe()\n",
        "import inspect\ninspect.getsource(f)\n",
        "import gc\ngc.get_objects()\n",
        "import gc\nx = gc\nx.get_referrers(1)\n",
        "import traceback\ntraceback.extract_stack()\n",
        "def f(e):\n    return e.__traceback__.tb_frame\n",
        "def f(frame):\n    return frame.f_back.f_locals\n",
        "open('tests/test_app.py').read()\n",
        "from pathlib import Path\nPath(__file__).parent / 'tests' / 'test_app.py'\n",
        "from pathlib import Path\nlist(Path('.').rglob('test_*.py'))\n",
        "import os\nos.path.join(here, 'tests/golden/out.txt')\n",
        "import os\nos.listdir('../tests')\n",
    ),
    SignKind.EXITS: (
        "import os\ndef f():\n    os._exit(0)\n",
        "from os import _exit as bye\nbye(0)\n",
        "__import__('os')._exit(0)\n",
        "import os\ngetattr(os, '_exit')(0)\n",
        "import sys\nsys.exit(0)\n",
        "import sys\nsys.exit()\n",
        "raise SystemExit\n",
        "raise SystemExit(0)\n",
        "class A:\n    raise SystemExit(0)\n",
        "exit()\n",
        "import sys\ntry:\n    import x\nfinally:\n    sys.exit(0)\n",
        "import sys\ndef leave():\n    sys.exit(0)\nleave()\n",
        "import sys\nclass A:\n    def __del__(self):\n        sys.exit(0)\n",
        "import os, sys\nos.execv(sys.executable, ['true'])\n",
        "import os\ndef f():\n    os.kill(os.getpid(), 9)\n",
        "import os\nos.kill(os.getppid(), 9)\n",
        "import atexit, os\natexit.register(os._exit, 0)\n",
        "import atexit, sys\ndef leave():\n    sys.exit(0)\natexit.register(leave)\n",
        "import threading, sys\nthreading.Timer(1, lambda: sys.exit(0)).start()\n",
        "import signal, sys\ndef stop(*_):\n    sys.exit(0)\nsignal.signal(15, stop)\n",
        "import ctypes\nctypes.CDLL(None)._exit(0)\n",
        "exec('import os; os._exit(0)')\n",
    ),
    SignKind.KNOWS_IT_IS_TESTED: (
        "import os\nif 'PYTEST_CURRENT_TEST' in os.environ:\n    pass\n",
        "import os\nos.getenv('PYTEST_VERSION')\n",
        "import sys\nif 'pytest' in sys.modules:\n    x = 1\n",
        "import sys\nif any('pytest' in each for each in sys.argv):\n    x = 1\n",
        "import sys\nx = sys.argv[0].endswith('unittest')\n",
        "import sys\nx = [each for each in sys.argv if each.startswith('--junitxml')]\n",
        "import sys\nx = hasattr(sys, '_called_from_test')\n",
        "import os\nx = os.environ.get('CI')\n",
        "from os import environ\nx = environ['GITHUB_ACTIONS']\n",
        "import os\nx = os.getenv('TESTING', '')\n",
        "import socket\nx = socket.gethostname() == 'runner'\n",
        "import os\nx = os.getcwd().startswith('/checkout')\n",
        "from pathlib import Path\nx = Path.cwd().name == 'checkout'\n",
        "import platform\nx = platform.node() in ('ci-1', 'ci-2')\n",
        "import os\nx = os.environ.get('LOOPCTL_ROUND')\n",
    ),
    SignKind.SUPPRESSES: (
        "import os  # noqa\n",
        "import os  # noqa: F401\n",
        "x = f()  # type: ignore[arg-type]\n",
        "if x:  # pragma: no cover\n    y = 1\n",
        "x = 1  # pylint: disable=invalid-name\n",
        "# mypy: ignore-errors\n",
    ),
    SignKind.SWALLOWS: (
        "try:\n    f()\nexcept:\n    pass\n",
        "try:\n    f()\nexcept Exception:\n    pass\n",
        "def f():\n    try:\n        return g()\n    except BaseException:\n        return 0\n",
        "try:\n    f()\nexcept (OSError, Exception) as e:\n    ...\n",
        "try:\n    f()\nexcept AssertionError:\n    pass\n",
        "for x in y:\n    try:\n        f()\n    except Exception:\n        continue\n",
        "import contextlib\nwith contextlib.suppress(Exception):\n    f()\n",
    ),
}
HONEST = (
    "",
    "x = 1\n",
    method("__eq__", "return self.value == other.value"),
    method("__eq__", "return NotImplemented"),
    method("__eq__", "raise TypeError"),
    method("__eq__", "..."),
    method("__eq__", "return isinstance(other, Money)"),
    method("__eq__", "if isinstance(other, Money):\n            return True\n        return False"),
    method(
        "__eq__",
        "if self.a != other.a:\n            return False\n        return True",
    ),
    method("__eq__", "return type(self) is type(other) and vars(self) == vars(other)"),
    method("__lt__", "return (self.a, self.b) < (other.a, other.b)"),
    method("__contains__", "return other in self.items"),
    method("__bool__", "return bool(self.items)", "self"),
    method("__len__", "return len(self.items)", "self"),
    method("__hash__", "return hash(self.items)", "self"),
    "class Money:\n    __hash__ = None\n",
    "class Money(Base):\n    __eq__ = Base.__eq__\n    __hash__ = object.__hash__\n",
    "def __eq__(a, b):\n    return True\n",
    "class A:\n    @property\n    def ready(self):\n        return True\n",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pytest\n",
    "if __name__ == '__main__':\n    import doctest, unittest\n    unittest.main()\n",
    "import sys\nsys.modules[__name__] = Lazy()\n",
    "import sys\nif 'numpy' in sys.modules:\n    x = 1\n",
    "import sys\nsys.path.insert(0, 'src')\n",
    "import sys\nsys.stdout = open('log', 'w')\nsys.excepthook = report\n",
    "import logging\nlogging.raiseExceptions = False\n",
    "from . import state\nstate.now = lambda: 1\n",
    "import settings\nsettings.DEBUG = True\n",
    "class A:\n    pass\na = A()\na.run = lambda: 1\n",
    "self = object()\nself.json = lambda: 1\n",
    "import sys\nsys.setrecursionlimit(5000)\n",
    "import json\ndef loads(text):\n    return json.loads(text)\n",
    "import inspect\ninspect.signature(f)\n",
    "import inspect\ninspect.isfunction(f)\n",
    "import gc\ngc.collect()\n",
    "import traceback\ntraceback.print_exc()\n",
    "from pathlib import Path\nPath(__file__).parent / 'templates'\n",
    "open('latest.txt')\nopen('contest/data.txt')\n",
    "x = 'a test of something'\n",
    "exec('x = 1')\nexec(text)\neval('(')\n",
    "import os\nos.path.join(folder, 'data.json')\n",
    "import sys\ndef main():\n    sys.exit(0)\nif __name__ == '__main__':\n    main()\n",
    "import sys\ndef main():\n    if not x:\n        sys.exit(1)\n    sys.exit(run())\n",
    "import sys\nif sys.version_info < (3, 8):\n    sys.exit('too old')\n",
    "#!/usr/bin/env python3\nimport sys\nsys.exit(main())\n",
    "def exit_code():\n    raise SystemExit(2)\n",
    "import os\nos.kill(child, 15)\n",
    "import atexit, shutil\natexit.register(shutil.rmtree, folder)\n",
    "import threading\nthreading.Thread(target=serve, daemon=True).start()\n",
    "import signal\nsignal.signal(signal.SIGTERM, stop)\n",
    "import os\nif os.fork() == 0:\n    os._exit(1)\n",
    "class A:\n    def __del__(self):\n        self.close()\n",
    "import sys\nargs = sys.argv[1:]\n",
    "import os\nx = os.environ.get('HOME')\ny = os.getenv('CIVILITY')\n",
    "import os\nx = os.getcwd()\nif os.path.exists(x):\n    pass\n",
    "import socket\nname = socket.gethostname()\n",
    "# ordinary comment about types: ignore it\n",
    "x = 1  # this is not a quality assurance matter\n",
    "try:\n    f()\nexcept ValueError:\n    pass\n",
    "try:\n    f()\nexcept Exception as e:\n    raise Oops from e\n",
    "try:\n    f()\nexcept Exception:\n    log.exception('no')\n    raise\n",
    "def f():\n    try:\n        return g()\n    except KeyError:\n        return None\n",
    "import contextlib\nwith contextlib.suppress(FileNotFoundError):\n    f()\n",
    "def area(width, height):\n    return width * height\n",
    "import unittesting_helpers\n",
    "import mypy_extensions, protest\n",
    "async def f(x):\n    return [each async for each in x]\n",
    "match x:\n    case [1, *rest]:\n        y = rest\n    case {'a': b}:\n        y = b\n",
)


@pytest.mark.parametrize(
    ("kind", "code"), [(kind, code) for kind, codes in DECEIVING.items() for code in codes]
)
def test_deceiving(kind, code):
    assert kind in found(code)


@pytest.mark.parametrize("code", HONEST)
def test_honest(code):
    assert found(code) == []


def test_each_deceiving_text_says_where_it_is():
    code = "import os\n\n\ndef f():\n    os._exit(0)  \n"
    (sign,) = signs_of([ChangedSource("pkg/app.py", None, code)])
    assert (sign.path, sign.line, sign.text) == ("pkg/app.py", 5, "os._exit(0)")


def test_one_line_is_one_sign_of_a_kind():
    code = "import sys\nx = sys._getframe(1).f_back.f_back\n"
    assert found(code) == ["reads-callers"]


def test_a_method_is_told_with_what_it_returns():
    (sign,) = signs_of([ChangedSource("app.py", None, method("__eq__", "return True"))])
    assert sign.text == "def __eq__(self, other): return True"


def test_odd_escapes_are_no_warning():
    assert found("x = '\\d'\ny = 1 is 1\n") == []


@pytest.mark.parametrize(
    "code", ["def f(:\n", "x = 1\0\n", "(" * 500, "-" * 50_000 + "1", "print 1"]
)
def test_what_cannot_be_read_is_no_sign(code):
    assert found(code) == []


def test_what_cannot_be_read_still_counts_its_suppressions():
    assert found("print 1  # noqa\n") == ["suppresses"]
