"""The kinds of evaluators that come with loopctl, one file each."""
