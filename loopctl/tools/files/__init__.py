"""The files of one folder, for models: read, list, search, write, edit.

Invariant: no path that a model gives reaches anything outside the folder, nor a ``.git``, nor
anything but plain files and folders; and every answer is bounded.
"""
