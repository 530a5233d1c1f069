"""What git would wait for, among its objects."""

import os

from git_world import make_repository

from loopctl.git.special_objects import special_objects


def test_a_fifo_in_the_place_of_an_object_is_found_and_nothing_else(tmp_path):
    objects = make_repository(tmp_path / "user") / ".git" / "objects"
    assert special_objects(objects) == ()
    (objects / "57").mkdir(exist_ok=True)
    fifo = objects / "57" / ("a" * 38)
    link = objects / "pack" / f"pack-{'b' * 40}.idx"
    os.mkfifo(fifo)
    link.symlink_to(fifo)
    (objects / "57" / ("c" * 38)).symlink_to(tmp_path / "nowhere")
    assert set(special_objects(objects)) == {fifo, link}


def test_what_is_none_of_gits_business_is_not_found(tmp_path):
    """Objects may be borrowed from any folder: the sockets of other programs are in some."""
    objects = make_repository(tmp_path / "user") / ".git" / "objects"
    elsewhere = tmp_path / "run" / "57"
    elsewhere.mkdir(parents=True)
    os.mkfifo(elsewhere / "control")
    (objects / "info" / "alternates").write_text(f"{tmp_path / 'run'}\n")
    assert special_objects(objects) == ()
