"""Budget policies and prices: may a round start, and what did it cost?"""
