"""Where a loop works and is judged: its worktree, its snapshots, its evaluators' checkouts.

Invariant: what is judged is a tree that was stored first, with every path that judges the work
put back as at the base commit. Nothing here decides; it reports what it found and did.
"""
