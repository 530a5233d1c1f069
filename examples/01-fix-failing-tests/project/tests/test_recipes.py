import unittest

from pantry.recipes import combine, scale


class Recipes(unittest.TestCase):
    def test_scale(self) -> None:
        self.assertEqual(scale({"flour": 500}, servings=4, to=6), {"flour": 750})

    def test_combine(self) -> None:
        self.assertEqual(combine({"salt": 2}, {"salt": 3, "oil": 20}), {"salt": 5, "oil": 20})
