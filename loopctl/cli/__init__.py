"""The command line: reads what the user typed and configured, calls a use case, shows the result.

Invariant: it decides nothing about loops. Heavy imports wait inside the functions that need them,
so that ``--help`` and ``status`` answer at once.
"""
