"""A language model that says what a script tells it, behind the real protocols of the vendors.

It listens on the loopback interface and speaks Anthropic's messages, OpenAI's chat completions
and responses, and Google's generateContent, streaming and not, with each vendor's own way of
counting tokens. A turn of the script is an answer or a fault::

    turns = [
        Turn(calls=(Call("read_file", {"path": "a.py"}),)),
        Turn(fault=Fault("overloaded")),
        Turn(text="done", usage=Tokens(input=900, output=12, cache_read=100)),
    ]
    with ScriptedLlm(turns) as llm:
        environment = os.environ | llm.environment()  # addresses and made-up keys
        ...
        llm.check()  # raises when turns are left over, or when one was asked for too many
        assert llm.told["some-model"].output == 12

As a pytest fixture::

    @pytest.fixture
    def llm():
        with ScriptedLlm() as llm:
            yield llm
            llm.check()

A judge and a worker are served from lanes of their own, and a turn may be made of its request::

    ScriptedLlm(lanes=[Lane([lambda request: Turn(text=verdict_on(request.text))], model="judge"),
                       Lane([Turn(text="done")])])

Invariant: nothing is invented. A request that the script has no turn for is refused and noted,
and every token that a client is told of is counted in ``told``: no more of a broken stream than
what came before.

``python -m loopctl.testing.scripted_llm SCRIPT.json`` serves a script from a file (see
``script_file``) until SIGINT or SIGTERM; its first line of output is the address. ``GET /scripted``
says what was told, how many turns are left, and which problems there were. It exits with 1 when
turns are left over or one was asked for too many.
"""

from loopctl.testing.scripted_llm.fault import Fault
from loopctl.testing.scripted_llm.request import LlmRequest
from loopctl.testing.scripted_llm.script import Call, Lane, Turn
from loopctl.testing.scripted_llm.script_file import read_script
from loopctl.testing.scripted_llm.server import Report, ScriptedLlm, ScriptError
from loopctl.testing.scripted_llm.tokens import Tokens

__all__ = [
    "Call",
    "Fault",
    "Lane",
    "LlmRequest",
    "Report",
    "ScriptError",
    "ScriptedLlm",
    "Tokens",
    "Turn",
    "read_script",
]
