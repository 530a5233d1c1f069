"""Whatever connects to the socket, the loop goes on and honest callers are answered."""

import asyncio
import contextlib
import stat
from pathlib import Path

import pytest
from tools_world import HANDOFF

from loopctl.domain.agent_session import Role
from loopctl.tools import session_server
from loopctl.tools.desk import LoopTools
from loopctl.tools.session_server import SessionServer
from loopctl.tools.session_tools import OVER
from loopctl.tools.wire import MOST_BYTES, SOCKET, TOKEN

GARBAGE = [
    b"",
    b"GET / HTTP/1.1\r",
    b"\x00\xff\xfe",
    b"[]",
    b'"x"',
    b'{"op": 1}',
    b"{}",
    b'{"op": "stop"}',
    b'{"op": "call", "tool": "t", "arguments": []}',
    b'{"op": "call", "more": 1}',
    b"[" * 100_000,
    b'{"op": "call", "arguments": {"a": ' + b"9" * 100_000 + b"}}",
    b'{"op": "call", "tool": "\\ud800"}',
]


async def served(world) -> None:
    """An honest call is answered."""
    assert await world.call("loop_handoff", HANDOFF) == {"text": "On record.", "refused": False}


def test_only_the_user_can_reach_it(play):
    async def scene(world):
        paths.append(Path(world.socket))
        modes.extend(stat.S_IMODE(path.stat().st_mode) for path in (paths[0], paths[0].parent))
        assert [*paths[0].parent.iterdir()] == paths

    paths: list[Path] = []
    modes: list[int] = []
    play(scene)
    assert modes == [0o600, 0o700]


def test_a_list_and_a_call(play):
    async def scene(world):
        reply = await world.say(f'{world.token} {{"op": "list"}}\n'.encode())
        names = [tool["name"] for tool in reply["tools"]]
        assert names == ["loop_handoff", "loop_flag_concern", "section_read", "review_read"]
        assert reply["tools"][0].keys() == {"name", "description", "schema"}
        await served(world)
        refused = await world.call("loop_complete", {})
        assert refused["refused"] is True

    play(scene)


def test_tokens_lead_to_their_own_session(play):
    async def scene(world):
        other = world.desk.open("session-2", Role.AUDITOR, world.loop.ask, tuple)
        token = other.environment[TOKEN]
        assert other.environment[SOCKET] == world.socket
        assert token != world.token
        await world.call("loop_handoff", {}, token)
        await served(world)
        assert [event.session_id for event in world.loop.events] == ["session-2", "session-1"]
        again = world.desk.open("session-2", Role.AUDITOR, world.loop.ask, tuple)
        assert (await world.call("loop_handoff", {}, token))["text"] == OVER
        assert not (await world.call("loop_handoff", {}, again.environment[TOKEN]))["refused"]
        assert (await other.caller.call("loop_handoff", {})).text == OVER

    play(scene)


def test_without_the_token_nothing_reaches_the_loop(play):
    async def scene(world):
        for token in ("x", world.token[:-1], world.token + "x", "é" * 20, " ", "\n"):
            reply = await world.call("loop_handoff", HANDOFF, token)
            assert reply == {"text": OVER, "refused": True}
        assert world.loop.events == []

    play(scene)


@pytest.mark.parametrize("wish", GARBAGE, ids=[str(wish[:24]) for wish in GARBAGE])
def test_garbage(play, wish):
    async def scene(world):
        for token, said in ((world.token.encode(), "this is not a request."), (b"x", OVER)):
            reply = await world.say(token + b" " + wish + b"\n")
            assert reply["refused"]
            assert reply["text"].endswith(said)
            assert (await world.say(wish + b"\n"))["text"] == OVER
        await served(world)
        assert len(world.loop.events) == 1

    play(scene)


def test_a_line_that_is_too_long(play):
    async def scene(world):
        reader, writer = await asyncio.open_unix_connection(world.socket)
        writer.write(b"x" * (MOST_BYTES + 1))
        assert b"more than 1048576 bytes" in await reader.read()
        writer.close()
        await served(world)

    play(scene)


def test_a_line_that_never_ends(play):
    async def scene(world):
        _, writer = await asyncio.open_unix_connection(world.socket)
        with contextlib.suppress(OSError):
            for _ in range(1000):
                writer.write(b"x" * MOST_BYTES)
                await writer.drain()
            pytest.fail("a gigabyte was read")
        writer.transport.abort()
        await served(world)

    play(scene)


@pytest.mark.parametrize("part", [b"", b"token and no m"])
def test_half_a_line_and_silence(tmp_path, part):
    async def main():
        path = tmp_path / "s"
        server = SessionServer(LoopTools(path), request_s=0.02)
        async with server.listening(path):
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(part)
            assert await asyncio.wait_for(reader.read(), 10) == b""
            writer.close()

    asyncio.run(main())


def test_a_reply_that_nobody_reads(tmp_path, monkeypatch):
    async def main():
        path = tmp_path / "s"
        answer = {"text": "x" * 4_000_000}
        monkeypatch.setattr(session_server, "_said", lambda said: answer)
        async with SessionServer(LoopTools(path), reply_s=0.02).listening(path):
            reader, writer = await asyncio.open_unix_connection(path, limit=1000)
            writer.write(b"x {}\n")
            await asyncio.sleep(0.1)
            assert len(await asyncio.wait_for(reader.read(), 10)) < 4_000_000
            writer.close()

    asyncio.run(main())


def test_a_client_that_goes_away_in_the_middle(play):
    async def scene(world):
        world.loop.before_reply = lambda: asyncio.sleep(0.01)
        writer = await world.begin("loop_handoff", HANDOFF)
        writer.transport.abort()
        await served(world)
        assert len(world.loop.events) == 2

    play(scene)


def test_many_silent_connections(play):
    async def scene(world):
        silent = [await asyncio.open_unix_connection(world.socket) for _ in range(100)]
        await served(world)
        ended = sum(reader.at_eof() for reader, _ in silent)
        assert ended >= 100 - session_server.MOST_CONNECTIONS
        for _, writer in silent:
            writer.close()
        await served(world)

    play(scene)


def test_many_calls_at_once(play, monkeypatch):
    """Those at work are not ended for a new one."""
    monkeypatch.setattr(session_server, "MOST_CONNECTIONS", 3)

    async def scene(world):
        gate = asyncio.Event()
        world.loop.before_reply = gate.wait
        calls = [asyncio.create_task(world.call("loop_handoff", HANDOFF)) for _ in range(3)]
        await world.loop.reached.wait()
        await asyncio.sleep(0.02)  # the other two wait behind the first
        reader, writer = await asyncio.open_unix_connection(world.socket)
        assert await asyncio.wait_for(reader.read(), 10) == b""
        writer.close()
        gate.set()
        for reply in await asyncio.gather(*calls):
            assert not reply["refused"]

    play(scene)


def test_a_call_under_way_ends_with_the_server(play):
    async def scene(world):
        world.loop.before_reply = lambda: asyncio.sleep(60)
        writer = await world.begin("loop_handoff", HANDOFF)
        writer.close()

    play(scene)


def test_a_bug_behind_the_desk_does_not_end_the_server(play):
    async def scene(world):
        async def broken():
            raise RuntimeError("no")

        world.loop.before_reply = broken
        reply = await world.call("loop_handoff", HANDOFF)
        assert reply == {"text": "The call failed: RuntimeError: no", "refused": True}
        world.loop.before_reply = lambda: asyncio.sleep(0)
        await served(world)

    play(scene)
