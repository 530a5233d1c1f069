"""A short list of files of the user's home that act later: at a login, at a commit, at an install.

Invariant: they are looked at, never read and never written. What programs keep up to date by
themselves is not on the list.
"""

import contextlib
import os
import pwd
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from loopctl.domain.alert import SHOWN_ALERTS, Alert, Harm

_FILES = (
    *(".gitconfig", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile"),
    *(".zshrc", ".zshenv", ".zprofile", ".zlogin", ".config/fish/config.fish", ".xprofile"),
    *(".pam_environment", ".npmrc", ".yarnrc", ".pypirc", ".pip/pip.conf", ".gemrc", ".curlrc"),
    *(".wgetrc", ".pdbrc", ".vimrc", ".ssh/config", ".ssh/authorized_keys", ".ssh/rc"),
    *(".cargo/config.toml", ".cargo/config", ".gnupg/gpg.conf", ".gnupg/gpg-agent.conf"),
    *("pytest.ini", "conftest.py", "tox.ini", "setup.cfg", "pyproject.toml", "package.json"),
)
_FOLDERS = (
    *(".config/git", ".config/pip", ".config/autostart", ".config/systemd/user"),
    *(".config/environment.d", ".config/fish/conf.d", ".local/bin", "bin"),
)
_PYTHONS = ".local/lib"
_SITE = "site-packages"
_CRONTABS = ("/var/spool/cron/crontabs", "/var/spool/cron")
_MOST = 2_000  # entries of one folder
_TOLD = (".local/bin/", "bin/", ".npmrc", ".yarnrc", ".pypirc", ".pip/", ".config/pip/", ".gemrc")

Stamp = tuple[int, int, int, int, int]


def home_of(environment: Mapping[str, str]) -> Path | None:
    """The home that the environment names."""
    named = environment.get("HOME", "")
    return Path(named) if os.path.isabs(named) else None  # noqa: PTH117 - only its text


class HomeWatch:
    """Compares the list with what it was. One caller at a time."""

    def __init__(self, home: Path) -> None:
        self._home = str(home)
        self._before: dict[str, Stamp] = {}

    def begin(self) -> None:
        """Remember what is there."""
        self._before = self._look()

    def compare(self) -> tuple[Alert, ...]:
        """What has changed since the last call; permissions and times count as well."""
        before, now = self._before, self._look()
        self._before = now
        changed = [
            name for name in sorted(before.keys() | now.keys()) if before.get(name) != now.get(name)
        ]
        return tuple(_alert(name, before, now) for name in changed[:SHOWN_ALERTS])

    def _look(self) -> dict[str, Stamp]:
        found: dict[str, Stamp] = {}
        for name in self._names():
            path = os.path.join(self._home, name)  # noqa: PTH118 - after each turn
            try:
                seen = os.stat(path)  # noqa: PTH116 - a link to a kept file of settings counts
            except (OSError, ValueError):
                continue
            if not stat.S_ISDIR(seen.st_mode):
                times = seen.st_mtime_ns, seen.st_ctime_ns
                found[name] = (seen.st_ino, seen.st_size, seen.st_mode, *times)
        return found

    def _names(self) -> Iterator[str]:
        yield from _FILES
        for folder in _FOLDERS:
            for name in self._listed(folder):
                yield f"{folder}/{name}"
                if name.endswith((".wants", ".d")):
                    yield from (
                        f"{folder}/{name}/{each}" for each in self._listed(f"{folder}/{name}")
                    )
        for python in self._listed(_PYTHONS):
            site = f"{_PYTHONS}/{python}/{_SITE}"
            for name in self._listed(site) if python.startswith("python") else ():
                if name.endswith(".pth") or name in {"sitecustomize.py", "usercustomize.py"}:
                    yield f"{site}/{name}"
        with contextlib.suppress(KeyError):  # a user without a name has no crontab
            user = pwd.getpwuid(os.getuid()).pw_name
            yield from (f"{folder}/{user}" for folder in _CRONTABS)

    def _listed(self, folder: str) -> list[str]:
        try:
            with os.scandir(os.path.join(self._home, folder)) as entries:  # noqa: PTH118 - as above
                return [entry.name for entry, _ in zip(entries, range(_MOST), strict=False)]
        except OSError:
            return []


def _alert(name: str, before: dict[str, Stamp], now: dict[str, Stamp]) -> Alert:
    gone_or_changed = "was changed" if name in now else "is gone"
    detail = gone_or_changed if name in before else "is new"
    shown = name if name.startswith("/") else f"~/{name}"
    harm = Harm.TOLD if name.startswith(_TOLD) or name not in now else Harm.ACTS
    return Alert(kind="home", what=shown, detail=detail, harm=harm)
