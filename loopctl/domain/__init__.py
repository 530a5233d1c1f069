"""The pure core: what a loop is, and what follows from what happened to it. No I/O of any kind."""
