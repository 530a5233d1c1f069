"""Starting programs, watching them, and ending everything that they leave behind.

Invariant: no process that was started here outlives its job, nor its driver, and no amount or
shape of output can exhaust memory, block the program or carry a known secret into a file.
"""
