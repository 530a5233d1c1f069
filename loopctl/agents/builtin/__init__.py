"""The built-in agent: a model, a handful of tools, and a conversation that is kept.

Read it from the top: ``runner`` checks and opens, ``session`` plays one turn, ``workbench`` holds
the tools for files and the shell, ``loop_tools`` those of loopctl, ``history`` keeps the
conversation, ``session_log`` writes it down for people, ``ending`` says what a turn came to.
"""
