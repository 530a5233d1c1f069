"""The scripted agent does what its script says, and refuses what it cannot understand."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from harness import SOURCE


def play(folder: Path, script: object, number: int = 1, *arguments: str):
    path = folder / "script.json"
    path.write_text(json.dumps(script))
    command = [sys.executable, "-m", "loopctl.testing.scripted_agent", str(path), *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        env={"LOOPCTL_ROUND": str(number), "PYTHONPATH": SOURCE},
        input="the prompt",
        capture_output=True,
        text=True,
        check=False,
    )


def test_actions(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    entry = [
        {"say": "hello"},
        {"complain": "oh"},
        {"mkdir": "folder/below"},
        {"write": ["new/file", "one two\n"]},
        {"append": ["new/file", "three\n"]},
        {"replace": ["new/file", "two", "2"]},
        {"symlink": ["link", "new"]},
        {"delete": "old"},
        {"save_prompt": "prompt"},
        {"run": "echo shell"},
        {"flood": 200_000},
        {"exit": 3},
        {"write": ["never", ""]},
    ]
    done = play(tmp_path, {"rounds": [entry], "record": str(tmp_path / "record")})
    assert done.returncode == 3
    assert done.stdout.startswith("hello\nshell\n")
    assert len(done.stdout) == len("hello\nshell\n") + 200_000
    assert done.stderr == "oh\n"
    assert (tmp_path / "link" / "file").read_text() == "one 2\nthree\n"
    assert not (tmp_path / "old").exists()
    assert not (tmp_path / "never").exists()
    assert (tmp_path / "prompt").read_text() == "the prompt"
    begin, end = map(json.loads, (tmp_path / "record").read_text().splitlines())
    assert begin["prompt"] == hashlib.sha256(b"the prompt").hexdigest()
    assert (begin["event"], end["event"], end["exit"]) == ("begin", "end", 3)


def test_a_signal(tmp_path: Path) -> None:
    assert play(tmp_path, {"rounds": [[{"die": 9}]]}).returncode == -9


def test_a_prompt_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "given").write_text("from a file")
    script = {"rounds": [[{"save_prompt": "prompt"}]]}
    assert play(tmp_path, script, 1, str(tmp_path / "given")).returncode == 0
    assert (tmp_path / "prompt").read_text() == "from a file"


def test_rounds(tmp_path: Path) -> None:
    script = {"rounds": [[{"say": "one"}], [{"say": "two"}]]}
    assert play(tmp_path, script, 2).stdout == "two\n"
    assert play(tmp_path, script, 3).returncode == 98
    assert play(tmp_path, script | {"repeat": True}, 9).stdout == "two\n"


@pytest.mark.parametrize(
    "script",
    [
        {"rounds": [[{"write": ["file", "1"]}], [{"dance": 1}]]},
        {"rounds": [[{"say": "one", "exit": 0}]]},
        {"rounds": [["say"]]},
        {"round": []},
        [],
    ],
)
def test_a_script_that_cannot_be_understood(tmp_path: Path, script: object) -> None:
    done = play(tmp_path, script)
    assert done.returncode == 97
    assert "scripted agent: bad script" in done.stderr
    assert not (tmp_path / "file").exists()


def test_a_replacement_that_does_not_fit(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    assert play(tmp_path, {"rounds": [[{"replace": ["file", "absent", "y"]}]]}).returncode == 97
