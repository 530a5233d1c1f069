"""The rules of a script: whose turn it is, what is noted, what a file may say."""

import json
import signal
import subprocess
import sys
import threading

import httpx2
import pytest

from loopctl.testing.scripted_llm import (
    Call,
    Fault,
    Lane,
    ScriptedLlm,
    ScriptError,
    Tokens,
    Turn,
    read_script,
)

PLAIN = {"model": "m", "messages": []}
STREAM = PLAIN | {"stream": True}


def post(llm, body=PLAIN, path="/v1/messages", **more):
    return httpx2.post(f"{llm.url}{path}", json=body, **more)


def test_a_lane_that_is_used_up_does_not_hand_on_its_requests():
    judge, worker = Lane([Turn(text="J")], model="^judge$"), Lane([Turn(text="W")])
    with ScriptedLlm(lanes=[judge, worker]) as llm:
        assert post(llm, PLAIN | {"model": "judge"}).json()["content"][0]["text"] == "J"
        refused = post(llm, PLAIN | {"model": "judge"})
        assert post(llm).json()["content"][0]["text"] == "W"
        with pytest.raises(
            ScriptError, match=r"no turn for request 2 \(judge\): lane 1 is used up"
        ):
            llm.check()
    assert refused.status_code == 400
    assert "lane 1 is used up" in refused.json()["error"]["message"]


def test_a_request_that_no_lane_wants_is_noted():
    with ScriptedLlm(lanes=[Lane([], model="^judge$")]) as llm:
        assert post(llm).status_code == 400
        with pytest.raises(ScriptError, match="no lane matches"):
            llm.check()


def test_a_lane_looks_at_texts_and_tools_and_not_at_the_protocol():
    tool = {"name": "look", "input_schema": {}}
    lanes = [
        Lane([Turn(text="role")], text="user|assistant"),
        Lane([Turn(text="tool")], tool="look"),
        Lane([Turn(text="two lines")], text="one.*three"),
    ]
    with ScriptedLlm(lanes=lanes) as llm:
        asked = PLAIN | {"messages": [{"role": "user", "content": "one two\nthree"}]}
        assert post(llm, asked).json()["content"][0]["text"] == "two lines"
        assert post(llm, PLAIN | {"tools": [tool]}).json()["content"][0]["text"] == "tool"


def test_a_script_can_be_played_again():
    lane = Lane([Turn(text="x", times=2)])
    for _ in range(2):
        with ScriptedLlm(lanes=[lane]) as llm:
            post(llm)
            post(llm)
            llm.check()


def test_turns_can_be_set_and_added_while_it_runs():
    with ScriptedLlm() as llm:
        llm.lanes = [Lane([Turn(text="a")])]
        llm.add(Turn(text="b", times=2))
        assert [post(llm).json()["content"][0]["text"] for _ in range(3)] == ["a", "b", "b"]
        llm.add(Turn(text="too many"))
        llm.lanes[0].steps.clear()
        llm.check()


def test_turns_and_lanes_do_not_go_together():
    with pytest.raises(ValueError, match="not both"):
        ScriptedLlm([Turn()], lanes=[])
    with ScriptedLlm([], lanes=[Lane([Turn()])]) as llm:
        assert post(llm).status_code == 200


def test_a_function_that_makes_a_turn_may_use_the_server_and_may_fail():
    def adds(request):
        llm.add(Turn(text="added"))
        return Turn(text=f"{len(llm.requests)}")

    def fails(_):
        raise KeyError("evidence")

    with ScriptedLlm([adds]) as llm:
        assert post(llm, timeout=5).json()["content"][0]["text"] == "1"
        assert post(llm).json()["content"][0]["text"] == "added"
        llm.add(fails)
        assert post(llm).status_code == 400
        with pytest.raises(ScriptError, match=r"request 3 raised KeyError\('evidence'\)"):
            llm.check()


@pytest.mark.parametrize(
    ("path", "content", "status"),
    [
        ("/v1/nothing", b"{}", 404),
        ("/v1/messages", b"{nope", 400),
        ("/v1/messages", b"[]", 400),
        ("/v1/messages", b"{}", 400),
        ("/v1/responses", b'{"model": "m"}', 400),
    ],
)
def test_what_is_no_request_is_refused_and_noted(path, content, status, capfd):
    with ScriptedLlm() as llm:
        assert httpx2.post(f"{llm.url}{path}", content=content).status_code == status
        with pytest.raises(ScriptError, match=path):
            llm.check()
    assert capfd.readouterr() == ("", "")


def test_keys_are_blanked_in_what_is_recorded():
    names = ("x-api-key", "authorization", "x-goog-api-key")
    with ScriptedLlm([Turn(), Turn()]) as llm:
        post(llm, headers=dict.fromkeys(names, "very secret") | {"x-more": "1"})
        post(llm)
        first, second = llm.requests
    assert "very secret" not in str(llm.requests)
    assert [first.headers[name] for name in names] == ["***"] * 3
    assert first.headers["x-more"] == "1"
    assert 0 < second.at - first.at < 5


def test_many_requests_at_once_are_all_counted():
    with ScriptedLlm([Turn(usage=Tokens(3, 2), times=24)]) as llm:
        threads = [
            threading.Thread(target=post, args=(llm, STREAM if n % 2 else PLAIN)) for n in range(24)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        llm.check()
    assert llm.told == {"m": Tokens(72, 48)}


def test_the_end_of_the_server_hangs_up():
    before = threading.active_count()
    with httpx2.Client() as client:
        with ScriptedLlm([Turn()]) as llm:
            client.post(f"{llm.url}/v1/messages", json=PLAIN)
        with pytest.raises(httpx2.TransportError):
            client.post(f"{llm.url}/v1/messages", json=PLAIN)
    assert threading.active_count() <= before + 1  # the last one may just be going


def test_a_script_in_a_file(tmp_path):
    path = tmp_path / "script.json"
    turn = {
        "calls": [{"tool": "shell", "arguments": {"command": "ls"}}],
        "usage": {"input": 3, "output": 4},
        "fault": {"kind": "overloaded"},
        "times": 2,
    }
    path.write_text(json.dumps({"lanes": [{"model": "x", "turns": [turn]}]}))
    (lane,) = read_script(path)
    assert lane.model == "x"
    assert lane.steps == [lane.steps[0]] * 2
    step = lane.steps[0]
    assert step.calls == (Call("shell", {"command": "ls"}),)
    assert (step.usage, step.fault) == (Tokens(3, 4), Fault("overloaded"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "is no JSON"),
        ("[]", "an object with turns or lanes"),
        ("{}", "has no turns"),
        ('{"turns": [{"tekst": "x"}]}', "tekst"),
        ('{"turns": ["x"]}', "not a turn"),
        ('{"turns": [{"calls": [{"name": "x"}]}]}', "name"),
        ('{"turns": [{"usage": {"in": 1}}]}', "in"),
        ('{"turns": [{"fault": {"kind": "wild"}}]}', "wild"),
        ('{"lanes": [{"modell": "x", "turns": []}]}', "modell"),
        ('{"lanes": [{"model": "(", "turns": []}]}', "regular expression"),
    ],
)
def test_a_script_that_cannot_be_understood_says_where(text, problem, tmp_path):
    path = tmp_path / "script.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=problem) as error:
        read_script(path)
    assert str(path) in str(error.value)


def served(path):
    return subprocess.Popen(
        [sys.executable, "-m", "loopctl.testing.scripted_llm", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_script_is_served_until_a_signal_comes(tmp_path):
    path = tmp_path / "script.json"
    path.write_text('{"turns": [{"text": "one", "usage": {"input": 5, "output": 6}}, {}]}')
    with served(path) as server:
        url = server.stdout.readline().strip()
        httpx2.post(f"{url}/v1/messages", json=PLAIN)
        report = httpx2.get(f"{url}/scripted").json()
        server.send_signal(signal.SIGTERM)
        _, errors = server.communicate(timeout=10)
    told = {"input": 5, "output": 6, "reasoning": 0, "cache_read": 0, "cache_write": 0}
    assert report == {"told": {"m": told}, "left": 1, "problems": []}
    assert (server.returncode, errors) == (1, "scripted LLM: 1 turns are left\n")


def test_a_script_that_cannot_be_read_is_not_served(tmp_path):
    with served(tmp_path / "none.json") as server:
        _, errors = server.communicate(timeout=10)
    assert server.returncode == 2
    assert "none.json" in errors
    assert "Traceback" not in errors
