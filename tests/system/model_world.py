"""A world whose agent is the built-in one, over a model that plays a script."""

import contextlib
import json
from collections.abc import Iterator

from harness import Process, Result, World

from loopctl.testing.scripted_llm import Call, Fault, Lane, ScriptedLlm, Tokens, Turn

MODEL = "gpt-5-mini"
USED = Tokens(input=100, output=10)
CHECKED = {"command": "./check.sh", "cwd": ".", "outcome": "pass", "changedAfter": False}
HANDOFF = {
    "changes": [{"summary": "the answer", "reason": "it was wrong"}],
    "verification": [CHECKED],
}
HAND_OVER = Turn(calls=(Call("loop_handoff", HANDOFF),), usage=USED)
SOLVE = Turn(calls=(Call("write_file", {"path": "answer.txt", "content": "42\n"}),), usage=USED)
DONE = Turn(text="done", usage=USED)
USELESS = Turn(calls=(Call("shell", {"command": "echo more >> notes"}),), usage=USED)
ONE_ROUND = (SOLVE, HAND_OVER, DONE)
BAD_ROUND = (USELESS, HAND_OVER, DONE)


def fault(kind: str, *, times: int = 1, **how) -> Turn:
    """A fault that is over at once, where the provider may say so."""
    return Turn(usage=USED, fault=Fault(kind, **{"retry_after": "0", **how}), times=times)


@contextlib.contextmanager
def scripted(world: World, *turns: Turn, lanes: list[Lane] | None = None) -> Iterator[ScriptedLlm]:
    """A model that plays ``turns``; programs of the world find it by their environment."""
    before = dict(world.environment)
    with ScriptedLlm(list(turns) if lanes is None else None, lanes) as llm:
        world.environment |= llm.environment()
        try:
            yield llm
        finally:
            world.environment = before


def with_model(*options: str) -> tuple[str, ...]:
    return ("--agent", f"openai:{MODEL}", *options)


def run(world: World, *options: str) -> Result:
    return world.run_loop(options=with_model(*options))


def start(world: World, *options: str) -> Process:
    return world.start_loop(options=with_model(*options))


def restart(world: World, *options: str) -> Result:
    return world.run_loopctl("status", "demo", "--restart", "--json", *options)


def usage(world: World) -> dict:
    return json.loads(world.run_loopctl("usage", "demo", "--json").check(0).stdout)
