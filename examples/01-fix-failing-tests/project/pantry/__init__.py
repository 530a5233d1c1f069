"""A pantry: units, recipes and what to buy."""
