"""Where a server redirects a request to: never to another host, which would get the key."""

import asyncio
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from metering import Books, Naps
from pydantic_ai import Agent

from loopctl.llm.client import connected
from loopctl.llm.faults import ModelFaultError
from loopctl.llm.model_name import parse_model
from loopctl.llm.patient_model import Patience, PatientModel

KEY = "a-key-of-mine"
VARIABLES = {
    "anthropic": "ANTHROPIC_API_KEY",
    "google": "GOOGLE_API_KEY",
    "openai-chat": "OPENAI_API_KEY",
}


class Redirecting(ThreadingHTTPServer):
    """Answers every request with a redirection, and remembers the paths."""

    to = ""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Redirect)
        self.paths = []


class Redirect(BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.paths.append(self.path)
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(307)
        self.send_header("location", self.server.to)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        del arguments


@contextmanager
def redirecting():
    with Redirecting() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def ask(provider, port):
    """Ask a model at ``localhost``, once."""

    async def asking():
        name = parse_model(f"{provider}:m@http://localhost:{port}")
        async with connected(name, {VARIABLES[provider]: KEY}) as model:
            patience = Patience(attempts=1, sleep=Naps())
            await Agent(PatientModel(model, str(name), Books(), patience)).run("hello")

    with pytest.raises(ModelFaultError) as failed:
        asyncio.run(asking())
    return failed.value


@pytest.mark.parametrize("provider", VARIABLES)
def test_another_host_gets_nothing(provider):
    with redirecting() as first, redirecting() as second:
        first.to = f"http://127.0.0.1:{second.server_port}/v1"
        assert "307" in ask(provider, first.server_port).message
        assert (len(first.paths), second.paths) == (1, [])


def test_another_path_of_the_same_host_is_followed():
    with redirecting() as server:
        server.to = "/elsewhere"
        ask("openai-chat", server.server_port)
        assert "/elsewhere" in server.paths


def test_a_redirection_to_nowhere_is_a_fault():
    with redirecting() as server:
        server.to = "http://[half"
        ask("openai-chat", server.server_port)
