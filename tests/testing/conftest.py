"""Clients of the scripted server speak plain HTTP, yet each loads all certificates: 0.1 s."""

import ssl

import pytest


@pytest.fixture(autouse=True)
def _no_certificates(monkeypatch):
    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: None)
