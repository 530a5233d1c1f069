"""What a git command of ours inherits: nothing that the environment says about git."""

from loopctl.git.runner import Git

INHERITED = {
    "GIT_DIR": "/nowhere",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "user.name",
    "GIT_CONFIG_VALUE_0": "somebody",
    "GIT_SSL_CAINFO": "/a/certificate",
    "GIT_SSH_COMMAND": "/a/program",
}


def test_a_sealed_command_inherits_no_variable_of_git(tmp_path, monkeypatch):
    for name, value in INHERITED.items():
        monkeypatch.setenv(name, value)
    Git(cwd=tmp_path).run("init", "--quiet", "--bare", ".")
    seen = Git(tmp_path).run("-c", "alias.printed=!env", "printed").decode().splitlines()
    values = dict(entry.partition("=")[::2] for entry in seen)
    for name, value in INHERITED.items():
        assert values.get(name, "") != value, name
