"""Runs the built-in agent over a scripted model, and holds loopctl's figures against the script's.

Usage: run.py [--judge] [FOLDER]

The model is on this machine and says what its script tells it; the way to it is the real one:
HTTP, the provider's own library, its way of counting tokens. With FOLDER everything stays there.
Exits with loopctl's code, and with 1 when the figures differ.
"""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import with_judge

from loopctl.testing.scripted_llm import ScriptedLlm, read_script

HERE = Path(__file__).resolve().parent
MAKE = HERE.parent / "01-fix-failing-tests" / "make_repository.py"
MODEL = "gpt-5-mini"
LOOP = "pantry"
BUCKETS = ("input", "output", "reasoning", "cache_read", "cache_write")


def main() -> int:
    """Run in the folder that was given, else in one that is removed at the end."""
    arguments = [word for word in sys.argv[1:] if word != "--judge"]
    judged = "--judge" in sys.argv
    if arguments:
        folder = Path(arguments[0]).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        return run(folder, judged=judged)
    with tempfile.TemporaryDirectory() as temporary:
        return run(Path(temporary), judged=judged)


def run(folder: Path, *, judged: bool) -> int:
    """Make the repository, let the loop run, compare the figures."""
    repository = folder / "repository"
    subprocess.run([sys.executable, str(MAKE), str(repository)], check=True)
    lanes = with_judge.lanes() if judged else read_script(HERE / "repair.json")
    with ScriptedLlm(lanes=lanes) as llm:
        environment = os.environ | llm.environment() | {"LOOPCTL_HOME": str(folder / "home")}
        options = ["--judge", str(HERE / "RUBRIC.md")] if judged else []

        def loopctl(*words: str, **options: object) -> "subprocess.CompletedProcess[str]":
            command = [sys.executable, "-m", "loopctl", *words]
            return subprocess.run(
                command, cwd=repository, env=environment, text=True, check=False, **options
            )

        done = loopctl(
            *("run", "make the failing tests pass", "--name", LOOP, "--agent", f"openai:{MODEL}"),
            *("--stop", "python3 -m unittest -q", "--max-usd", "1", *options),
        )
        if done.returncode:
            return done.returncode
        llm.check()
        if judged:
            loopctl("show", LOOP, "--round", "1")
        loopctl("usage", LOOP)
        shown = loopctl("usage", LOOP, "--json", stdout=subprocess.PIPE).stdout
        return compare(json.loads(shown), asdict(llm.told[MODEL]))


def compare(usage: dict, told: dict[str, int]) -> int:
    """Say whether loopctl has counted what the model has told."""
    counted = {bucket: usage["total"][f"{bucket}_tokens"] for bucket in BUCKETS}
    print(f"\nthe script:  {told}\nthe figures: {counted}")
    if counted != told:
        print("they differ")
        return 1
    print("to the token")
    return 0


if __name__ == "__main__":
    sys.exit(main())
