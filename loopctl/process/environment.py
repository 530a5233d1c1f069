"""The environments that programs get: an agent's is cleaned, an evaluator's is built.

Invariant: nothing of an enclosing git command, agent session or loop reaches a program by
inheritance; an evaluator sees only what the allow-list or the user names.
"""

import os
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

PLAIN_OUTPUT = {"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
"""No escapes, no pager, and no password prompt where nobody can answer."""

_DROPPED_PREFIXES = ("GIT_", "LOOPCTL_")
_SESSION_MARKERS = frozenset(
    {"CLAUDECODE", "CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE", "OPENCODE", "GEMINI_CLI", "QWEN_CODE"}
    | {"AGENT", "AI_AGENT", "CURSOR_AGENT", "CURSOR_TRACE_ID"}
)
_AGENT_PREFIXES = ("CLAUDE_CODE_", "CODEX_", "OPENCODE_", "GEMINI_CLI_", "QWEN_CODE_")
_SETTING_WORDS = frozenset(
    {"HOME", "KEY", "TOKEN", "CONFIG", "DIR", "PATH", "CERT", "URL", "MODEL", "PERMISSION", "USE"}
    | {"NO", "SKIP", "DISABLE", "ENABLE", "MAX", "RETRIES", "TIMEOUT", "TELEMETRY", "SHELL"}
)
_SESSION_WORDS = frozenset(
    {"SESSION", "IDE", "SSE", "THREAD", "SANDBOX", "ENTRYPOINT", "SERVER", "CI", "REMOTE"}
)
_ALLOWED = frozenset({"LANG", "TZ"})


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for an agent: the user's, without traces of what encloses us.

    Agents' homes, keys and settings stay; the marks of a running agent session go, because an
    agent that finds them takes itself for a nested one.
    """
    kept = {name: value for name, value in environment.items() if not _is_enclosing(name)}
    return kept | PLAIN_OUTPUT


def evaluator_environment(
    environment: Mapping[str, str], passed: Iterable[str], home: str, tmp: str
) -> dict[str, str]:
    """The environment for an evaluator, from an allow-list.

    Args:
        environment: the user's.
        passed: names of variables that the user lets through; they win over everything but PATH.
        home: a new folder for HOME and the XDG folders.
        tmp: a new folder for temporary files.
    """
    allowed = {name: value for name, value in environment.items() if is_locale(name)}
    folders = {
        "HOME": home,
        "TMPDIR": tmp,
        "XDG_CONFIG_HOME": f"{home}/.config",
        "XDG_CACHE_HOME": f"{home}/.cache",
        "XDG_DATA_HOME": f"{home}/.local/share",
        "XDG_STATE_HOME": f"{home}/.local/state",
        "XDG_RUNTIME_DIR": tmp,
    }
    named = {name: environment[name] for name in passed if name in environment}
    path = {"PATH": _absolute_path(environment.get("PATH", ""))}
    return allowed | PLAIN_OUTPUT | folders | named | path


def is_locale(name: str) -> bool:
    """Whether a variable says in which language and at which place of the world a program runs."""
    return name in _ALLOWED or name.startswith("LC_")


def is_fixed(name: str) -> bool:
    """Whether a variable of evaluators stays what it was at the start of a loop."""
    return name == "PATH" or is_locale(name)


@cache
def _is_enclosing(name: str) -> bool:
    if name in _SESSION_MARKERS or name.startswith(_DROPPED_PREFIXES):
        return True
    words = set(name.split("_"))
    is_setting = bool(words & _SETTING_WORDS) and not words & _SESSION_WORDS
    return name.startswith(_AGENT_PREFIXES) and not is_setting


@cache
def _absolute_path(path: str) -> str:
    """PATH without empty and relative entries, through which a checkout could shadow a tool."""
    folders = [folder for folder in path.split(os.pathsep) if Path(folder).is_absolute()]
    return os.pathsep.join(folders) or os.defpath.lstrip(os.pathsep)
