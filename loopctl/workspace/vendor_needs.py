"""What the programs of vendors need of the user's home, to log in and to be set up as they are.

Invariant: a table of names and nothing else. What is not in it does not go into a sandbox unless
the user names it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_WORD = re.compile(r"[\w./@+-]+")


@dataclass(frozen=True, slots=True)
class VendorNeeds:
    """The needs of one vendor's program.

    Attributes:
        programs: how it is called.
        keys: the variables that it takes its key from.
        login: files with what it has logged in with, relative to HOME; it renews them itself.
        settings: files and folders that it is set up with, relative to HOME.
        folder: where it looks for most of these, relative to HOME.
        variable: names another folder for that; ``""`` when there is no such variable.
    """

    programs: tuple[str, ...]
    keys: tuple[str, ...]
    login: tuple[str, ...]
    settings: tuple[str, ...]
    folder: str
    variable: str = ""

    def place(self, entry: str, home: Path, environment: Mapping[str, str]) -> Path:
        """Where an entry of the table is, for a user with this home and these variables."""
        moved = environment.get(self.variable, "") if self.variable else ""
        path = PurePosixPath(entry)
        if moved.startswith("/") and path.is_relative_to(self.folder):
            return Path(moved) / path.relative_to(self.folder)
        return home / entry


def _below(folder: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}" for name in names)


_CLAUDE = VendorNeeds(
    programs=("claude", "claude-agent-acp"),
    keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    login=_below(".claude", ".credentials.json"),
    settings=(
        ".claude.json",
        *_below(".claude", ".claude.json", "settings.json", "CLAUDE.md", "agents", "commands"),
        *_below(".claude", "skills", "plugins", "hooks"),
    ),
    folder=".claude",
    variable="CLAUDE_CONFIG_DIR",
)
_CODEX = VendorNeeds(
    programs=("codex", "codex-acp"),
    keys=("OPENAI_API_KEY", "CODEX_API_KEY"),
    login=_below(".codex", "auth.json"),
    settings=_below(".codex", "config.toml", "AGENTS.md", "prompts", "rules", "skills"),
    folder=".codex",
    variable="CODEX_HOME",
)
_GEMINI = VendorNeeds(
    programs=("gemini",),
    keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    login=_below(".gemini", "oauth_creds.json"),
    settings=_below(
        ".gemini", "settings.json", "google_accounts.json", "GEMINI.md", "commands", "extensions"
    ),
    folder=".gemini",
)
_QWEN = VendorNeeds(
    programs=("qwen",),
    keys=("OPENAI_API_KEY", "DASHSCOPE_API_KEY"),
    login=_below(".qwen", "oauth_creds.json"),
    settings=_below(".qwen", "settings.json", "QWEN.md", "commands", "extensions"),
    folder=".qwen",
)
_OPENCODE = VendorNeeds(
    programs=("opencode",),
    keys=(
        *("OPENCODE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"),
        *("GOOGLE_API_KEY", "OPENROUTER_API_KEY"),
    ),
    login=(".local/share/opencode/auth.json",),
    settings=(".config/opencode",),
    folder=".config/opencode",
)
VENDORS = (_CLAUDE, _CODEX, _GEMINI, _QWEN, _OPENCODE)


def needs_of(words: Iterable[str]) -> tuple[VendorNeeds, ...]:
    """The needs of every vendor's program that the words of a command name.

    It may be named by a path, or inside the text of ``sh -c``.
    """
    named = {PurePosixPath(part).name for word in words for part in _WORD.findall(word)}
    return tuple(each for each in VENDORS if named.intersection(each.programs))
