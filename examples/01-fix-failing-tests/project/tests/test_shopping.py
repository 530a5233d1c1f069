import unittest

from pantry.shopping import missing


class Shopping(unittest.TestCase):
    def test_buys_the_difference(self) -> None:
        self.assertEqual(missing({"flour": 500}, {"flour": 200}), {"flour": 300})

    def test_buys_what_is_not_there_at_all(self) -> None:
        self.assertEqual(missing({"yeast": 7}, {}), {"yeast": 7})

    def test_buys_nothing_when_there_is_enough(self) -> None:
        self.assertEqual(missing({"flour": 500}, {"flour": 900}), {})
