"""The papers of the package agree with each other: pins with bounds, help with targets."""

import re
import subprocess
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]


def test_every_dependency_is_pinned_within_its_bounds():
    pins = {}
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if not line.startswith("#"):
            name, version = line.split("==")
            pins[name.lower()] = version
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = project["project"]["dependencies"] + project["dependency-groups"]["dev"]
    for requirement in map(Requirement, wanted):
        assert requirement.specifier, f"{requirement} has no lower bound"
        assert pins[requirement.name] in requirement.specifier


def test_make_alone_lists_every_target():
    makefile = (ROOT / "Makefile").read_text()
    (phony,) = re.findall(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    done = subprocess.run(
        ["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=30
    )
    listed = [line.split()[0] for line in done.stdout.splitlines()]
    assert listed == phony.split()


def test_ci_runs_what_a_developer_runs():
    script = (ROOT / ".ci" / "run").read_text()
    assert script.rstrip().endswith("\nmake check")
    assert "set -euo pipefail" in script
