"""The tools of commands: found at start, looked at again before and after every evaluation."""

import hashlib
import os
from pathlib import Path

import pytest

from loopctl.domain.tool import Workbench
from loopctl.errors import SupplyError
from loopctl.workspace.base_writes import BaseWrites
from loopctl.workspace.resolved_tools import named_words, resolve_tools
from loopctl.workspace.tool_watch import ToolWatch


def program(place: Path, name: str, text: str = "#!/bin/sh\n") -> Path:
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_text(text)
    (place / name).chmod(0o755)
    return place / name


class Bench:
    """Two folders of PATH, a tool in the second, and a script that is named by its path."""

    def __init__(self, tmp_path: Path) -> None:
        self.first, self.second = tmp_path / "first", tmp_path / "second"
        self.first.mkdir()
        self.tool = program(self.second, "tool")
        self.script = program(tmp_path / "opt", "check.sh", f". {tmp_path}/opt/lib.sh\n")
        self.library = program(tmp_path / "opt", "lib.sh", "exit 1\n")
        self.file = tmp_path / "writes.json"
        self.kept = tmp_path / "kept"
        path = f"{self.first}:{self.second}:/bin"
        tools = resolve_tools((f"tool && {self.script}",), (), path)
        self.bench = Workbench(variables=(("PATH", path),), tools=tools)

    def watch(self) -> ToolWatch:
        return ToolWatch(self.bench, BaseWrites(self.file), self.kept)


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def test_words_of_commands_that_may_be_programs():
    found = named_words(("A=1 uv run pytest -q tests/x.py | tee log", "sh -c 'make && ./own'"))
    assert set(found) >= {"uv", "run", "pytest", "tee", "log", "sh", "make"}
    assert not {"tests/x.py", "-q", "|", "./own"} & set(found)


def test_programs_scripts_what_they_source_and_their_interpreters(bench, tmp_path):
    env = program(tmp_path / "second", "runner", "#!/usr/bin/env tool\n")
    tools = {each.name: each for each in resolve_tools((), ("runner",), str(bench.second))}
    assert set(tools) == {"runner", "/usr/bin/env", "tool", "/bin/sh"}
    assert tools["runner"].digest == hashlib.sha256(env.read_bytes()).hexdigest()
    assert tools["runner"].path == tools["runner"].real == str(env)
    named = {each.name for each in bench.bench.tools}
    assert named >= {"tool", "/bin/sh", str(bench.script), str(bench.library)}


def test_what_stays_is_let_through(bench):
    watch = bench.watch()
    watch.check()
    os.utime(bench.tool)
    program(bench.second, "tool")
    (bench.second / "twin").hardlink_to(bench.script)
    watch.check()
    assert (watch.moved(is_base=False), watch.told) == ((), ())


def shim(bench):
    program(bench.first, "tool", "#!/bin/sh\nexit 0\n")
    return f"tool is {bench.first}/tool now, and was {bench.tool}"


def rewritten(bench):
    program(bench.second, "tool", "#!/bin/sh\nexit 0\n")
    return f"{bench.tool} was changed"


def same_size_and_times(bench):
    found = bench.tool.stat()
    bench.tool.write_text("#!/bin/s\n\n")
    os.utime(bench.tool, ns=(found.st_atime_ns, found.st_mtime_ns))
    return f"{bench.tool} was changed"


def sourced(bench):
    bench.library.write_text("exit 0\n")
    return f"{bench.library} was changed"


def linked(bench):
    bench.tool.rename(bench.second / "other")
    bench.tool.symlink_to("other")
    return f"{bench.tool} was changed"


def gone(bench):
    bench.script.unlink()
    return f"{bench.script} is gone"


@pytest.mark.parametrize(
    "change",
    [shim, rewritten, same_size_and_times, sourced, linked, gone],
    ids=lambda c: c.__name__,
)
def test_another_tool_gives_no_verdict(bench, change):
    watch = bench.watch()
    happened = change(bench)
    for _ in range(2):  # a second try does not make it right
        with pytest.raises(SupplyError) as refused:
            watch.check()
        assert str(refused.value) == f"{happened}, since the loop began"


def test_a_script_can_be_brought_back(bench):
    watch = bench.watch()
    content = bench.script.read_bytes()
    bench.script.write_text("exit 0\n")
    with pytest.raises(SupplyError) as refused:
        watch.check()
    copy = refused.value.next_step.partition("(cp ")[2].partition(" ")[0]
    assert Path(copy).read_bytes() == content
    assert Path(copy).stat().st_mode & 0o777 == 0o600


def test_a_change_during_an_evaluation_is_named_and_not_forgotten(bench):
    watch = bench.watch()
    watch.check()
    rewritten(bench)
    assert watch.moved(is_base=False) == (str(bench.tool),)
    with pytest.raises(SupplyError):
        watch.check()


def test_what_judging_the_base_commit_writes_may_be_written_again(bench):
    watch = bench.watch()
    watch.check()
    program(bench.second, "tool")  # the same content: the command installs it each time
    assert watch.moved(is_base=True) == (str(bench.tool),)
    for later in (watch, bench.watch()):
        program(bench.second, "tool", f"#!/bin/sh\n# {id(later)}\n")
        later.moved(is_base=False)
        later.check()
    shim(bench)
    with pytest.raises(SupplyError):
        watch.check()


def test_a_restart_takes_the_tools_as_they_are_and_says_so(bench):
    rewritten(bench)
    watch = bench.watch()
    watch.check()
    assert watch.told == (f"{bench.tool} is not what it was when the loop began",)
