"""A world that does to a loop whatever may be done, at any step, and checks every decision."""

import re
from dataclasses import replace
from typing import ClassVar

import arbitrary
import pytest
from hypothesis import event as note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from meddlers import Meddlers
from model import Model

from loopctl.domain import effects as orders
from loopctl.domain import events, machine
from loopctl.domain.hardening import Hardening
from loopctl.domain.loop import Clock, LoopState, begin
from loopctl.domain.records import CapChanged, EventRefused, InvalidReport, TransitionRecorded
from loopctl.domain.snapshot import Published
from loopctl.errors import IllegalEventError

NO_ANSWER = (orders.AbortTurn, orders.Abandon)
ANSWERS = {
    orders.PrepareWorkspace: (events.WorkspaceReady, events.WorkspaceLost),
    orders.AdmitRound: (events.RoundAdmitted, events.RoundRefused),
    orders.OpenSession: (events.SessionOpened, events.SessionFailed),
    orders.BuildPrompt: (events.PromptBuilt,),
    orders.SendPrompt: (events.TurnEnded, events.TimerFired),
    orders.AwaitIdle: (events.SessionsIdle, events.TimerFired),
    orders.Settle: (events.Settled,),
    orders.TakeSnapshot: (events.SnapshotTaken,),
    orders.RecallVerdicts: (events.VerdictsRecalled, events.EvaluatorFinished),
    orders.Evaluate: (events.EvaluatorFinished, events.VerdictsRecalled),
    orders.PublishWork: (events.WorkPublished,),
    orders.ReleaseWorkspace: (events.WorkPublished,),
    type(None): (events.TimerFired,),
}


def check_decision(before, event, decision):
    """What holds of every decision, whatever it decides."""
    after = decision.state
    again = machine.decide(before, event)
    assert (again.state, again.records, again.effects, again.replies) == (
        after,
        decision.records,
        decision.effects,
        decision.replies,
    ), "the same input gave another output"
    stored = LoopState.model_validate_json(
        after.model_dump_json(exclude={"spec"}).removesuffix("}")
        + f',"spec":{after.spec.model_dump_json()}}}'
    )
    assert stored == after, "the state does not survive being stored"
    rows = [row for row in decision.records if isinstance(row, TransitionRecorded)]
    moved = (before.phase, before.status) != (after.phase, after.status)
    assert len(rows) == moved, "a transition without its row, or a row without a transition"
    check_step(before, event, decision)


def check_step(before, event, decision):
    """The decision leads only where the table says."""
    if any(isinstance(row, EventRefused) for row in decision.records):
        assert but_time(decision.state) == but_time(before), "a refused event changed something"
        assert not decision.effects
        return
    found = (
        machine._ANYWHERE.get(type(event))
        or (machine.TABLE[before.phase][before.step][type(event)])
    )
    after = decision.state
    place = "over" if after.is_over else after.step
    same = "same" in found.leads_to and after.step == before.step
    assert same or place in found.leads_to, f"{before.step} -> {place} is not in the table"


def but_time(state):
    """All of the state but the clock and the time counted."""
    spent = state.spent.evolve(worked_s=0.0, waited_s=0.0)
    return state.evolve(clock=Clock(), spent=spent)


class LoopMachine(Meddlers, RuleBasedStateMachine):
    """Plays the driver, the user and the world of one loop.

    ``temper`` fixes parts of the world and of the spec.
    """

    temper: ClassVar = {}

    @initialize(spec=arbitrary.specs(), world=arbitrary.worlds)
    def begin(self, spec, world):
        of_world = {name: self.temper[name] for name in self.temper.keys() & vars(world).keys()}
        of_spec = {name: self.temper[name] for name in self.temper.keys() - vars(world).keys()}
        self.world, spec = replace(world, **of_world), spec.evolve(**of_spec)
        self.model = Model(spec)
        self.state = self.replayed = begin(spec)
        self.asked, self.timer, self.past = None, None, []
        self.now, self.serial, self.known = 0.0, 0, {}
        self.feed(events.LoopStarted())

    def feed(self, event, passed_s=0.0):
        self.now += passed_s
        event = event.evolve(at=1e9 + self.now, mono=self.now)
        before = self.state
        refused = self.model.refuses(event)
        self.model.purse.begin()
        decision = machine.decide(before, event)
        check_decision(before, event, decision)
        assert refused == any(isinstance(row, EventRefused) for row in decision.records)
        self.state = decision.state
        logged = events.EVENT.validate_json(event.logged().model_dump_json())
        self.replayed = machine.decide(self.replayed, logged).state
        assert self.replayed == self.state, "the log does not give the state"
        self.model.passed(event)
        self.model.answered(event, decision, refused=refused)
        if not refused:
            self.book(before, event, decision)
        self.model.check(self.state, decision)

    def book(self, before, event, decision):
        """Let the model see the event, its orders and its rows."""
        if isinstance(event, events.Answer):
            self.past.append(event)
        self.model.happened(event)
        if self.state.order != before.order:
            self.asked = self.timer = None
        for record in decision.records:
            self.model.wrote(record, self.state, event)
            if isinstance(record, InvalidReport | CapChanged):
                note(record.kind)
        given = [e for e in decision.effects if not isinstance(e, (*NO_ANSWER, orders.StartTimer))]
        assert len(given) <= 1, "two orders at once"
        for effect in decision.effects:
            if isinstance(effect, orders.StartTimer):
                assert effect.order == self.state.order
                self.timer = effect
            self.model.ordered(effect, event)
        for effect in given:
            assert effect.order == self.state.order
            self.asked = effect
        if isinstance(event, events.SnapshotTaken):
            self.model.handovers.saved()
        if self.state.is_over and self.state.stop is not None:
            note(self.state.stop.kind)

    def answer(self, kind, passed_s=0.0, **fields):
        self.feed(kind(order=self.state.order, **fields), passed_s)

    # the world answers

    @precondition(lambda self: not self.state.is_over)
    @rule(data=st.data(), count=st.integers(1, 30))
    def go_on(self, data, count):
        for _ in range(count):
            if self.state.is_over:
                return
            what = data.draw(st.sampled_from(self.world.fortunes))
            getattr(self, what)(data.draw)

    def answer_order(self, draw):
        if self.asked is None:
            draw(st.sampled_from([self.time_is_up, self.time_is_up, self.retry]))(draw)
            return
        name = re.sub(r"\B([A-Z])", r"_\1", type(self.asked).__name__).lower()
        getattr(self, name)(draw)

    def time_is_up(self, draw):
        if self.timer is None:
            self.answer_order(draw)
            return
        timer, self.timer = self.timer, None
        self.answer(events.TimerFired, draw(passing), timer=timer.timer)

    def effect_fails(self, draw):
        if self.asked is None:
            self.time_is_up(draw)
        else:
            self.answer(events.EffectFailed, effect="it", detail="disk full")

    def cancel(self, draw):
        by = draw(st.sampled_from(["user", "SIGTERM"]))
        self.feed(events.CancelRequested(by=by, command_id="k"))

    def crash(self, draw):
        self.feed(draw(arbitrary.restarts), 1.0)

    def prepare_workspace(self, draw):
        if draw(st.integers(0, 20)) == 20:
            self.answer(events.WorkspaceLost, detail="gone")
        else:
            self.answer(events.WorkspaceReady, path="/w", branch_tip="c0", origin="adopted")

    def admit_round(self, draw):
        if draw(st.integers(0, 20)) == 20:
            self.answer(events.RoundRefused, scope="usd", observed=2.0, maximum=1.0)
        else:
            self.answer(events.RoundAdmitted, reservation=draw(arbitrary.reservations))

    def open_session(self, draw):
        if draw(st.integers(0, 9)) == 9:
            self.answer(events.SessionFailed, problem="no such program")
        else:
            names = ("has_tools", "remembers", "is_metered")
            abilities = dict(zip(names, self.world.abilities, strict=True))
            self.answer(events.SessionOpened, session_id=self.next("s"), **abilities)

    def build_prompt(self, draw):
        nudge = self.asked.nudge > 0 and not self.asked.whole
        self.answer(events.PromptBuilt, prompt=self.next("prompt"), digest="d", nudge=nudge)

    def send_prompt(self, draw):
        sent = self.asked
        self.do(draw)
        if self.asked is not sent:
            return
        result = draw(arbitrary.turn_results(self.world.outcomes))
        self.answer(events.TurnEnded, draw(passing), result=result)

    def await_idle(self, draw):
        self.answer(events.SessionsIdle)

    def settle(self, draw):
        self.answer(events.Settled, survivors=draw(arbitrary.survivors))

    def take_snapshot(self, draw):
        taken = arbitrary.snapshots(self.asked.round, self.next("c"), self.world)
        self.answer(events.SnapshotTaken, snapshot=draw(taken))

    def recall_verdicts(self, draw):
        keys = [(self.asked.tree, spec.name) for spec in self.asked.evaluators]
        known = tuple(self.known[key] for key in keys if key in self.known)
        self.answer(events.VerdictsRecalled, reports=known)

    def evaluate(self, draw):
        if not self.asked.evaluator.is_deterministic:
            self.do(draw)
        if not isinstance(self.asked, orders.Evaluate):
            return
        report = draw(arbitrary.reports(self.asked.evaluator, self.asked.tree, self.world.moods))
        report = report.evolve(provisional=report.provisional and not self.asked.fresh)
        trial = self.asked.round == 0 and self.asked.hardening is not Hardening.NONE
        if report.verdict in {"PASS", "FAIL"} and not trial and not report.moved:
            self.known[report.tree, report.evaluator] = report
        self.answer(events.EvaluatorFinished, draw(passing), report=report)

    def publish_work(self, draw):
        self.answer(events.WorkPublished, published=Published(commit=self.next("c")))

    def release_workspace(self, draw):
        self.answer(events.WorkPublished, published=Published(commit=""))

    def do(self, draw):
        for deed in draw(st.sampled_from(self.world.deeds)):
            getattr(self, deed)(draw)

    def next(self, prefix):
        self.serial += 1
        return f"{prefix}{self.serial}"

    # users and ghosts

    @precondition(lambda self: self.state.is_over)
    @rule(data=st.data())
    def restart_or_cancel_after_the_end(self, data):
        what = data.draw(st.sampled_from([self.crash, self.crash, self.crash, self.cancel]))
        what(data.draw)

    @precondition(lambda self: self.past)
    @rule(data=st.data())
    def stale_answer(self, data):
        old = data.draw(st.sampled_from(self.past[-10:]))
        if old.order == self.state.order and not self.state.is_over:
            return
        before = self.state
        decision = machine.decide(before, old)
        assert decision.state == before, "a stale answer changed something"
        assert [type(row) for row in decision.records] == [EventRefused]
        assert not decision.effects

    @precondition(lambda self: not self.state.is_over)
    @rule(data=st.data())
    def illegal_event(self, data):
        legal = (*ANSWERS[type(self.asked)], events.EffectFailed)
        samples = [one for one in self.past if not isinstance(one, legal)]
        event = data.draw(st.sampled_from([events.LoopStarted(), *samples[-10:]]))
        if isinstance(event, events.Answer):
            event = event.evolve(order=self.state.order)
        before = self.state.model_dump_json()
        with pytest.raises(IllegalEventError) as caught:
            machine.decide(self.state, event)
        assert (caught.value.phase, caught.value.step) == (self.state.phase, self.state.step)
        assert self.state.model_dump_json() == before


passing = st.sampled_from([0.0, 1.0, 15.0])
