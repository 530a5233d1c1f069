"""Which settings of git act: they start a program, or lead git to other files or servers.

Invariant: what counts is the setting, not its value: what a program is called says nothing about
it. Settings that git's own commands write for a user (branches, remotes, sparse checkouts, partial
clones) do not act by themselves; taking them back would break the user's checkout.
"""

import re
from fnmatch import translate

_ACTING = (
    *("core.hookspath", "core.fsmonitor", "core.sshcommand", "core.editor", "core.pager"),
    *("core.askpass", "core.gitproxy", "core.worktree", "core.attributesfile"),
    *("core.excludesfile", "core.alternaterefscommand", "core.usereplacerefs"),
    *("sequence.editor", "pager.*", "*.pager", "interactive.difffilter", "init.templatedir"),
    *("diff.external", "diff.*.command", "diff.*.textconv", "merge.*.driver"),
    *("difftool.*.cmd", "difftool.*.path", "mergetool.*.cmd", "mergetool.*.path"),
    *("guitool.*.cmd", "man.*.cmd", "man.*.path", "browser.*.cmd", "browser.*.path"),
    *("web.browser", "credential.*", "gpg.program", "gpg.*.program", "gpg.ssh.*", "alias.*"),
    *("include.path", "includeif.*.path", "filter.*", "protocol.*", "uploadpack.packobjectshook"),
    *("remote.*.uploadpack", "remote.*.receivepack", "remote.*.vcs", "remote.*.proxy"),
    *("url.*", "http.*", "https.*", "lfs.url", "lfs.pushurl", "lfs.customtransfer.*"),
    *("lfs.extension.*", "lfs.standalonetransferagent", "remote.*.lfsurl", "trailer.*.command"),
    *("trailer.*.cmd", "tar.*.command", "instaweb.*", "sendemail.*", "imap.*", "hook.*"),
    "submodule.*.update",
)
_PATTERN = re.compile("|".join(map(translate, _ACTING)), re.DOTALL)
_ADDRESS = re.compile(r"(?:remote|submodule)\..*\.(?:url|pushurl)", re.DOTALL)
_HELPER = re.compile(r"-|[A-Za-z0-9+.-]+::")
_USER_INFO = re.compile(r"://[^/@\s]+@")
_HIDDEN = re.compile(r"https?\..*(?:extraheader|password|token)|credential\..*", re.DOTALL)
_SHOWN_CHARACTERS = 200


def acts(name: str, value: str) -> bool:
    """Whether the setting runs a program, or leads one elsewhere."""
    lowered = name.lower()
    if _ADDRESS.fullmatch(lowered):
        return bool(_HELPER.match(value))
    return bool(_PATTERN.fullmatch(lowered))


def shown_value(name: str, value: str) -> str:
    """The value for people, in quotes: shortened, and without what gives access to a server."""
    if _HIDDEN.fullmatch(name.lower()):
        return "(hidden)"
    plain = _USER_INFO.sub("://***@", value)
    return repr(plain if len(plain) <= _SHOWN_CHARACTERS else plain[:_SHOWN_CHARACTERS] + "...")


def is_shown_whole(name: str, value: str) -> bool:
    """Whether `shown_value` says all of it."""
    return shown_value(name, value) == repr(value)
