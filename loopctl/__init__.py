"""loopctl: drives a coding agent toward one goal and stops for a reason that can be checked."""

__version__ = "0.1.0"
