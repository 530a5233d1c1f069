"""What sessions and users do beside the answers to orders, rightly and wrongly, at any moment."""

import arbitrary
from hypothesis import strategies as st

from loopctl.domain import events
from loopctl.domain.agent_session import Role


class Meddlers:
    """The deeds of sessions; ``self`` is the state machine."""

    def session_id(self, draw):
        """The session at work, more often than not."""
        current = self.state.round.session_id if self.state.round is not None else "s1"
        return draw(st.sampled_from([current] * 8 + ["s-other"]))

    def hand_over(self, draw):
        tools = ["loop_handoff"] * 8 + ["loop_complete"]
        self.feed(
            events.HandoffCalled(
                call=self.next("call"),
                session_id=self.session_id(draw),
                tool=draw(st.sampled_from(tools)),
                payload=draw(arbitrary.payloads),
                busy=draw(st.sampled_from([()] * 8 + [("s9",), None])),
            )
        )

    def flag(self, draw):
        self.feed(
            events.ConcernFlagged(
                call=self.next("call"),
                session_id=self.session_id(draw),
                concern=draw(arbitrary.concerns),
                severity=draw(arbitrary.severities),
            )
        )

    def request(self, draw):
        judging = self.state.step == "evaluate"
        roles = [Role.JUDGE if judging else Role.CODER] * 4 + [Role.CODER, Role.JUDGE]
        known = list(self.model.purse.open)[:1]
        self.feed(
            events.SpendRequested(
                request=draw(st.sampled_from([self.next("r")] * 5 + known)),
                session_id=self.session_id(draw),
                role=draw(st.sampled_from(roles)),
                model="m",
                estimate=draw(arbitrary.reservations),
            )
        )

    def end_request(self, draw):
        known = list(self.model.purse.open)
        self.feed(
            events.SpendSettled(
                request=draw(st.sampled_from([*known * 3, "r1"])),
                usage=draw(st.lists(arbitrary.usages, max_size=2).map(tuple)),
                unseen=draw(st.booleans()),
            )
        )

    def retry(self, draw):
        self.feed(events.RetryRequested(command_id=draw(st.sampled_from(["", "k"]))))
