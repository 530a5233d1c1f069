"""Names of models, their keys and addresses."""

import pytest

from loopctl.errors import UsageError
from loopctl.llm.model_name import ModelName, parse_model


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("anthropic:claude-x", ("anthropic", "claude-x", "")),
        ("openai:ft:gpt-x:me", ("openai", "ft:gpt-x:me", "")),
        ("google:gemini@001", ("google", "gemini@001", "")),
        ("openai:qwen@http://box:8000/v1", ("openai", "qwen", "http://box:8000/v1")),
        ("openai-chat:a/b@https://x.example/v1", ("openai-chat", "a/b", "https://x.example/v1")),
    ],
)
def test_a_name_and_its_parts(text, parts):
    name = parse_model(text)
    assert (name.provider, name.model, name.base_url) == parts
    assert str(name) == text


@pytest.mark.parametrize("text", ["", "anthropic", "anthropic:", "openai: ", "nobody:x", ":x"])
def test_what_names_no_model(text):
    with pytest.raises(UsageError) as refused:
        parse_model(text)
    assert "anthropic, openai" in refused.value.why


@pytest.mark.parametrize("address", ["localhost:1/v1", "ftp://localhost:1/v1", "//localhost:1/v1"])
def test_an_address_without_its_scheme_is_no_part_of_a_name(address):
    with pytest.raises(UsageError, match="does not say how it is reached") as refused:
        parse_model(f"openai:qwen@{address}")
    assert refused.value.next_step == "openai:qwen@http://localhost:1/v1"


def test_a_key_of_blanks_is_none_and_a_line_end_is_no_part_of_a_key():
    name = ModelName("openai", "m")
    assert name.key({"OPENAI_API_KEY": " k\n"}) == "k"
    with pytest.raises(UsageError, match="there is no key"):
        name.key({"OPENAI_API_KEY": " \n"})


def test_a_variable_that_holds_no_address():
    name = ModelName("openai", "m")
    with pytest.raises(UsageError, match="OPENAI_BASE_URL holds 'box:80/v1'"):
        name.address({"OPENAI_BASE_URL": "box:80/v1"})
    assert name.address({"OPENAI_BASE_URL": " "}) == ""


def test_keys_and_addresses():
    name = ModelName("google", "m")
    assert name.key({"GEMINI_API_KEY": "two", "GOOGLE_API_KEY": "one"}) == "one"
    assert name.key({"GEMINI_API_KEY": "two"}) == "two"
    assert name.address({}) == ""
    with pytest.raises(UsageError) as refused:
        name.key({})
    assert refused.value.why == "GOOGLE_API_KEY and GEMINI_API_KEY are not set"
    own = parse_model("openai:m@http://box/v1")
    assert own.key({}) == "none"
    assert own.address({"OPENAI_BASE_URL": "http://other"}) == "http://box/v1"
    assert ModelName("openai", "m").address({"OPENAI_BASE_URL": "http://other"}) == "http://other"


@pytest.mark.parametrize(
    "address",
    ["http://bob:s3cret@box/v1", "https://s3cret@box:8000", "http://[s3cret@box", "http://a@b@c"],
)
def test_a_password_in_an_address_is_not_stored(address):
    with pytest.raises(UsageError) as refused:
        parse_model(f"openai:m@{address}")
    told = (refused.value.message, refused.value.why, refused.value.next_step)
    assert "s3cret" not in "".join(told)
    assert "OPENAI_BASE_URL" in told[-1]
