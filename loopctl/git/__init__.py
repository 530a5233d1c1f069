"""Everything loopctl wants from git, through one hardened wrapper.

Three places, never confused: the user's repository, the loop's worktree (hostile: an agent
writes it), and loopctl's own bare repository (trusted: only we write it). Invariant: once an
agent exists, no command of ours takes configuration, hooks or programs from a place that an
agent can write; the worktree is only ever *data*.
"""
