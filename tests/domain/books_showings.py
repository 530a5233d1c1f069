"""The part of the book of verdicts that counts how often what was shown, and in which order."""

from itertools import pairwise

from loopctl.domain.evaluator_spec import Isolation, ShellExecutor
from loopctl.domain.stage import Stage


class Showings:
    """What a tree needs before it is clean; ``self`` is the book of verdicts."""

    def sort_of(self, name):
        hidden = {spec.name for spec in self.spec.holdouts}
        return "held" if name in hidden else "plain"

    def needed(self):
        """Who has to have passed how often, in this order."""
        plain = [(spec.name, "plain") for spec in self.spec.evaluators]
        new = [
            (spec.name, "new")
            for spec in self.spec.evaluators
            if isinstance(spec.executor, ShellExecutor)
            and spec.isolation is not Isolation.SAME_WORKSPACE
        ]
        held = [(spec.name, "held") for spec in self.spec.holdouts]
        return [
            dict.fromkeys(plain, self.spec.confirm),
            dict.fromkeys(new if self.new_tree else [], 1),
            dict.fromkeys(held, 1),
        ]

    def has(self, needs):
        """Whether all of these were shown often enough, and nothing has failed since."""
        return all(self.passes.get(key, 0) >= times for key, times in needs.items())

    def showing(self, effect):
        """An evaluator is asked: is it its turn?"""
        plain, new, held = self.needed()
        name = effect.evaluator.name
        match effect.stage:
            case Stage.FIRST:
                assert (name, "plain") in plain
            case Stage.AGAIN:
                assert (name, "plain") in plain
                assert effect.fresh, "shown again in a checkout that was used before"
                mine = self.proofs[name, "plain"]
                assert mine[1], "what has failed is shown again"
                enough = self.passes.get((name, "plain"), 0) >= self.spec.confirm
                assert not enough, "it is shown more often than was asked for"
            case Stage.NEW_TESTS:
                assert (name, "new") in new
                assert effect.tree == self.new_tree
                assert self.has(plain), "new tests are run before the old ones have passed"
            case Stage.HOLDOUT:
                assert (name, "held") in held
                assert self.has(plain | new), "a hold-out is spent on what has not passed"
                assert (name, "held") not in self.heard, "a hold-out judges a tree twice"

    def closed(self, tree):
        """Whether everything is proved clean on this tree; check that everybody was asked."""
        for spec in self.spec.evaluators:
            if (spec.name, "plain") not in self.heard:
                assert not spec.is_deterministic, "a verdict before every evaluator has judged"
                assert not all(self.heard.values()), "a judge was not asked"
        stages = self.needed()
        for before, stage in pairwise(stages):
            if not self.has(before):
                break
            assert all(key in self.heard for key in stage), "a stage was left out"
        clean = all(self.has(stage) for stage in stages)
        assert clean == self.proved(tree), "a verdict on another tree, or of a used checkout"
        return clean

    def proved(self, tree):
        trees = {"plain": tree, "held": tree, "new": self.new_tree}
        return all(
            self.proofs.get(key) == (trees[key[1]], True, True) and self.passes.get(key, 0) >= times
            for stage in self.needed()
            for key, times in stage.items()
        )
