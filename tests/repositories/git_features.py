"""Projects whose tests need more of git than files: tags, submodules, filters, links."""

import sys

from harness import World
from repository import Repository, replace, text

SCM = ("setuptools-scm", "vcs-versioning", "setuptools", "packaging", "typing-extensions")
_SHOP = "def total(net):\n    return net\n"
_REPAIR = replace("shop.py", "return net", "return net * 6 // 5")
_POINTER = "version https://git-lfs.github.com/spec/v1\n"
_LFS_PROGRAM = """
import hashlib
import pathlib
import sys

store = pathlib.Path(".git/lfs/objects")
given = sys.stdin.buffer.read()
if sys.argv[1] == "clean":
    name = hashlib.sha256(given).hexdigest()
    place = store / name[:2] / name[2:4] / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(given)
    pointer = f"{version}oid sha256:{name}\\nsize {len(given)}\\n"
    sys.stdout.buffer.write(pointer.encode())
else:
    name = given.split(b"sha256:")[1].split()[0].decode()
    sys.stdout.buffer.write((store / name[:2] / name[2:4] / name).read_bytes())
"""


def _tag(world: World) -> None:
    world.git("tag", "v1.2.0")


def _submodule(world: World) -> None:
    upstream = world.folder / "taxes"
    upstream.mkdir()
    (upstream / "rate.py").write_text("RATE = 20\n")
    world.git("init", "-q", "-b", "main", cwd=upstream)
    world.git("add", "-A", cwd=upstream)
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    world.git(*who, "commit", "-q", "-m", "rate", cwd=upstream)
    local = ("-c", "protocol.file.allow=always")
    world.git(*local, "submodule", "--quiet", "add", str(upstream), "libs/taxes")


def _large_files(world: World) -> None:
    program = world.folder / "lfs.py"
    program.write_text(f"version = {_POINTER!r}\n{_LFS_PROGRAM}")
    for direction in ("clean", "smudge"):
        command = f"'{sys.executable}' -I -S '{program}' {direction}"
        world.git("config", f"filter.lfs.{direction}", command)
    world.git("config", "filter.lfs.required", "true")


def _scrambling(world: World) -> None:
    for direction in ("clean", "smudge"):
        world.git("config", f"filter.scramble.{direction}", "tr a-zA-Z n-za-mN-ZA-M")


def _links(world: World) -> None:
    (world.repository / "shop" / "taxes").symlink_to("../third_party/taxes-1/taxes")
    (world.repository / "check").symlink_to("tools/check.sh")


def _test_with(read: str, expected: str) -> str:
    return text(f"""
        import unittest
        from pathlib import Path

        from shop import total


        class ShopTest(unittest.TestCase):
            def test_data(self):
                self.assertEqual({read}, {expected})

            def test_total(self):
                self.assertEqual(total(100), 120)
        """)


GIT_FEATURES = (
    Repository(
        name="asks-git",
        proves="tests ask git for the tracked files and for a clean state (one commit)",
        files={
            "tool.py": "def answer():\n    return 41\n",
            "test_tool.py": text("""
                import subprocess
                import unittest

                from tool import answer


                def git(*words):
                    return subprocess.check_output(["git", *words], text=True).splitlines()


                class ToolTest(unittest.TestCase):
                    def test_answer(self):
                        self.assertEqual(answer(), 42)

                    def test_the_repository(self):
                        self.assertEqual(
                            git("ls-files"), [".gitignore", "test_tool.py", "tool.py"]
                        )
                        self.assertEqual(git("status", "--porcelain"), [])
                        self.assertEqual(git("rev-parse", "--abbrev-ref", "HEAD"), ["main"])
                        self.assertEqual(len(git("rev-parse", "HEAD")), 1)
                """),
            ".gitignore": "__pycache__/\n",
        },
        stop="python -m unittest -q",
        fails="41 != 42",
        repair=replace("tool.py", "41", "42"),
        without="rm -rf .git",
        then="not a git repository",
    ),
    Repository(
        name="version-from-git",
        proves='setuptools-scm computes the version from a tag (`[evaluator] git = "history"`)',
        distributions=SCM,
        files={
            ".gitignore": "__pycache__/\n",
            "loopctl.toml": '[evaluator]\ngit = "history"\n',
            "pyproject.toml": text("""
                [project]
                name = "shop"
                dynamic = ["version"]

                [tool.setuptools_scm]
                """),
            "shop.py": _SHOP,
            "test_shop.py": text("""
                import unittest

                from setuptools_scm import get_version
                from shop import total


                class ShopTest(unittest.TestCase):
                    def test_version(self):
                        version = get_version()
                        self.assertRegex(version, r"^1\\.2\\.(0|1\\.dev1\\+g[0-9a-f]+)$")

                    def test_total(self):
                        self.assertEqual(total(100), 120)
                """),
        },
        after_commit=_tag,
        stop="python -m unittest -q",
        fails=r"100 != 120(.|\n)*failures=1\)",
        repair=_REPAIR,
        without="git tag -d v1.2.0",
        then="Regex didn't match",
    ),
    Repository(
        name="submodule",
        proves="a submodule has its files, at the commit that the project names",
        files={
            "shop.py": f"from libs.taxes.rate import RATE\n\n\n{_SHOP}",
            "test_shop.py": _test_with("Path('libs/taxes/rate.py').read_text()", r"'RATE = 20\n'"),
        },
        before_commit=_submodule,
        stop="python -m unittest -q",
        fails=r"100 != 120(.|\n)*failures=1\)",
        repair=replace("shop.py", "return net", "return net + RATE"),
        without="git submodule --quiet deinit --force --all",
        then="No module named 'libs",
    ),
    Repository(
        name="large-file",
        proves="a file under an LFS filter has its content and not a pointer",
        files={
            ".gitattributes": "*.bin filter=lfs -text\n",
            ".gitignore": "__pycache__/\n",
            "model.bin": bytes(range(256)) * 16,
            "shop.py": _SHOP,
            "test_shop.py": _test_with("Path('model.bin').stat().st_size", "4096"),
        },
        before_commit=_large_files,
        stop="python -m unittest -q",
        fails=r"100 != 120(.|\n)*failures=1\)",
        repair=_REPAIR,
        without="git cat-file blob HEAD:model.bin > model.bin",
        then=r"AssertionError: 1\d\d != 4096",
    ),
    Repository(
        name="filtered-file",
        proves="a file under any other filter is as in the user's checkout",
        files={
            ".gitattributes": "*.secret filter=scramble\n",
            ".gitignore": "__pycache__/\n",
            "names.secret": "Ada\n",
            "shop.py": _SHOP,
            "test_shop.py": _test_with("Path('names.secret').read_text()", r"'Ada\n'"),
        },
        before_commit=_scrambling,
        stop="python -m unittest -q",
        fails=r"100 != 120(.|\n)*failures=1\)",
        repair=_REPAIR,
        without="git cat-file blob HEAD:names.secret > names.secret",
        then=r"'Nqn\\n' != 'Ada\\n'",
    ),
    Repository(
        name="attributes",
        proves="`export-ignore`d tests are there, `eol=crlf` is applied, `export-subst` is not",
        files={
            ".gitattributes": "test_* export-ignore\n*.bat text eol=crlf\nversion export-subst\n",
            ".gitignore": "__pycache__/\n",
            "run.bat": "@echo off\r\n",
            "version": "$Format:%H$\n",
            "shop.py": _SHOP,
            "test_shop.py": _test_with(
                "(Path('run.bat').read_bytes(), Path('version').read_bytes())",
                r"(b'@echo off\r\n', b'$Format:%H$\n')",
            ),
        },
        stop="python -m unittest -q test_shop",
        fails=r"100 != 120(.|\n)*failures=1\)",
        repair=_REPAIR,
        without="rm test_shop.py",
        then="No module named 'test_shop'",
    ),
    Repository(
        name="links",
        proves="links between folders of the project, and a linked script that may be executed",
        files={
            ".gitignore": "__pycache__/\n",
            "third_party/taxes-1/taxes/__init__.py": "RATE = 20\n",
            "tools/check.sh": "#!/bin/sh\nset -e\npython -m unittest -q tests.test_shop\n",
            "shop/__init__.py": f"from shop.taxes import RATE\n\n\n{_SHOP}",
            "tests/test_shop.py": _test_with("Path('shop/taxes').is_symlink()", "True"),
        },
        before_commit=_links,
        stop="./check",
        fails=r"100 != 120(.|\n)*failures=1\)",
        repair=replace("shop/__init__.py", "return net", "return net + RATE"),
        without="rm shop/taxes",
        then="No module named 'shop.taxes'",
    ),
)
