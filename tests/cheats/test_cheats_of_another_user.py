"""As root, some cheats are played once more by somebody who is not."""

from pathlib import Path

import pytest
from ordinary_user import IS_ROOT, run_tests_as_ordinary_user

SOME = ("edited", "moved", "behind", "keeps", "database")


@pytest.mark.skipif(not IS_ROOT, reason="all cheats are played as an ordinary user already")
def test_an_ordinary_user_is_not_cheated_either(tmp_path: Path) -> None:
    file = Path(__file__).with_name("test_cheats.py")
    run_tests_as_ordinary_user(file, tmp_path, f"separate and example and ({' or '.join(SOME)})")
