"""One judgement: a question, the answer, the ruling on it, and what stands behind them.

Invariant: without an answer of the right form every criterion is ERROR; and nothing that was
started for a hearing goes on after it.
"""

import asyncio
import hashlib
import secrets
from collections.abc import Coroutine
from typing import Any

from loopctl.domain.agent_session import Role
from loopctl.domain.criteria import EvaluatorReport, Judgement
from loopctl.domain.evaluator_spec import Rubric
from loopctl.errors import LoopctlError, SpendRefusedError
from loopctl.evaluators.evidence import one_line
from loopctl.evaluators.llm_judge.citations import CitedFiles
from loopctl.evaluators.llm_judge.conversation import VERDICTS, Conversation
from loopctl.evaluators.llm_judge.judge_log import JudgeLog
from loopctl.evaluators.llm_judge.reader import Reader
from loopctl.evaluators.llm_judge.ruling import Ruling, rule
from loopctl.evaluators.llm_judge.verdicts import Verdicts
from loopctl.evaluators.shell_report import unjudged_report
from loopctl.llm.client import connected
from loopctl.llm.faults import FaultKind, ModelFaultError
from loopctl.llm.model_name import parse_model
from loopctl.llm.patient_model import Patience, PatientModel
from loopctl.ports import Activity, EvaluationRequest, JudgeSession
from loopctl.process.toolbox import Toolbox
from loopctl.prompts.judge import judge_message, system_prompt
from loopctl.tools.files.folder import Folder

ANSWER_CHARACTERS = 16_000
MARKER_BYTES = 8


class GivenUpError(LoopctlError):
    """The loop does not want the report any more."""


class Hearing:
    """One judgement.

    Args:
        request: what was asked for.
        judge: what the judge works with.
        rubric: the criteria.
        tools: what starts the program that searches, and what masks.
        patience: how a request is tried again.
    """

    def __init__(
        self,
        request: EvaluationRequest,
        judge: JudgeSession,
        rubric: Rubric,
        tools: Toolbox,
        patience: Patience | None,
    ) -> None:
        marker = secrets.token_hex(MARKER_BYTES)  # nobody who wrote the work could know it
        folder = Folder(request.checkout.folder)
        self._request, self._judge, self._rubric = request, judge, rubric
        self._patience = patience
        self._mask = tools.masker.mask
        self._log = JudgeLog(request.log, self._mask)
        self._files = CitedFiles(folder)
        self._reader = Reader(folder, tools, marker, self._looked)
        self._system = system_prompt(marker, VERDICTS)
        self._message = judge_message(rubric, judge.facts, marker)
        self._conversation: Conversation | None = None
        self._tokens = 0

    async def report(self) -> EvaluatorReport:
        """The report, whatever happens."""
        try:
            return self._judged(await self._in_time(self._hear()))
        except TimeoutError:
            problem = f"the judge was not done after {self._request.timeout_s:.0f} s"
            return self._unjudged(problem).evolve(exit="timed out")
        except GivenUpError as error:
            return self._unjudged(error.message).evolve(exit=error.message)
        except ModelFaultError as error:
            limited = error.kind is FaultKind.LIMIT
            return self._unjudged(
                error.message,
                limited=limited,
                limit_resets_in_s=error.retry_after_s if limited else None,
                # a conversation that became too long can be a shorter one of the same model
                model_failed=error.kind in {FaultKind.MODEL, FaultKind.TRANSIENT},
            )
        except LoopctlError as error:
            words = ": ".join(filter(None, (error.message, error.why)))
            return self._unjudged(words, refused=isinstance(error, SpendRefusedError))

    async def _hear(self) -> Ruling:
        self._log.write(f"session {self._judge.session_id}, model {self._judge.model}")
        self._log.write("system prompt", self._system)
        self._log.write("message", self._message)
        judge = self._judge
        async with connected(parse_model(judge.model), judge.environment) as model:
            patient = PatientModel(model, judge.model, judge.meter, self._patience)
            self._conversation = Conversation(
                patient, self._system, self._reader, self._faults, self._heard
            )
            answer = await self._conversation.ask(self._message)
        return await self._rule(answer)

    async def _rule(self, answer: Verdicts) -> Ruling:
        return await asyncio.to_thread(
            rule, self._rubric, answer, self._files, self._reader.searches
        )

    async def _faults(self, answer: Verdicts) -> tuple[str, ...]:
        return (await self._rule(answer)).faults

    async def _in_time(self, work: Coroutine[Any, Any, Ruling]) -> Ruling:
        """Do the work, unless its time is up or the loop gives up before it is done.

        Raises:
            GivenUpError: the loop did.
            TimeoutError: its time is up.
        """
        hearing = asyncio.create_task(work)
        stop = asyncio.create_task(self._request.stop.wait())
        try:
            async with asyncio.timeout(self._request.timeout_s):
                await asyncio.wait((hearing, stop), return_when=asyncio.FIRST_COMPLETED)
                if not hearing.done():
                    raise GivenUpError("given up")
                return await hearing
        finally:
            for task in (hearing, stop):
                task.cancel()
            await asyncio.gather(hearing, stop, return_exceptions=True)

    def _judged(self, ruling: Ruling) -> EvaluatorReport:
        report = unjudged_report(self._request)
        unknown = ", ".join(ruling.unknown)
        strangers = (f"the judge spoke of criteria that there are not: {unknown}",) * bool(unknown)
        criteria = tuple(
            entry.evolve(evidence=tuple(map(self._line, entry.evidence)))
            for entry in ruling.criteria
        )
        return report.evolve(
            criteria=criteria,
            exit="answered",
            warnings=(*map(self._line, strangers), *self._shortcomings()),
            judged=self._judgement(),
        )

    def _unjudged(self, problem: str, **what: object) -> EvaluatorReport:
        """The report of a hearing without an answer; ``what`` are fields of its judgement."""
        self._log.write("not judged", problem)
        report = unjudged_report(self._request, self._line(problem))
        judged = self._judgement().evolve(**what)
        return report.evolve(warnings=self._shortcomings(), judged=judged)

    def _judgement(self) -> Judgement:
        prompt = f"{self._system}\n{self._message}".encode(errors="surrogatepass")
        answer = "" if self._conversation is None else self._mask(self._conversation.answer)
        more = len(answer) - ANSWER_CHARACTERS
        return Judgement(
            session_id=self._judge.session_id,
            model=self._judge.model,
            prompt_digest=hashlib.sha256(prompt).hexdigest(),
            answer=answer if more <= 0 else f"{answer[:ANSWER_CHARACTERS]}[{more} more]",
        )

    def _shortcomings(self) -> tuple[str, ...]:
        return (self._log.problem,) if self._log.problem else ()

    def _looked(self, call: str, size: int) -> None:
        self._log.write(f"{call} ({size} characters)")
        activity = Activity(self._judge.round, Role.JUDGE, self._line(call), self._tokens)
        self._judge.activity(activity)

    def _heard(self, answer: str, tokens: int) -> None:
        self._log.write(f"the judge, after {tokens} tokens", answer)
        self._tokens = tokens

    def _line(self, text: str) -> str:
        """A line for people: masked first, because half a secret is not recognised."""
        return one_line(self._mask(text))
