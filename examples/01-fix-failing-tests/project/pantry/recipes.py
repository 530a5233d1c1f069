"""Recipes: grams of each ingredient for a number of servings."""


def scale(recipe: dict[str, float], servings: int, to: int) -> dict[str, float]:
    """Recalculate a recipe for `servings` people so that it feeds `to`."""
    return {name: grams * to / servings for name, grams in recipe.items()}


def combine(*recipes: dict[str, float]) -> dict[str, float]:
    """Add up the ingredients of several recipes."""
    total: dict[str, float] = {}
    for recipe in recipes:
        for name, grams in recipe.items():
            total[name] = total.get(name, 0) + grams
    return total
