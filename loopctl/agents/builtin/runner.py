"""The built-in agent as loopctl's driver sees it.

Invariant: every request to a model is asked for at the meter of its session, so that its turns
carry no usage of their own.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic_ai.models import Model

from loopctl.agents.builtin.history import History
from loopctl.agents.builtin.loop_tools import hand_over_tool, loop_tools
from loopctl.agents.builtin.screen import Screen
from loopctl.agents.builtin.session import MOST_REQUESTS, BuiltinSession
from loopctl.agents.builtin.session_log import SessionLog
from loopctl.agents.builtin.shell import Shell
from loopctl.agents.builtin.transcript import Transcript
from loopctl.agents.builtin.workbench import Workbench
from loopctl.errors import LoopctlError
from loopctl.llm.client import connected
from loopctl.llm.model_name import KEY_VARIABLES, ModelName, parse_model
from loopctl.llm.patient_model import Patience, PatientModel
from loopctl.ports import Meter, SessionRequest
from loopctl.process.toolbox import Toolbox
from loopctl.prompts.builtin import instructions
from loopctl.tools.files.folder import Folder

_KEYS = frozenset(variable for variables in KEY_VARIABLES.values() for variable in variables)


class BuiltinAgent:
    """Implements ``ports.AgentRunner`` for ``PROVIDER:MODEL``.

    Args:
        argument: the model's name, as its provider calls it, with an address if it has its own.
        folder: where it was typed; the agent works in the workspace of its session instead.
        tools: what starts programs.
        provider: whose model it is.
        environment: loopctl's own variables, for keys and addresses of providers.
        is_tracked: not asked, no path is typed here.
        patience: how requests to the model are tried again.
        most_requests: to the model, in one turn.
    """

    reports_cost = True
    reports_tokens = True
    has_tools = True
    remembers = True
    is_metered = True
    is_confinable = True

    def __init__(
        self,
        *,
        argument: str,
        folder: Path,
        tools: Toolbox,
        provider: str,
        environment: Mapping[str, str],
        is_tracked: Callable[[str], bool] = lambda _: False,
        patience: Patience | None = None,
        most_requests: int = MOST_REQUESTS,
    ) -> None:
        del folder, is_tracked
        self._model = f"{provider}:{argument}"
        self._tools = tools
        self._environment = environment
        self._patience = patience
        self._most_requests = most_requests

    def check(self) -> None:
        """Make sure that the model's name can be read, and that there is a key for it.

        Raises:
            UsageError: one of them is wrong.
        """
        parse_model(self._model).key(self._environment)

    async def open_session(self, request: SessionRequest) -> BuiltinSession:
        """Begin a conversation, or go on with the one that is in the file of its history.

        Raises:
            UsageError: the model's name cannot be read, or there is no key for it.
            LoopctlError: there is no meter, or the conversation cannot be read.
        """
        meter = request.meter
        if meter is None:
            raise LoopctlError("the built-in agent sends no request that nobody counts")
        name = parse_model(request.model or self._model)
        name.key(self._environment)
        masker = self._tools.masker
        screen = Screen(request, masker)
        tools = Workbench(Folder(request.workspace), self._shell(request)).tools(screen)
        hand_over = ""
        if request.tools is not None:
            tools += loop_tools(request.role, request.tools, screen)
            hand_over = hand_over_tool(request.role)
        return BuiltinSession(
            request.session_id,
            lambda: self._connected(name, meter),
            tools=tools,
            instructions=instructions(hand_over),
            history=History(request.history, masker),
            transcript=Transcript(SessionLog(request.log, masker), screen, masker),
            most_requests=self._most_requests,
        )

    @asynccontextmanager
    async def _connected(self, name: ModelName, meter: Meter) -> AsyncIterator[Model]:
        async with connected(name, self._environment) as model:
            yield PatientModel(model, str(name), meter, self._patience)

    def _shell(self, request: SessionRequest) -> Shell:
        """A shell without the providers' keys: no command spends what nobody counts."""
        variables = {
            name: value for name, value in request.environment.items() if name not in _KEYS
        }
        output = request.log.with_suffix(".shell")
        return Shell(
            request.workspace, variables, self._tools, output, confinement=request.confinement
        )
