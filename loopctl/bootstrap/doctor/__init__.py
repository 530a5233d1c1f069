"""The doctor: what a run here would do, and what stands in its way; nothing is started.

Each topic is a function of its own that returns what it found. Invariant: nothing is written, to
the state folder as little as to the repository.
"""
