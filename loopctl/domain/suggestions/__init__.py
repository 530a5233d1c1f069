"""How a repository is probably judged, and what its checkouts need: guesses with their reasons.

One file for each family of languages; each turns the facts of a `Survey` into `Suggestion`s.
Nothing is decided here that a user could not read and change in the file that is written.
"""
