"""The model's book of verdicts: what was proved of which tree, and by which model."""

from dataclasses import dataclass, field

from loopctl.domain.criteria import Verdict
from loopctl.domain.evaluator_spec import JudgeExecutor
from loopctl.domain.hardening import Hardening


def judged(spec, report):
    """The verdict on each criterion that a report proves, and whether it kept to the rules."""
    declared = spec.criteria.declared
    verdicts, kept = [], True
    for entry in report.criteria:
        if declared is not None and entry.name not in declared:
            kept = False
            continue
        proved = entry.verdict is not Verdict.PASS or "".join(entry.evidence).strip()
        kept = kept and bool(proved)
        verdicts.append((entry.name, entry.verdict if proved else Verdict.FAIL))
    missing = set(declared or ()) - {name for name, _ in verdicts}
    verdicts += [(name, Verdict.FAIL) for name in missing]
    return [verdict for _, verdict in verdicts], kept and not missing and bool(verdicts)


def first_sound(models, failed):
    """The model that a role has to use."""
    sound = [model for model in models if model not in failed]
    return (sound or [*models, ""])[0]


@dataclass
class Verdicts:
    """Proofs, errors in a row, and judges' models."""

    spec: object
    proofs: dict = field(default_factory=dict)
    heard: dict = field(default_factory=dict)
    progress: dict = field(default_factory=dict)
    counts: dict = field(default_factory=dict)
    tests: dict = field(default_factory=dict)
    failed: set = field(default_factory=set)
    order: object = None
    errors: int = 0
    limited: bool = False
    refused: object = None

    def forget(self):
        """Another tree, or another driver: everything is shown again."""
        self.heard, self.progress, self.errors = {}, {}, 0

    def of(self, name):
        return next(spec for spec in self.spec.evaluators if spec.name == name)

    @property
    def is_trial(self):
        return self.order.round == 0 and self.order.hardening is not Hardening.NONE

    def recalled(self, report, doubts):
        """A stored FAIL is kept, if its report kept to the rules; a PASS is shown again."""
        spec = self.of(report.evaluator)
        verdicts, sound = judged(spec, report)
        if Verdict.ERROR in verdicts or not sound or Verdict.FAIL not in verdicts:
            return
        self._hear(report, verdicts, doubts, firm=True, base=False)

    def reported(self, report, doubts, capped):
        """The evaluator at work has said something."""
        if self.is_trial:
            return  # a trial judges nothing
        verdicts, _ = judged(self.of(report.evaluator), report)
        if verdicts and Verdict.ERROR not in verdicts:
            firm = self.order.fresh or not report.provisional
            self._hear(report, verdicts, doubts, firm=firm, base=self.order.round == 0)
            return
        said = report.judged
        if said is not None and said.refused and capped is not None:
            self.refused = capped
        elif said is not None and said.limited:
            others = set(self._models(report.evaluator)) - self.failed - {self.order.model}
            self.limited = not others
            self.failed |= {self.order.model} if others else set()
        else:
            self.errors += 1
            if said is not None and said.model_failed and self.errors < 3:
                self.failed.add(self.order.model)

    def _hear(self, report, verdicts, doubts, *, firm, base):
        clean = all(verdict is Verdict.PASS for verdict in verdicts)
        name = report.evaluator
        self.errors = 0
        self.proofs[name] = (report.tree, clean, firm)
        self.heard[name] = clean
        self.counts[name] = len(verdicts)
        self.tests[name] = 0 if report.suite is None else report.suite.total
        self.progress[name] = (doubts.judged(report, verdicts, base=base), firm)

    def _models(self, name):
        executor = self.of(name).executor
        return executor.models if isinstance(executor, JudgeExecutor) else ()

    def ordered(self, effect):
        """An evaluator is asked."""
        name = effect.evaluator.name
        assert effect.model == first_sound(self._models(name), self.failed), "the wrong model"
        if effect.fresh and effect.round:  # what was provisional is shown again
            self.progress = {name: one for name, one in self.progress.items() if one[1]}
        if not effect.evaluator.is_deterministic:
            assert effect.round, "a judge is paid for the base commit"
            plain = [spec.name for spec in self.spec.evaluators if spec.is_deterministic]
            assert all(self.heard.get(one) for one in plain), "a judge is paid for nothing"
            assert all(self.heard.values()), "a judge is paid for nothing"
        self.order, self.limited = effect, False

    def any_progress(self):
        return any(progress for progress, _ in self.progress.values())

    def is_finer(self):
        """Whether more than one thing is judged: several criteria, or several tests."""
        heard = [self.tests.get(name, 0) for name in self.heard]
        return max(heard) > 1 or self._criteria() > 1

    def _criteria(self):
        """How many criteria the ledger has; those that nobody was asked about count too."""
        return sum(
            self.counts[spec.name]
            if spec.name in self.heard
            else len(spec.criteria.declared or "1")
            for spec in self.spec.evaluators
        )

    def closed(self, tree):
        """Whether everything is proved clean on this tree; check that everybody was asked."""
        for spec in self.spec.evaluators:
            if spec.name not in self.heard:
                assert not spec.is_deterministic, "a verdict before every evaluator has judged"
                assert not all(self.heard.values()), "a judge was not asked"
        proofs = [self.proofs[name] for name in self.heard]
        assert {proof[0] for proof in proofs} == {tree}, "a verdict on another tree"
        clean = len(proofs) == len(self.spec.evaluators) and all(one[1] for one in proofs)
        assert not clean or all(firm for *_, firm in proofs), "a PASS of a used checkout"
        return clean

    def proved(self, tree):
        proofs = [self.proofs.get(spec.name) for spec in self.spec.evaluators]
        return proofs == [(tree, True, True)] * len(proofs)
