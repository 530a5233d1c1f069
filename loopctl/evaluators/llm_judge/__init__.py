"""A language model as an evaluator: it scores a rubric, and its evidence is checked.

``judge`` makes a report of one judgement. ``conversation`` is the talk with the model, whose tools
(``reader``) read the checkout and change nothing; ``verdicts`` is the form of its answer.
``ruling`` turns an answer into verdicts by looking up every citation (``citations``) and search
(``searches``) in what it rests on.

Invariant: no word of the model is a PASS by itself, and whatever keeps it from answering is ERROR.
"""
