"""Known secrets, in any spelling, never pass the masker."""

import base64
import json
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopctl.process.masking import CONTEXT, Masker
from loopctl.process.stream_masker import StreamMasker

VALUE = 'p4ss/w0rd+"ünï" & more'
MASKER = Masker({"DB_PASSWORD": VALUE, "API_KEY": "abcdefgh12345678"})
# Put together at run time, so that no scanner takes this file for a leak.
FAKE = "FAKEfake0123456789" * 3
PEM = "\n".join(
    [
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        *["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0123ABCD", ""],
        *[(FAKE * 2)[:64]] * 40,
        "abc=",
        "-----END RSA " + "PRIVATE KEY-----",
    ]
)


@pytest.mark.parametrize(
    "spelled",
    [
        VALUE,
        json.dumps(VALUE),
        json.dumps(VALUE, ensure_ascii=False),
        urllib.parse.quote(VALUE, safe=""),
        urllib.parse.quote_plus(VALUE),
    ],
)
def test_every_spelling_is_masked(spelled):
    masked = MASKER.mask(f"before {spelled} after")
    assert masked in ("before [masked:DB_PASSWORD] after", 'before "[masked:DB_PASSWORD]" after')


@pytest.mark.parametrize("before", ["", "u", "us", "user:", "user:x"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_base64_is_masked_at_every_alignment(before, encode):
    masked = MASKER.mask(encode(f"{before}{VALUE}:after".encode()).decode())
    assert "[masked:DB_PASSWORD]" in masked
    kept = masked.replace("[masked:DB_PASSWORD]", "")
    assert len(kept) < 2 * (len(before) + len(":after")) + 4


@pytest.mark.parametrize(
    "key",
    [
        "sk-" + FAKE,
        "sk-ant-api03-" + FAKE,
        "sk-proj-" + FAKE,
        "ghp_" + FAKE,
        "gho_" + FAKE,
        "github_pat_" + FAKE,
        "glpat-" + FAKE,
        "xoxb-" + "1234567890-" + FAKE,
        "AKIA" + "ABCDEFGH12345678",
        "AIza" + FAKE[:35],
        "npm_" + FAKE[:36],
        "hf_" + FAKE[:34],
        "pypi-" + FAKE,
        "eyJ" + FAKE + ".eyJ" + FAKE + "." + FAKE,
        PEM,
        PEM.replace("\n", "\\n"),
        PEM.replace("\n", "\r\n"),
    ],
)
def test_known_shapes_are_masked(key):
    assert Masker({}).mask(f"x={key}, y\n") == "x=[masked], y\n"


def test_a_password_in_an_address_is_masked():
    assert Masker({}).mask("at postgres://me:hunter2@db:5432/x") == (
        "at postgres://[masked]@db:5432/x"
    )


@pytest.mark.parametrize(
    "text",
    [
        "a task-list of disk-usage",
        "https://example.org:8080/a@b",
        "import ghp_tool",
        "-----BEGIN CERTIFICATE-----",
        "git@github.com:a/b.git",
        "eyJust a word",
        "",
    ],
)
def test_ordinary_text_is_left_alone(text):
    assert MASKER.mask(text) == text


def test_secrets_are_chosen_by_name_and_value():
    secret = "v4lue-v4lue"
    named = {
        **dict.fromkeys(["ANTHROPIC_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY"], secret),
        **dict.fromkeys(["PGPASSWORD", "DB_PASSWD", "SENTRY_DSN", "MYSQL_PWD"], secret),
        **dict.fromkeys(["SESSION_COOKIE", "NPM_AUTH", "apikey", "GOOGLE_CREDENTIALS"], secret),
    }
    for name in named:
        assert Masker.from_environment({name: secret}).mask(secret) == f"[masked:{name}]"
    harmless = {
        "PATH": "/usr/bin:/bin",
        "PWD": "/",
        "MONKEYS": secret,
        "AUTHOR": secret,
        "SSH_AUTH_SOCK": "/tmp/ssh-x/agent.1",
        "MAX_TOKENS": "1234567890",
        "TOKENIZERS_PARALLELISM": "disabled",
        "API_KEY_FILE": "/home/me/.key-file",
        "SHORT_KEY": "abc",
        "GOOGLE_APPLICATION_CREDENTIALS": __file__,
    }
    text = "\n".join(harmless.values())
    assert Masker.from_environment(harmless).mask(text) == text


def test_a_password_in_the_address_of_any_variable_is_a_secret():
    masker = Masker.from_environment({"DATABASE_URL": "postgres://me:s3cr3t-pw@db/x"})
    assert masker.mask("it is s3cr3t-pw") == "it is [masked:DATABASE_URL]"


def test_a_value_of_several_lines_is_masked_line_by_line():
    masker = Masker({"DEPLOY_KEY": "first-line-x\nsecond-line-y\n"})
    assert masker.mask("> second-line-y\n") == "> [masked:DEPLOY_KEY]\n"


def test_a_very_long_value_is_masked_in_pieces():
    value = "".join(f"{number:05d}" for number in range(4000))
    assert "12345" not in Masker({"A_KEY": value}).mask(f"<{value}>")


def test_the_longest_secret_wins():
    masker = Masker({"A_KEY": "12345678ab", "B_KEY": "12345678abcdef"})
    assert masker.mask("12345678abcdef") == "[masked:B_KEY]"


SECRETS = ["abcdefgh12345678", VALUE, "sk-" + FAKE, PEM, "://me:hunter2@"]
TEXTS = st.lists(st.sampled_from([*SECRETS, " ", "\n", "x", "a line\n", "-----BEGIN ", "y" * 40]))


@given(parts=TEXTS, sizes=st.lists(st.integers(1, 200)), long_line=st.booleans())
def test_a_stream_is_masked_like_the_whole(*, parts, sizes, long_line):
    data = ("z" * (3 * CONTEXT if long_line else 0) + " ".join(parts)).encode()
    stream = StreamMasker(MASKER)
    masked, position = b"", 0
    for size in sizes:
        masked += stream.feed(data[position : position + size])
        position += size
    masked += stream.feed(data[position:]) + stream.close()
    assert masked == MASKER.mask_bytes(data)
    assert stream.released == len(data)


def test_only_what_may_be_a_secret_is_held_back():
    stream = StreamMasker(MASKER)
    assert stream.feed(b"a whole line\nand a pa") == b"a whole line\n"
    assert stream.feed(b"rt\n") == b"and a part\n"
    assert stream.feed(b"x" * 10 * CONTEXT) == b"x" * 9 * CONTEXT
    assert stream.close() == b"x" * CONTEXT


@given(st.text())
def test_text_without_secrets_is_unchanged(text):
    assert Masker({}).mask(text) == text or "://" in text


@pytest.mark.parametrize(
    "evil", ["sk-", "://", "://a:", "-----BEGIN ", "eyJ", PEM[:60], "eyJ" + "a" * 4000 + ".", "a"]
)
def test_no_input_is_slow(evil):
    """A pattern that backtracks would need hours here; the test's own time-out is the bound."""
    data = evil.encode() * (1_000_000 // len(evil))
    assert MASKER.mask_bytes(data) is not None
