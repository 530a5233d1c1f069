"""loopctl's tools for models: declared once, behind one desk, with three fronts.

``declared`` says which tools there are and which roles see them. ``desk`` gives every agent
session a place of its own and turns valid calls into events; the loop's machine decides about
them. Agents in this process call their place directly. All others come through a Unix socket
(``session_server``), from the MCP front or from ``loopctl tool`` in a shell; both share
``session_client``.

Invariant: a tool writes nothing and advances nothing. Whatever is wrong with a call is its answer.
"""
