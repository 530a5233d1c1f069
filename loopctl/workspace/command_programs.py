"""Which files of a repository a shell command runs as its own programs.

``./check.sh``, ``bash check.sh``, ``python tools/run_tests.py`` and ``cd ci && ./run.sh`` judge
the work with a script that lies in the tree: it must be the one of the base commit. Invariant:
only the program of each simple command and an interpreter's script are meant; other arguments
(``mypy src/app.py``) name the work itself.
"""

import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator

_OPERATORS = frozenset("();<>|&")
_INPUT = "<"
_SOURCE = frozenset({".", "source"})
_VARIABLE_FOLDER = re.compile(r"\$\{?\w+\}?/")
_PREFIXES = frozenset(
    {"if", "then", "else", "elif", "while", "until", "do", "!", "{", "exec", "command", "env"}
    | {"time", "timeout", "nice", "nohup", "sudo", "stdbuf", "xargs", "uv", "poetry", "run"}
)
_ASSIGNMENT_OR_NUMBER = re.compile(r"[A-Za-z_]\w*=.*|\d+(?:\.\d+)?[smhd]?", re.DOTALL)
_PYTHONPATH = re.compile(r"\bPYTHONPATH=['\"]?([^\s;&|'\"]+)")
_SHELL = re.compile(r"(?:ba|da|z|k)?sh")
_INTERPRETER = re.compile(
    r"(?:ba|da|z|k)?sh|\.|source|(?:python|pypy)[\d.]*|node|ruby|perl|php|lua|Rscript"
)
_VALUED = frozenset({"-W", "-X", "-o", "-O", "-r", "-I", "--require", "--import"})


def programs_of(command: str) -> tuple[str, ...]:
    """Paths, relative to the root, that the command would run if they exist.

    Args:
        command: shell text. What cannot be parsed is split at its spaces.
    """
    found = (
        posixpath.normpath(posixpath.join(folder, name))
        for folder, words in placed_words(command)
        for name in _programs(words)
    )
    return tuple(dict.fromkeys(found))


def names_of(command: str) -> tuple[str, ...]:
    """The programs that the command looks for in PATH."""
    names = (words[0] for _, words in placed_words(command))
    return tuple(dict.fromkeys(name for name in names if "/" not in name))


def words_of(command: str) -> tuple[str, ...]:
    """All its words, operators among them."""
    return tuple(_words(command))


def sourced_by(script: str, folder: str) -> tuple[str, ...]:
    """Paths, relative to the root, of the files that a shell script reads into itself.

    Args:
        script: its text.
        folder: where it lies; what a variable stands before (``$HERE/lib.sh``) is taken from there.
    """
    named = [
        (place, words[1])
        for place, words in placed_words(script)
        if words[0] in _SOURCE and len(words) > 1
    ]
    literal = [posixpath.join(place, _VARIABLE_FOLDER.sub("", name)) for place, name in named]
    beside = [posixpath.join(folder, _VARIABLE_FOLDER.sub("", name)) for _, name in named]
    return tuple(dict.fromkeys(posixpath.normpath(path) for path in literal + beside))


def import_roots(command: str) -> tuple[str, ...]:
    """Folders, relative to the root, from which a Python that the command runs imports first.

    These are the folders of its scripts, those that it changes to, and those in ``PYTHONPATH``.
    """
    places = [posixpath.dirname(program) for program in programs_of(command)]
    places += [folder for folder, _ in placed_words(command)]
    places += [part for paths in _PYTHONPATH.findall(command) for part in paths.split(":")]
    roots = (posixpath.normpath(place) for place in places if place)
    return tuple(dict.fromkeys(root for root in roots if root != "."))


def placed_words(command: str) -> Iterator[tuple[str, list[str]]]:
    """The words of each simple command but ``cd``, with the folder in which it runs."""
    folder = ""
    for words in _simple_commands(command):
        if words[0] == "cd":
            folder = posixpath.join(folder, *words[1:2])
        else:
            yield folder, words


def _simple_commands(command: str) -> Iterator[list[str]]:
    """The words of each simple command, without what only introduces it."""
    words: list[str] = []
    for word in [*_words(command), ";"]:
        if word == _INPUT or not set(word) <= _OPERATORS:
            words.append(word)
            continue
        while words and _introduces(words[0]):
            words.pop(0)
        if words:
            yield words
        words = []


def _words(command: str) -> list[str]:
    lexer = shlex.shlex(command.replace("\n", ";"), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:  # an open quote: the shell will refuse it too
        return command.split()


def _introduces(word: str) -> bool:
    return (
        word in _PREFIXES
        or word.startswith("-")
        or _ASSIGNMENT_OR_NUMBER.fullmatch(word) is not None
    )


def _programs(words: list[str]) -> Iterable[str]:
    """The program when it is named by a path, and what an interpreter is told to run."""
    program, *arguments = words
    if "/" in program:
        yield program
    name = posixpath.basename(program)
    if _INTERPRETER.fullmatch(name):
        yield from _scripts(arguments, is_shell=_SHELL.fullmatch(name) is not None)


def _scripts(arguments: list[str], *, is_shell: bool) -> Iterable[str]:
    """The script that an interpreter runs: its first argument that is no option."""
    words = iter(arguments)
    for word in words:
        if word == _INPUT:
            yield next(words, "")
            return
        if is_shell and re.fullmatch(r"-\w*c", word):
            yield from programs_of(next(words, ""))
            return
        if word in {"-c", "-m", "-e"} and not is_shell:
            return
        if word in _VALUED:
            next(words, "")
        elif not word.startswith("-"):
            yield word
            return
