"""The kinds of agents that loopctl can drive, one file each."""
