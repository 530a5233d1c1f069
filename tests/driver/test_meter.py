"""The meter between a session and the loop."""

import asyncio

from loopctl.domain.agent_session import Role
from loopctl.domain.decision import Reply
from loopctl.domain.pricing import Rate
from loopctl.domain.usage import Usage
from loopctl.driver.meter import SessionMeter

USED = Usage(model="openai:m", input_tokens=100, output_tokens=10)


class Broken:
    """A table of prices that knows a model until it is asked what was used."""

    def rate(self, model):
        return Rate(input=1.0, output=1.0)

    def price(self, usage):
        raise KeyError("no such tier")


def test_what_was_used_counts_when_its_cost_cannot_be_told():
    posted = []

    async def granted(event):
        return Reply(event.request)

    async def play():
        meter = SessionMeter("s", Role.CODER, Broken(), granted, posted.append)
        await meter.settle(await meter.reserve("openai:m", 100, 10), USED)
        await meter.lose(await meter.reserve("openai:m", 100, 10), USED)

    asyncio.run(play())
    assert [(event.usage, event.unseen) for event in posted] == [((USED,), False), ((USED,), True)]
