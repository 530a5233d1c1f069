"""Shopping: what a recipe needs and the pantry does not have."""


def missing(recipe: dict[str, float], stock: dict[str, float]) -> dict[str, float]:
    """Return the grams to buy of each ingredient; what is there in full is left out."""
    to_buy = {}
    for name, want in recipe.items():
        have = stock.get(name, 0)
        needed = have - want
        if needed > 0:
            to_buy[name] = needed
    return to_buy
