import unittest

from pantry.units import describe, to_grams


class Units(unittest.TestCase):
    def test_kilograms(self) -> None:
        self.assertEqual(to_grams(2, "kg"), 2000)

    def test_grams_stay_grams(self) -> None:
        self.assertEqual(to_grams(5, "g"), 5)

    def test_describe(self) -> None:
        self.assertEqual([describe(250), describe(1500)], ["250 g", "1.5 kg"])
