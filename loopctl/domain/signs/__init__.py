"""Signs of code that could deceive tests which run inside the product's process.

One file for each kind of sign in Python, one table of patterns for each other language. Everything
here reads text: nothing is imported, nothing is run. What is found is compared with the base
commit's by kind and text, so that only what is new counts.
"""
