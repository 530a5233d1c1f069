"""The examples of the page on reports write reports that count."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loopctl.domain.written_report import read_report

PAGE = Path(__file__).parents[2] / "docs" / "reports.md"
PROGRAMS = {"sh": "sh", "python": sys.executable, "js": "node"}
NONCE = "0123456789abcdef"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)


@pytest.mark.parametrize("language", PROGRAMS)
def test_an_example(language, tmp_path):
    if shutil.which(PROGRAMS[language]) is None:
        pytest.skip(f"{PROGRAMS[language]} is not installed")
    (text,) = blocks(language)
    (tmp_path / "example").write_text(text)
    (tmp_path / "answer.txt").write_text("42\n")
    report = tmp_path / "report.json"
    variables = {"LOOPCTL_REPORT": str(report), "LOOPCTL_REPORT_NONCE": NONCE}
    subprocess.run(
        [PROGRAMS[language], "example"], cwd=tmp_path, env=os.environ | variables, check=True
    )
    criteria = read_report(report.read_bytes(), NONCE, str)
    assert [(one.name, str(one.verdict)) for one in criteria] == [
        ("answer", "PASS"),
        ("note", "FAIL"),
    ]
    assert all(one.evidence for one in criteria)


def test_the_report_of_the_page():
    report, _schema = blocks("json")
    nonce = json.loads(report)["nonce"]
    assert len(read_report(report.encode(), nonce, str)) == 2
