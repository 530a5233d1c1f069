"""The model's book of verdicts: what was proved of which tree, and by which model."""

from dataclasses import dataclass, field

from books_showings import Showings

from loopctl.domain.criteria import Verdict
from loopctl.domain.evaluator_spec import JudgeExecutor
from loopctl.domain.hardening import Hardening
from loopctl.domain.stage import Stage


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
class Verdicts(Showings):
    """Proofs, errors in a row, and judges' models."""

    spec: object
    new_tree: str = ""
    proofs: dict = field(default_factory=dict)
    passes: dict = field(default_factory=dict)
    heard: dict = field(default_factory=dict)
    progress: dict = field(default_factory=dict)
    counts: dict = field(default_factory=dict)
    tests: dict = field(default_factory=dict)
    own_writes: dict = field(default_factory=dict)
    failed: set = field(default_factory=set)
    named: dict = field(default_factory=dict)
    order: object = None
    errors: int = 0
    limited: bool = False
    refused: object = None

    def forget(self):
        """Another tree, or another driver: everything is shown again."""
        self.heard, self.progress, self.passes, self.errors = {}, {}, {}, 0

    def of(self, name):
        return next(spec for spec in self.spec.all_evaluators if spec.name == name)

    def key(self, report):
        """Who has judged what."""
        is_new = bool(self.new_tree) and report.tree == self.new_tree
        return report.evaluator, "new" if is_new else self.sort_of(report.evaluator)

    @property
    def at_first(self):
        """Whether the base commit is judged for the first time."""
        return self.order.round == 0 and self.order.stage is Stage.FIRST

    def recalled(self, report, doubts):
        """A stored FAIL is kept, if its report kept to the rules; a PASS is shown again."""
        spec = self.of(report.evaluator)
        verdicts, sound = judged(spec, report)
        if Verdict.ERROR in verdicts or not sound or Verdict.FAIL not in verdicts:
            return
        self._hear(report, verdicts, firm=True)
        self._note(report, doubts.judged(report, verdicts, base=False), firm=True)

    def reported(self, report, doubts, capped):
        """The evaluator at work has said something."""
        if self.at_first and self.order.hardening is not Hardening.NONE:
            return  # a trial judges nothing
        spec = self.of(report.evaluator)
        verdicts, _ = judged(spec, report)
        if self.at_first:
            self.own_writes[report.evaluator] = set(report.moved)
        elif set(report.moved) - set().union(*self.own_writes.values()):
            verdicts = [Verdict.ERROR for _ in verdicts]
        if verdicts and Verdict.ERROR not in verdicts:
            verdicts += self._left_out(spec, report)
            firm = self.order.fresh or not report.provisional
            self._hear(report, verdicts, firm=firm)
            progress = Verdict.PASS in verdicts
            if self.order.round or self.at_first:
                progress = doubts.judged(report, verdicts, base=self.at_first)
            self._note(report, progress, firm=firm)
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

    def _left_out(self, spec, report):
        """A contract has named it before, and does not now: that is no way to pass."""
        if spec.criteria.declared is not None:
            return []
        before = self.named.setdefault(spec.name, set())
        now = {entry.name for entry in report.criteria}
        missing = before - now
        if self.order.stage in {Stage.FIRST, Stage.AGAIN}:
            before |= now
        return [Verdict.FAIL] * len(missing)

    def _hear(self, report, verdicts, *, firm):
        clean = all(verdict is Verdict.PASS for verdict in verdicts)
        key = self.key(report)
        self.errors = 0
        self.proofs[key] = (report.tree, clean, firm)
        self.passes[key] = self.passes.get(key, 0) + firm if clean else 0
        self.heard[key] = clean
        self.counts[key] = len(verdicts)
        self.tests[key] = 0 if report.suite is None else report.suite.total

    def _note(self, report, progress, *, firm):
        self.progress[self.key(report)] = (progress, firm)

    def _models(self, name):
        executor = self.of(name).executor
        return executor.models if isinstance(executor, JudgeExecutor) else ()

    def ordered(self, effect):
        """An evaluator is asked."""
        assert effect.model == first_sound(self._models(effect.evaluator.name), self.failed)
        if effect.fresh and effect.round:  # what was provisional is shown again
            self.progress = {key: one for key, one in self.progress.items() if one[1]}
        if not effect.evaluator.is_deterministic:
            assert effect.round or effect.stage is not Stage.FIRST, "paid for the base commit"
            plain = [spec.name for spec in self.spec.evaluators if spec.is_deterministic]
            assert all(self.heard.get((one, "plain")) for one in plain), "paid for nothing"
            assert all(self.heard.values()), "a judge is paid for nothing"
        self.showing(effect)
        self.order, self.limited = effect, False

    def any_progress(self):
        return any(progress for progress, _ in self.progress.values())

    def is_finer(self):
        """Whether more than one thing is judged: several criteria, or several tests."""
        return max([self.tests[key] for key in self.heard], default=0) > 1 or self._criteria() > 1

    def _criteria(self):
        """How many criteria are in sight; those that nobody was asked about count too."""
        more = [key for key in self.heard if key[1] == "new"]
        return sum(self.counts[key] for key in more) + sum(
            self.counts[spec.name, "plain"]
            if (spec.name, "plain") in self.heard
            else len(spec.criteria.declared or "1")
            for spec in self.spec.evaluators
        )
