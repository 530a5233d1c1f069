"""A meter that keeps its own books, and a model over the scripted server."""

import asyncio
import itertools
from contextlib import asynccontextmanager

from pydantic_ai import Agent

from loopctl.errors import SpendRefusedError
from loopctl.llm.client import connected
from loopctl.llm.model_name import parse_model
from loopctl.llm.patient_model import Patience, PatientModel

DIALECTS = ("anthropic", "openai-chat", "openai-responses", "google")


class Books:
    """Implements ``ports.Meter``: remembers what it was told, in order."""

    def __init__(self, grants=1000):
        self.grants = grants
        self.reserved = {}
        self.ended = []
        self._numbers = itertools.count(1)

    async def reserve(self, model, input_tokens, output_tokens):
        if len(self.reserved) >= self.grants:
            raise SpendRefusedError("no", why="a cap")
        request = f"r{next(self._numbers)}"
        self.reserved[request] = (model, input_tokens, output_tokens)
        return request

    async def settle(self, request, usage):
        self.ended.append((request, "settled", usage))

    async def lose(self, request, seen=None):
        self.ended.append((request, "lost", seen))

    @property
    def ends(self):
        """How each request ended, in words; each exactly once."""
        assert [end[0] for end in self.ended] == list(self.reserved), "not each exactly once"
        return [
            f"{how} {'nothing' if usage is None else usage.tokens}" for _, how, usage in self.ended
        ]


class Naps:
    """Waits without waiting."""

    def __init__(self):
        self.slept = []

    async def __call__(self, seconds):
        self.slept.append(seconds)
        await asyncio.sleep(0)


@asynccontextmanager
async def patient(llm, dialect, books, *, naps=None, attempts=3, silence_s=6.0):
    """The metered model of the scripted server in one dialect."""
    name = parse_model(f"{dialect}:m")
    patience = Patience(attempts=attempts, sleep=naps or Naps())
    async with connected(name, llm.environment(), silence_s=silence_s) as model:
        yield PatientModel(model, str(name), books, patience)


def ask(llm, dialect, books, **options):
    """Ask the model once."""

    async def asking():
        async with patient(llm, dialect, books, **options) as model:
            return await Agent(model).run("hello")

    return asyncio.run(asking())
