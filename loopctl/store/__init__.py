"""Where loops are kept: one SQLite database in the user's state folder, and its neighbours.

Invariant: what a decision changes is written in one transaction or not at all, only by the
driver that holds the loop's lease, and what cannot be read as what it was written as is never
taken for something else.
"""
