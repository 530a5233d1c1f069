"""Sandboxes: what makes a ``Confinement`` true for one program and everything it starts.

Invariant: a program with a confinement runs inside of it or not at all. It is never run on the
machine itself because a sandbox could not be made.
"""
