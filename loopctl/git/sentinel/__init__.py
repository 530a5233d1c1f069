"""The sentinel: what an agent changes in the user's git folder, where it would act later.

A worktree shares the git folder of the user's repository: settings, hooks and refs that an agent
writes there run or mislead programs in the user's own checkout, long after the loop. So a picture
of all that acts is kept, compared after each turn before any git of ours runs there, and what is
safe to put back is put back.

Invariants
* Only reading until the comparison is made; nothing is followed out of the git folder, nothing
  waits (a FIFO) and nothing is read without an end (a huge file).
* Nothing is lost: what is taken away is kept, and named with the command that brings it back,
  because the user may have done it themselves while the loop ran.
* Commits, refs, the stash, the index and plain settings are the user's: they are only told.
"""
