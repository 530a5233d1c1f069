"""Language models over the providers' APIs: names, clients, patience, the count of tokens.

Nothing is imported here: whoever needs a model imports its part, and the libraries of the
providers with it.
"""
