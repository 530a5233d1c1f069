"""Python projects whose tests look at what surrounds them: folders, locale, programs, variables."""

from repository import SAFE_PATH, Repository, replace, text

_PATH_TOO_LONG = 'long=$PWD/$(printf "%0120d" 0); mkdir "$long"; export TMPDIR="$long"'

SURROUNDINGS = (
    Repository(
        name="writes-to-its-home",
        proves="tests write to HOME, the XDG folders and TMPDIR, with the user's umask",
        files={
            "notes.py": text("""
                import os
                from pathlib import Path


                def places():
                    home = Path.home()
                    return {
                        "config": Path(os.environ.get("XDG_CONFIG_HOME", home / ".config")),
                        "cache": Path(os.environ.get("XDG_CACHE_HOME", home / ".cache")),
                        "data": Path(os.environ.get("XDG_DATA_HOME", home / ".local/share")),
                        "state": Path(os.environ.get("XDG_STATE_HOME", home / ".local/state")),
                    }


                def save(kind, words):
                    path = places()[kind] / "notes" / "today.txt"
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(words.upper())
                    return path
                """),
            "test_notes.py": text("""
                import stat
                import tempfile
                import unittest
                from pathlib import Path

                from notes import places, save


                class NotesTest(unittest.TestCase):
                    def test_every_place(self):
                        for kind in places():
                            path = save(kind, "Ada")
                            self.assertEqual(path.read_text(), "Ada")
                            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o644)
                            self.assertIn(Path.home(), path.parents)

                    def test_a_temporary_folder_is_empty_and_ours(self):
                        with tempfile.TemporaryDirectory() as folder:
                            script = Path(folder, "run")
                            script.write_text("#!/bin/sh\\n")
                            script.chmod(0o755)
                            self.assertEqual([script], list(Path(folder).iterdir()))
                """),
        },
        stop="python -m unittest -q",
        fails="'ADA' != 'Ada'",
        repair=replace("notes.py", "words.upper()", "words"),
        without="unset XDG_CONFIG_HOME; export HOME=/dev/null",
        then="NotADirectoryError",
    ),
    Repository(
        name="locale-and-time-zone",
        proves="the user's time zone and locale reach the tests, and output may have umlauts",
        files={
            "clock.py": text("""
                import time


                def noon(day):
                    then = time.localtime(day * 86400 + 43200)
                    return time.strftime("%H.%M Gr\u00fc\u00dfe", then)


                if __name__ == "__main__":
                    print(noon(0))
                """),
            "test_clock.py": text("""
                import locale
                import subprocess
                import sys
                import unittest


                class ClockTest(unittest.TestCase):
                    def test_noon(self):
                        self.assertEqual(locale.getpreferredencoding(False).upper(), "UTF-8")
                        done = subprocess.run([sys.executable, "clock.py"], capture_output=True)
                        self.assertEqual(done.stdout.decode(), "17:45 Gr\u00fc\u00dfe\\n")
                """),
        },
        stop="python -m unittest -q",
        environment={"TZ": "NPT-5:45", "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8"},
        fails="'17.45 .*' != '17:45 ",
        repair=replace("clock.py", "%H.%M", "%H:%M"),
        without="unset TZ",
        then="'12:00 .*' != '17:45 ",
    ),
    Repository(
        name="starts-programs",
        proves="tests start `sys.executable`, worker processes and a server on this machine",
        files={
            "app/__init__.py": "",
            "app/__main__.py": text("""
                import sys

                from app.work import double

                print(double(int(sys.stdin.read() or 21)))
                """),
            "app/work.py": "def double(x):\n    return x\n",
            "tests/__init__.py": "",
            "tests/test_app.py": text("""
                import multiprocessing
                import subprocess
                import sys
                import unittest
                import urllib.request

                from app.work import double

                SERVER = [sys.executable, "-u", "-m", "http.server", "-b", "127.0.0.1", "0"]


                class AppTest(unittest.TestCase):
                    def test_the_program_without_input(self):
                        done = subprocess.run([sys.executable, "-m", "app"], capture_output=True)
                        self.assertEqual(done.stdout, b"42\\n", done.stderr.decode())

                    def test_a_worker(self):
                        with multiprocessing.get_context("spawn").Pool(1) as pool:
                            self.assertEqual(pool.map(double, [1, 2]), [2, 4])

                    def test_a_server(self):
                        with subprocess.Popen(SERVER, stdout=subprocess.PIPE, text=True) as server:
                            port = server.stdout.readline().split()[5]
                            address = f"http://127.0.0.1:{port}/app/__init__.py"
                            try:
                                with urllib.request.urlopen(address, timeout=10) as answer:
                                    self.assertEqual(answer.status, 200)
                            finally:
                                server.kill()
                """),
        },
        stop="python -m unittest -q tests.test_app",
        fails=r"b'21\\n' != b'42\\n'",
        repair=replace("app/work.py", "return x", "return 2 * x"),
        without=SAFE_PATH,
        then="No module named",
    ),
    Repository(
        name="sockets-in-tmpdir",
        proves="TMPDIR is short enough for Unix sockets in folders below it",
        files={
            "box.py": "def fill(box):\n    box['answer'] = 41\n",
            "test_box.py": text("""
                import multiprocessing
                import unittest

                from box import fill


                class BoxTest(unittest.TestCase):
                    def test_a_shared_box(self):
                        with multiprocessing.get_context("fork").Manager() as manager:
                            box = manager.dict()
                            fill(box)
                            self.assertEqual(box["answer"], 42)
                """),
        },
        stop="python -m unittest -q",
        fails="41 != 42",
        repair=replace("box.py", "41", "42"),
        without=_PATH_TOO_LONG,
        then="AF_UNIX path too long",
    ),
    Repository(
        name="settings-from-outside",
        proves="a `.env` that git ignores, and a variable of the user's shell",
        files={
            ".gitignore": ".env\n__pycache__/\n",
            "loopctl.toml": '[evaluator]\nshare = [".env"]\nenv = ["SHOP_DATABASE"]\n',
            "shop.py": text("""
                import os
                from pathlib import Path


                def settings():
                    lines = Path(".env").read_text().splitlines()
                    return dict(line.split(":") for line in lines)


                def database():
                    return os.environ["SHOP_DATABASE"]
                """),
            "test_shop.py": text("""
                import unittest

                from shop import database, settings


                class ShopTest(unittest.TestCase):
                    def test_settings(self):
                        self.assertEqual(database(), "memory")
                        self.assertEqual(settings(), {"CURRENCY": "EUR"})
                """),
        },
        ignored={".env": "CURRENCY=EUR\n"},
        stop="python -m unittest -q",
        environment={"SHOP_DATABASE": "memory"},
        fails="ValueError: dictionary update sequence element",
        repair=replace("shop.py", '":"', '"="'),
        without="rm .env",
        then="No such file or directory: '.env'",
    ),
)
