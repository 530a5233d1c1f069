"""What git would wait for, among its objects."""

import os

from git_world import make_repository

from loopctl.git.special_objects import special_objects


def test_a_fifo_in_the_place_of_an_object_is_found_and_nothing_else(tmp_path):
    objects = make_repository(tmp_path / "user") / ".git" / "objects"
    assert special_objects(objects) == ()
    (objects / "57").mkdir(exist_ok=True)
    fifo, link = objects / "57" / "fifo", objects / "pack" / "link"
    os.mkfifo(fifo)
    link.symlink_to(fifo)
    (objects / "57" / "nowhere").symlink_to(tmp_path / "nowhere")
    assert set(special_objects(objects)) == {fifo, link}
