"""The composition root: registers the built-ins, builds the adapters, hands them to the driver.

The use cases that are offered to the front ends: ``start`` a loop, ``restart`` one, ``cancel`` one,
``apply`` its work, ``discard`` it, ``sweep`` worktrees.
"""
