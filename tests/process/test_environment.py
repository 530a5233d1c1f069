"""What of the user's environment reaches a program."""

from pathlib import Path

from loopctl.process.environment import PLAIN_OUTPUT, clean_environment, evaluator_environment

KEPT = {
    "PATH": "/usr/bin",
    "HOME": "/home/me",
    "ANTHROPIC_API_KEY": "k",
    "CLAUDE_CODE_OAUTH_TOKEN": "k",
    "CLAUDE_CODE_MAX_RETRIES": "3",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CONFIG_DIR": "/c",
    "CODEX_HOME": "/c",
    "CODEX_API_KEY": "k",
    "OPENCODE_CONFIG_CONTENT": "{}",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "GEMINI_API_KEY": "k",
    "GEMINI_CLI_NO_RELAUNCH": "1",
    "QWEN_CODE_NO_RELAUNCH": "1",
    "GITHUB_TOKEN": "k",
    "SSH_AUTH_SOCK": "/s",
}
ENCLOSING = {
    **dict.fromkeys(["GIT_DIR", "GIT_INDEX_FILE", "GIT_CONFIG_COUNT", "GIT_AUTHOR_NAME"], "x"),
    **dict.fromkeys(["LOOPCTL_SOCKET", "LOOPCTL_TOKEN", "LOOPCTL_LOOP", "LOOPCTL_ROUND"], "x"),
    **dict.fromkeys(["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"], "x"),
    **dict.fromkeys(["CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SESSION_ACCESS_TOKEN"], "x"),
    **dict.fromkeys(["CODEX_SANDBOX", "CODEX_THREAD_ID", "CODEX_SANDBOX_NETWORK_DISABLED"], "x"),
    **dict.fromkeys(["OPENCODE", "OPENCODE_PID", "GEMINI_CLI", "QWEN_CODE", "AGENT"], "x"),
}


def test_traces_of_what_encloses_us_are_dropped():
    assert clean_environment(KEPT | ENCLOSING | {"TERM": "xterm"}) == KEPT | PLAIN_OUTPUT


def test_an_evaluator_sees_an_allow_list():
    user = KEPT | ENCLOSING | {"LANG": "C.UTF-8", "LC_ALL": "C", "TZ": "UTC", "CI": "1"}
    user["PYTHONPATH"] = "/evil"
    env = evaluator_environment(user, ("CI", "MISSING"), "/new/home", "/new/tmp")
    assert env == {
        "PATH": "/usr/bin",
        "LANG": "C.UTF-8",
        "LC_ALL": "C",
        "TZ": "UTC",
        "CI": "1",
        "HOME": "/new/home",
        "TMPDIR": "/new/tmp",
        "XDG_CONFIG_HOME": "/new/home/.config",
        "XDG_CACHE_HOME": "/new/home/.cache",
        "XDG_DATA_HOME": "/new/home/.local/share",
        "XDG_STATE_HOME": "/new/home/.local/state",
        "XDG_RUNTIME_DIR": "/new/tmp",
        **PLAIN_OUTPUT,
    }


# What switches tests off, or loads other code into what runs them.
SABOTAGE = (
    *("MAKEFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "PYTEST_ADDOPTS", "PYTEST_PLUGINS", "TOX_SKIP_ENV"),
    *("PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONBREAKPOINT"),
    *("PYTHONWARNINGS", "PYTHONPYCACHEPREFIX", "COVERAGE_PROCESS_START", "VIRTUAL_ENV"),
    *("NODE_OPTIONS", "NODE_PATH", "npm_config_script_shell", "RUBYOPT", "RUBYLIB", "PERL5OPT"),
    *("JAVA_TOOL_OPTIONS", "CLASSPATH", "GOFLAGS", "RUSTC_WRAPPER", "RUSTFLAGS", "CARGO_HOME"),
    *("DOTNET_STARTUP_HOOKS", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "GCONV_PATH"),
    *("ENV", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "PS4", "IFS", "CDPATH", "BASH_FUNC_test%%"),
    *("SOURCE_DATE_EPOCH", "FAKETIME", "CI", "SKIP_SLOW", "GIT_DIR", "GIT_CONFIG_GLOBAL"),
    *("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "LOOPCTL_TOKEN", "XDG_CONFIG_DIRS"),
)


def test_nothing_that_switches_tests_off_reaches_an_evaluator():
    user = dict.fromkeys(SABOTAGE, "x") | {"PATH": "/bin"}
    env = evaluator_environment(user, (), "/new/home", "/new/tmp")
    assert not env.keys() & set(SABOTAGE)


def test_relative_and_empty_entries_of_path_are_dropped():
    path = evaluator_environment({"PATH": ":/bin::.:bin:~/bin:/usr/bin:"}, (), "/h", "/t")["PATH"]
    assert path == "/bin:/usr/bin"
    for lost in ({}, {"PATH": "."}):
        path = evaluator_environment(lost, ("PATH",), "/h", "/t")["PATH"]
        assert all(Path(folder).is_absolute() for folder in path.split(":"))
