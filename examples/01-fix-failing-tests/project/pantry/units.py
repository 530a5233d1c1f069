"""Weights in grams: the one unit that everything else in the package uses."""

GRAMS = {"g": 1, "kg": 1000, "oz": 28.35, "lb": 453.6}


def to_grams(amount: float, unit: str) -> float:
    """Convert an amount of `unit` to grams; an unknown unit is a KeyError."""
    return amount / GRAMS[unit]


def describe(grams: float) -> str:
    """Write grams for a person: kilograms from one kilogram on."""
    return f"{grams / 1000:g} kg" if grams >= GRAMS["kg"] else f"{grams:g} g"
