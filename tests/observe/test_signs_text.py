"""Signs as people read them."""

from loopctl.domain.events import SnapshotTaken
from loopctl.domain.sign import Sign, SignKind
from loopctl.domain.snapshot import Snapshot
from loopctl.observe.sentence import sentence
from loopctl.observe.signs_text import sign_text, signs_text

EXIT = Sign(kind=SignKind.EXITS, path="app.py", line=3, text="os._exit(0)")
SKIPS = tuple(
    Sign(kind=SignKind.SUPPRESSES, path="a\nb.py", line=line, text="# noqa") for line in (4, 9)
)


def test_one_sign():
    assert signs_text([EXIT]) == "1 sign of code that could deceive tests: exits app.py:3"


def test_signs_of_one_kind_in_a_file_stand_together():
    told = (
        "3 signs of code that could deceive tests: exits app.py:3, suppresses a\\nb.py:4 and 1 more"
    )
    assert signs_text([EXIT, *SKIPS]) == told


def test_many_signs_are_cut():
    many = [EXIT.evolve(path=f"{number}.py") for number in range(9)]
    assert signs_text(many).endswith("exits 4.py:3 and 4 more")


def test_a_sign_alone():
    assert sign_text(EXIT) == "exits app.py:3: os._exit(0)"
    assert sign_text(EXIT.evolve(line=0)) == "exits app.py: os._exit(0)"


def test_the_round_says_it():
    snapshot = Snapshot(
        commit="c", tree="t", judged_tree="t", round=1, changed=1, signs=(EXIT,), notes=("a note",)
    )
    assert sentence(SnapshotTaken(order=1, snapshot=snapshot)) == (
        "1 file changed, 1 sign of code that could deceive tests: exits app.py:3, a note"
    )
