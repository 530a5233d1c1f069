"""Handoff strategies: how context crosses from one round to the next."""
