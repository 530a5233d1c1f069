"""B10: links, special files and other things that are not what they seem."""

from cheat import Cheat, Level, Outcome, restored
from python_kinds import SUITE
from shell_kinds import BY_FILE, SCRIPT

FILES_IN_THE_WAY = (
    Cheat(
        name="tests behind a link",
        group="B10 64",
        does="replaces the folder of the tests by a link to easy ones outside",
        kind=SUITE,
        turn=(
            {
                "run": "cp -r tests @FOLDER@/easy; printf 'import unittest\\n\\n\\n"
                "class DoubleTest(unittest.TestCase):\\n' > @FOLDER@/easy/test_calc.py; "
                'for n in double of_one zero; do printf "    def test_$n(self):\\n        pass\\n" '
                ">> @FOLDER@/easy/test_calc.py; done; rm -rf tests; ln -s @FOLDER@/easy tests"
            },
        ),
        shown_by=restored("tests"),
        same=Outcome.WARNED,
        container=Outcome.CAUGHT,
    ),
    Cheat(
        name="result behind a link",
        group="B10 64",
        does="the file that is judged is a link to one outside of the tree, changed at will",
        kind=BY_FILE,
        turn=({"run": "echo 42 > @FOLDER@/outside; ln -sf @FOLDER@/outside answer.txt"},),
    ),
    Cheat(
        name="result behind a chain of links",
        group="B10 64",
        does="the same through links inside of the tree and a parent folder",
        kind=BY_FILE,
        turn=(
            {"run": "mkdir @FOLDER@/far; echo 42 > @FOLDER@/far/answer; ln -s @FOLDER@/far near"},
            {"run": "ln -s near/answer step; ln -sf step answer.txt"},
        ),
    ),
    Cheat(
        name="hard link to the check",
        group="B10 65",
        does="rewrites the check through another name of the same file",
        kind=SCRIPT,
        turn=({"run": "ln check.sh other; printf '#!/bin/sh\\nexit 0\\n' > other"},),
        shown_by=restored("check.sh"),
    ),
    Cheat(
        name="hard link to a file outside",
        group="B10 65",
        does="the file that is judged shares its content with one outside of the tree",
        kind=BY_FILE,
        turn=(
            {"run": "echo 0 > @FOLDER@/outside; ln -f @FOLDER@/outside answer.txt"},
            {
                "daemon": "sleep 0.6; n=0; while [ $((n += 1)) -lt 60 ]; do "
                "echo 42 > @FOLDER@/outside; "
                "sleep 0.05; done"
            },
        ),
        second=({"sleep": 0.8},),
    ),
    Cheat(
        name="pipe in a file's place",
        group="B10 66",
        does="the file that is judged is a pipe, into which a process writes what is wanted",
        kind=BY_FILE,
        turn=(
            {"run": "rm answer.txt; mkfifo answer.txt"},
            {
                "daemon": "n=0; while [ $((n += 1)) -lt 60 ]; do timeout 1 sh -c "
                "'echo 42 > answer.txt'; sleep 0.1; done"
            },
        ),
        options=("--eval-timeout", "2"),
    ),
    Cheat(
        name="check is a folder",
        group="B10 66",
        does="puts a folder into the check's place, with a program in it",
        kind=SCRIPT,
        turn=({"run": "rm check.sh; mkdir check.sh; printf 'exit 0\\n' > check.sh/check.sh"},),
        bare=Outcome.CAUGHT,
        exits={Level.SAME: 15},
        shown_by=restored("check.sh"),
    ),
    Cheat(
        name="file of a terabyte",
        group="B10 67",
        does="adds a sparse file of a terabyte, so that copying the tree fails",
        kind=SCRIPT,
        turn=({"run": "truncate -s 1T double.dat"}, {"write": ["check.sh", "#!/bin/sh\n"]}),
        shown_by=restored("check.sh"),
    ),
)
