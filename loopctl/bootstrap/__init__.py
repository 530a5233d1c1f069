"""The composition root: registers the built-ins, builds the adapters, hands them to the driver.

Three use cases are offered to the front ends: ``start`` a loop, ``restart`` one, ``cancel`` one.
"""
