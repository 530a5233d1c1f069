"""Each way to leave something in the user's git folder: found, and put back where that is safe."""

import os
import shlex
import stat
import subprocess
from pathlib import Path

import pytest
from git_world import git, plant
from sentinel_world import Watched

from loopctl.domain.alert import Harm

EVIL = "#!/bin/sh\ntouch /tmp/evil\n"


@pytest.fixture
def watched(tmp_path):
    made = Watched(tmp_path)
    made.user("config", "core.hooksPath", ".git/hooks")
    made.user("config", "alias.mine", "log --oneline")
    hook = made.git_dir / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\nexit 0\n")
    hook.chmod(0o755)
    (made.git_dir / "info" / "attributes").write_text("*.txt text\n")
    made.sentinel.begin()
    return made


def append(name, text):
    def tamper(world):
        with (world.git_dir / name).open("a") as file:
            file.write(text)

    return tamper


def write(name, text, mode=0o644):
    def tamper(world):
        (world.git_dir / name).parent.mkdir(parents=True, exist_ok=True)
        (world.git_dir / name).write_text(text)
        (world.git_dir / name).chmod(mode)

    return tamper


def setting(key, value):
    return lambda world: world.agent("config", key, value)


def replaced(name, make):
    def tamper(world):
        path = world.git_dir / name
        if path.exists():
            path.rename(world.git_dir.parent / "taken-away")
        make(path)

    return tamper


def hidden_link(path):
    path.symlink_to("/etc")


def replacement(world):
    world.agent("replace", "HEAD", world.agent("commit-tree", "HEAD^{tree}", "-m", "x"))


def own_worktree(name, text):
    return write(f"worktrees/demo/{name}", text)


TAMPERINGS = {
    "hooks path": (setting("core.hooksPath", "/tmp/h"), "git-config core.hookspath"),
    "fsmonitor": (setting("core.fsmonitor", "/tmp/f"), "git-config core.fsmonitor"),
    "ssh": (setting("core.sshCommand", "/tmp/s"), "git-config core.sshcommand"),
    "pager": (setting("pager.log", "/tmp/p"), "git-config pager.log"),
    "diff": (setting("diff.external", "/tmp/d"), "git-config diff.external"),
    "filter": (setting("filter.x.clean", "/tmp/c"), "git-config filter.x.clean"),
    "alias": (setting("alias.st", "!/tmp/a"), "git-config alias.st"),
    "include": (setting("include.path", "/tmp/i"), "git-config include.path"),
    "insteadOf": (setting("url.ext::sh.insteadOf", "https:"), "git-config url.ext::sh.insteadof"),
    "ext": (setting("remote.origin.url", "ext::sh -c x"), "git-config remote.origin.url"),
    "worktree": (setting("core.worktree", "/tmp"), "git-config core.worktree"),
    "credential": (setting("credential.helper", "!x"), "git-config credential.helper"),
    "gpg": (setting("gpg.program", "/tmp/g"), "git-config gpg.program"),
    "pack": (setting("uploadpack.packObjectsHook", "x"), "git-config uploadpack.packobjectshook"),
    "on one line": (append("config", "[core] pager = x\n"), "git-config core.pager"),
    "removed": (
        lambda world: world.agent("config", "--unset", "alias.mine"),
        "git-config alias.mine",
    ),
    "config.worktree": (
        write("config.worktree", "[core]\n\tpager = x\n"),
        "git-config core.pager in config.worktree",
    ),
    "own config.worktree": (
        own_worktree("config.worktree", "[core]\n\tpager = x\n"),
        "git-config core.pager in worktrees/demo/config.worktree",
    ),
    "broken": (append("config", "[core\n"), "git-config config"),
    "config fifo": (replaced("config", os.mkfifo), "git-config config"),
    "config folder": (replaced("config", lambda path: path.mkdir()), "git-config config"),
    "config link": (replaced("config", hidden_link), "git-config config"),
    "config gone": (replaced("config", lambda path: None), "git-config config"),
    "huge config": (append("config", "#" * 5_000_000), "git-config config"),
    "new hook": (write("hooks/post-checkout", EVIL, 0o755), "git-hook hooks/post-checkout"),
    "changed hook": (append("hooks/pre-commit", "touch /tmp/evil\n"), "git-hook hooks/pre-commit"),
    "hook without rights": (
        lambda world: (world.git_dir / "hooks" / "pre-commit").chmod(0o644),
        "git-hook hooks/pre-commit",
    ),
    "hook link": (replaced("hooks/pre-push", hidden_link), "git-hook hooks/pre-push"),
    "hooks link": (replaced("hooks", hidden_link), "git-hook hooks"),
    "hooks gone": (replaced("hooks", lambda path: None), "git-hook hooks"),
    "hooks fifo": (replaced("hooks", os.mkfifo), "git-hook hooks"),
    "attributes": (append("info/attributes", "* filter=x\n"), "git-info info/attributes"),
    "grafts": (write("info/grafts", "x\n"), "git-info info/grafts"),
    "alternates": (write("objects/info/alternates", "/tmp\n"), "git-info objects/info/alternates"),
    "commondir": (write("commondir", "/tmp\n"), "git-folder commondir"),
    "own commondir": (own_worktree("commondir", "/tmp\n"), "git-folder worktrees/demo/commondir"),
    "own gitdir": (own_worktree("gitdir", "/tmp\n"), "git-worktree worktrees/demo/gitdir"),
    "replacement": (replacement, None),
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_what_acts_is_found_put_back_and_kept(watched, name):
    tamper, what = TAMPERINGS[name]
    before = watched.state_of_git()
    tamper(watched)
    assert watched.state_of_git() != before
    found = watched.acting()
    assert what is None or what in found
    assert all(alert.reverted for alert in found.values()), found
    assert found
    assert watched.state_of_git() == before
    for alert in found.values():
        if alert.kept and Path(alert.kept).is_file():
            assert stat.S_IMODE(os.lstat(alert.kept).st_mode) == 0o600


@pytest.mark.parametrize(
    "name",
    [
        "hooks path",
        "alias",
        "removed",
        "on one line",
        "new hook",
        "hook link",
        "attributes",
        "hook without rights",
        "replacement",
    ],
)
def test_the_command_that_is_named_brings_it_back(watched, name):
    tamper, _ = TAMPERINGS[name]
    tamper(watched)
    there = sorted(watched.user("config", "--list").splitlines()), _acting_files(watched)
    for alert in watched.acting().values():
        assert alert.next_step
        subprocess.run(alert.next_step, shell=True, check=True, cwd="/", capture_output=True)
    settings = sorted(watched.user("config", "--list").splitlines())
    assert (settings, _acting_files(watched)) == there


def _acting_files(watched):
    found = watched.state_of_git()
    return {name: text for name, text in found.items() if name not in {"config", "packed-refs"}}


def test_the_users_own_settings_of_the_same_time_stay(watched):
    watched.user("config", "user.name", "Grace")
    watched.agent("config", "core.pager", "/tmp/evil")
    watched.agent("config", "alias.mine", "!evil")
    watched.user("config", "branch.main.remote", "origin")
    alerts = watched.compare()
    assert [each.harm for each in alerts].count(Harm.ACTS) == 2
    (plain,) = [each for each in alerts if each.harm is Harm.TOLD]
    assert "branch.main.remote = 'origin'" in plain.detail
    assert watched.user("config", "user.name") == "Grace"
    assert watched.user("config", "alias.mine") == "log --oneline"
    assert "core.pager" not in watched.user("config", "--list")


def test_honest_work_of_the_user_is_told_and_untouched(watched, tmp_path):
    (watched.top / "a.txt").write_text("mine\n")
    watched.user("commit", "-qam", "mine")
    watched.user("switch", "-qc", "feature")
    watched.user("tag", "v1")
    git(tmp_path, "clone", "-q", "--bare", str(watched.top), "remote.git")
    watched.user("remote", "add", "origin", str(tmp_path / "remote.git"))
    watched.user("fetch", "-q", "origin")
    watched.user("branch", "-q", "--set-upstream-to", "origin/main", "main")
    watched.user("worktree", "add", "-q", str(tmp_path / "other"), "-b", "other")
    watched.user("pack-refs", "--all")
    watched.user("sparse-checkout", "set", "src")
    before = watched.state_of_git()
    told = watched.told()
    assert "moved from" in told["git-ref refs/heads/main"]
    assert "ref: refs/heads/main -> ref: refs/heads/feature" in told["git-head HEAD"]
    assert "is new" in told["git-ref refs/tags/v1"]
    assert "remote.origin.url" in told["git-config config"]
    assert "is new" in told["git-worktree worktrees/other"]
    assert watched.state_of_git() == before
    assert watched.told() == {}


def test_what_the_agent_does_on_its_own_branch_is_no_alert(watched):
    (watched.worktree / "a.txt").write_text("two\n")
    watched.agent("commit", "-qam", "two")
    watched.agent("gc", "-q")
    assert watched.told() == {}


def test_refs_are_told_with_the_way_back(watched):
    tip = watched.user("rev-parse", "main")
    watched.user("branch", "mine")
    watched.compare()
    watched.agent("update-ref", "-d", "refs/heads/mine")
    (alert,) = watched.compare()
    assert (alert.kind, alert.harm, alert.reverted) == ("git-ref", Harm.TOLD, False)
    subprocess.run(shlex.split(alert.next_step), check=True)
    assert watched.user("rev-parse", "mine") == tip


def test_flags_that_hide_files_of_the_user_are_loud_and_undone_by_the_command(watched):
    watched.user("update-index", "--assume-unchanged", "a.txt")
    watched.user("update-index", "--skip-worktree", "src/b.py")
    (alert,) = watched.compare()
    assert (alert.kind, alert.harm, alert.reverted) == ("git-index", Harm.ACTS, False)
    assert "assume-unchanged a.txt, skip-worktree src/b.py" in alert.detail
    subprocess.run(alert.next_step, shell=True, check=True)
    assert watched.compare() == ()
    assert {line[0] for line in watched.user("ls-files", "-v").splitlines()} == {"H"}


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_flags_are_read_in_every_format_of_an_index(tmp_path, version):
    made = Watched(tmp_path)
    long = "x" * 200
    (made.top / long).write_text("long\n")
    made.user("add", long)
    made.user("update-index", f"--index-version={version}")
    made.sentinel.begin()
    made.user("update-index", "--assume-unchanged", long)
    made.user("update-index", "--fsmonitor")
    found = made.compare()
    assert any(f"assume-unchanged {long}" in each.detail for each in found)
    assert any("fsmonitor" in each.detail for each in found)


@pytest.mark.parametrize("kind", ["folder", "file", "link", "gone"])
def test_the_worktrees_git_file_is_put_back(watched, tmp_path, kind):
    file = watched.worktree / ".git"
    text = file.read_bytes()
    file.unlink()
    if kind == "folder":
        git(watched.worktree, "init", "-q")
        plant(watched.worktree / ".git" / "hooks" / "pre-commit", tmp_path / "ran")
    elif kind == "file":
        file.write_text("gitdir: /tmp/elsewhere\n")
    elif kind == "link":
        file.symlink_to("/etc/passwd")
    alert = watched.acting()["git-worktree the worktree's .git"]
    assert alert.reverted
    assert file.read_bytes() == text
    if kind == "folder":
        assert Path(alert.kept, "hooks", "pre-commit").exists()
    assert watched.agent("status", "--short") == ""


def test_hooks_and_included_files_elsewhere_are_loud_and_stay(tmp_path):
    made = Watched(tmp_path)
    plant(made.top / ".husky" / "pre-commit", tmp_path / "ran")
    included = made.top / "team.gitconfig"
    included.write_text("[core]\n\tautocrlf = false\n")
    made.user("config", "core.hooksPath", ".husky")
    made.user("config", "include.path", "../team.gitconfig")
    made.sentinel.begin()
    plant(made.top / ".husky" / "pre-push", tmp_path / "ran")
    with included.open("a") as file:
        file.write("\tpager = /tmp/evil\n\teditor = vim\n")
    found = made.compare()
    assert {each.kind for each in found} == {"git-hook", "git-config"}
    assert {(each.harm, each.reverted) for each in found} == {(Harm.ACTS, False)}
    assert (made.top / ".husky" / "pre-push").exists()


def test_submodules_git_folders_are_watched(tmp_path):
    made = Watched(tmp_path)
    library = tmp_path / "library"
    git(tmp_path, "clone", "-q", str(made.top), str(library))
    allowed = ("-c", "protocol.file.allow=always")
    made.user(*allowed, "submodule", "--quiet", "add", "--name", "deep/lib", str(library), "lib")
    made.sentinel.begin()
    git(made.top / "lib", "config", "core.fsmonitor", "/tmp/evil")
    plant(made.git_dir / "modules" / "deep" / "lib" / "hooks" / "post-checkout", tmp_path / "ran")
    made.user(*allowed, "submodule", "--quiet", "add", str(library), "honest")
    git(tmp_path, "clone", "-q", "--bare", str(library), str(made.git_dir / "modules" / "planted"))
    git(made.git_dir / "modules" / "planted", "config", "core.pager", "/tmp/evil")
    found = {each.what: each for each in made.compare()}
    module = "modules/deep/lib"
    assert found[f"core.fsmonitor in {module}/config"].reverted
    assert found[f"{module}/hooks/post-checkout"].reverted
    assert found["modules/honest"].harm is Harm.TOLD
    assert found["modules/planted"].harm is Harm.ACTS


def test_of_very_many_refs_a_few_are_named(watched):
    tip = watched.user("rev-parse", "HEAD")
    orders = "".join(f"create refs/heads/many/{n} {tip}\n" for n in range(2_000))
    subprocess.run(
        ["git", "update-ref", "--stdin"], input=orders.encode(), cwd=watched.worktree, check=True
    )
    found = watched.compare()
    assert len(found) == 21
    assert found[-1].detail == "1980 more refs changed"


def test_another_driver_tells_and_puts_nothing_back(watched):
    write("hooks/post-checkout", EVIL, 0o755)(watched)
    watched.sentinel = watched.restarted()
    watched.sentinel.begin()
    (alert,) = watched.compare()
    assert (alert.harm, alert.reverted) == (Harm.ACTS, False)
    assert (watched.git_dir / "hooks" / "post-checkout").exists()
    append("config", "[core]\n\tpager = x\n")(watched)
    assert watched.acting()["git-config core.pager"].reverted


def test_what_happens_after_the_end_is_not_the_agents(watched):
    watched.sentinel.end()
    write("hooks/post-checkout", EVIL, 0o755)(watched)
    watched.sentinel = watched.restarted()
    watched.sentinel.begin()
    assert watched.compare() == ()


def test_a_damaged_picture_is_none(watched):
    for text in ("", "{}", "[]", '{"seen": {"config": {}}}'):
        (watched.state / "index.sentinel").write_text(text)
        watched.sentinel = watched.restarted()
        watched.sentinel.begin()
        assert watched.compare() == ()


def test_names_that_are_no_text_are_told_and_put_back(watched):
    hook = os.fsencode(watched.git_dir) + b"/hooks/\xff\nx"
    Path(os.fsdecode(hook)).write_bytes(b"#!/bin/sh\n")
    with (watched.git_dir / "config").open("ab") as file:
        file.write(b"[alias]\n\tx = \xff\n")
    (watched.git_dir / "refs" / "heads").joinpath(os.fsdecode(b"\xfe")).write_text("x\n")
    alerts = watched.compare()
    assert [each.reverted for each in alerts] == [True, True, False]
    assert not os.path.lexists(hook)
    assert all(each.model_dump_json() for each in alerts)


def test_a_lock_that_was_left_behind_keeps_nothing_from_being_put_back(watched):
    watched.agent("config", "core.pager", "/tmp/evil")
    (watched.git_dir / "config.lock").touch()
    assert watched.acting()["git-config core.pager"].reverted


def test_no_secret_is_in_an_alert(watched):
    watched.agent("config", "remote.origin.url", "https://ada:hunter2@example.org/x")
    watched.agent("config", "http.https://example.org.extraheader", "Authorization: hunter2")
    assert "hunter2" not in repr(watched.compare())


def test_a_folder_in_the_place_of_the_repository_is_told(watched):
    watched.git_dir.rename(watched.top / "away")
    (watched.git_dir).symlink_to(watched.top / "away")
    (alert,) = watched.compare()
    assert alert.kind == "git-folder"
