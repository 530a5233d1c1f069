"""What people and programs see of a running loop; nothing here can change one.

Invariant: an observer neither blocks the driver nor raises, and what an agent or a file has
written reaches a terminal only with its control characters escaped.
"""
