"""What a checkout is supplied with, and what it lacks."""

from loopctl.domain.supplies import EvaluatorSupplies, missing_folders

IGNORED = (".venv", "web/node_modules", "src/__pycache__", "src/product.egg-info", ".ruff_cache")


def test_a_checkout_lacks_what_is_neither_copied_nor_litter():
    assert missing_folders(IGNORED, EvaluatorSupplies()) == (".venv", "web/node_modules")
    shared = EvaluatorSupplies(share=(".venv",))
    assert missing_folders(IGNORED, shared) == ("web/node_modules",)


def test_a_setup_may_have_made_what_the_users_checkout_has():
    assert missing_folders(IGNORED, EvaluatorSupplies(setup="make deps")) == ()
