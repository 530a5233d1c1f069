"""What one fact says to people: a sentence for each kind of event and logged record.

One function for each kind, found by its type, because a single match over all of them would be
too long to read. A kind without a sentence raises ``NotImplementedError``; a test asks for all.
"""

from functools import singledispatch

from loopctl.domain import events, records
from loopctl.domain.agent_session import Survivor
from loopctl.domain.criteria import EvaluatorReport, Verdict
from loopctl.domain.hardening import Hardening
from loopctl.domain.snapshot import PathChange
from loopctl.domain.supplies import lacks
from loopctl.observe.alert_lines import alert_parts
from loopctl.observe.fact import Fact
from loopctl.observe.plain import (
    count,
    dollars,
    duration,
    listing,
    one_line,
    short,
    wall_clock,
)
from loopctl.observe.signs_text import signs_text
from loopctl.observe.stage_text import STAGES
from loopctl.observe.stop_text import CAP_NOUNS, cap_amount, stop_sentence
from loopctl.observe.used_text import used_text

_OUTCOMES = {
    "finished": "the agent finished",
    "failed": "the agent failed",
    "not_started": "the agent could not be started",
    "timed_out": "the agent was ended: its time was up",
    "aborted": "the agent was ended",
    "limited": "the provider refuses work for now",
    "unavailable": "the model could not be used",
    "capped": "a request was not granted",
    "interrupted": "the turn was interrupted",
}


@singledispatch
def sentence(fact: Fact) -> str:
    """The sentence for ``fact``: one line, safe to print."""
    raise NotImplementedError(type(fact).__name__)


@sentence.register
def _(_fact: events.LoopStarted) -> str:
    return "the loop starts"


@sentence.register
def _(fact: events.LoopRestarted) -> str:
    return f"restarted by {one_line(fact.by)}"


@sentence.register
def _(fact: events.CancelRequested) -> str:
    return f"cancellation asked for by {one_line(fact.by)}"


@sentence.register
def _(fact: events.RetryRequested) -> str:
    return f"{one_line(fact.by)} does not want to wait any longer"


@sentence.register
def _(fact: events.HandoffCalled) -> str:
    first, *others = fact.payload.claim.splitlines() or [""]
    more = f" and {count(len(others), 'line')} more" if others else ""
    return f"handed over by {fact.tool}: {one_line(first)}{more}"


@sentence.register
def _(fact: events.ConcernFlagged) -> str:
    return f"the agent doubts the goal ({fact.severity}): {one_line(fact.concern)}"


@sentence.register
def _(fact: events.SpendRequested) -> str:
    expected = used_text((fact.estimate.as_usage(),))
    return f"the {fact.role} asks {one_line(fact.model)}: {expected} expected"


@sentence.register
def _(fact: events.SpendSettled) -> str:
    if fact.unseen:
        return "a request has ended, and its end was not seen"
    return f"a request has ended: {used_text(fact.usage) if fact.usage else 'nothing was used'}"


@sentence.register
def _(fact: events.WorkspaceReady) -> str:
    where = f"worktree {fact.origin.replace('-', ' ')}: {one_line(fact.path)}"
    return "; ".join((where, *map(one_line, fact.notes)))


@sentence.register
def _(fact: events.WorkspaceLost) -> str:
    return f"the worktree is lost: {one_line(fact.detail)}"


@sentence.register
def _(fact: events.RoundAdmitted) -> str:
    reserved = fact.reservation
    if reserved.micro_usd or reserved.tokens:
        return f"admitted for {dollars(reserved.micro_usd)}, {count(reserved.tokens, 'token')}"
    return "admitted"


@sentence.register
def _(fact: events.RoundRefused) -> str:
    observed, maximum = (cap_amount(fact.scope, figure) for figure in (fact.observed, fact.maximum))
    return f"not admitted: {observed} expected, {maximum} allowed"


@sentence.register
def _(fact: events.SessionOpened) -> str:
    return f"agent session {one_line(fact.session_id)} opened"


@sentence.register
def _(fact: events.SessionFailed) -> str:
    return f"no agent session could be opened: {one_line(fact.problem)}"


@sentence.register
def _(fact: events.PromptBuilt) -> str:
    return f"{'nudge' if fact.nudge else 'prompt'} {short(fact.digest)} stored and sent"


@sentence.register
def _(fact: events.TurnEnded) -> str:
    result = fact.result
    figures = [one_line(result.exit)] if result.exit else []
    text = f"{_OUTCOMES[result.outcome]} ({', '.join([*figures, duration(result.duration_s)])})"
    if result.problem:
        text += f": {one_line(result.problem)}"
    if result.survivors:
        text += f"; ended what it had left running: {_processes(result.survivors)}"
    if result.busy:
        text += f"; still at work: {listing(result.busy)}"
    return text


@sentence.register
def _(_fact: events.SessionsIdle) -> str:
    return "the other agent sessions have come to rest"


@sentence.register
def _(fact: events.Settled) -> str:
    if fact.survivors:
        return f"ended what the turn had left running: {_processes(fact.survivors)}"
    return "no process of the turn is left"


@sentence.register
def _(fact: events.SnapshotTaken) -> str:
    snapshot = fact.snapshot
    parts = [
        f"{count(snapshot.changed, 'file')} changed" if snapshot.changed else "nothing changed"
    ]
    if snapshot.restored:
        parts.append(
            f"{count(len(snapshot.restored), 'protected path')} restored: "
            f"{listing(_paths(snapshot.restored))}"
        )
    if snapshot.left_out:
        left_out = [f"{left.path} ({left.reason})" for left in snapshot.left_out]
        parts.append(f"{count(len(left_out), 'path')} left out: {listing(left_out)}")
    if snapshot.signs:
        parts.append(signs_text(snapshot.signs))
    if snapshot.late:
        late = listing(snapshot.late)
        parts.append(f"{count(len(snapshot.late), 'path')} written to after the turn: {late}")
    parts += map(one_line, snapshot.notes)
    return ", ".join([*parts, *alert_parts(snapshot.alerts)])


@sentence.register
def _(fact: events.VerdictsRecalled) -> str:
    if not fact.reports:
        return "no earlier round has judged this tree"
    return "this tree was judged before: " + "; ".join(map(report_line, fact.reports))


@sentence.register
def _(fact: events.EvaluatorFinished) -> str:
    return report_line(fact.report)


@sentence.register
def _(fact: events.WorkPublished) -> str:
    published = fact.published
    where = f"commit {short(published.commit)} is on the branch" if published.commit else ""
    return "; ".join(filter(None, (where, one_line(published.note)))) or "the worktree is removed"


@sentence.register
def _(fact: events.TimerFired) -> str:
    return f"time is up: {one_line(fact.timer)}"


@sentence.register
def _(fact: events.EffectFailed) -> str:
    return f"{one_line(fact.effect)} failed: {one_line(fact.detail)}"


@sentence.register
def _(fact: records.RoundClosed) -> str:
    if not fact.judged:
        return f"{fact.verdict}: nothing was judged"
    text = f"{fact.verdict}: {fact.passed} of {fact.judged} criteria passed"
    if fact.tests_total is None:
        return text
    return f"{text}, {fact.tests_passed}/{fact.tests_total} tests"


@sentence.register
def _(fact: records.CheckoutLacks) -> str:
    return f"{one_line(lacks(fact.folders))}; {one_line(fact.supply)} supplies them"


@sentence.register
def _(fact: records.HardeningTried) -> str:
    name = one_line(fact.evaluator)
    if fact.kept:
        return f"{name} runs hardened from now on ({fact.hardening}): its results are the same"
    return f"{name} is not hardened like this ({fact.hardening}): its results would change"


@sentence.register
def _(fact: records.BaselineNotice) -> str:
    return f"{one_line(fact.evaluator)}: {one_line(fact.problem)}; {one_line(fact.advice)}"


@sentence.register
def _(fact: records.InvalidReport) -> str:
    refused = "; ".join(map(one_line, fact.refused))
    return f"invalid report of {one_line(fact.evaluator)}: {refused}"


@sentence.register
def _(fact: records.EventRefused) -> str:
    return f"{fact.event} was refused: {one_line(fact.why)}"


@sentence.register
def _(fact: records.CapChanged) -> str:
    old, new = ("none" if figure is None else f"{figure:g}" for figure in (fact.old, fact.new))
    return f"cap {fact.cap} changed from {old} to {new} by {one_line(fact.by)}"


@sentence.register
def _(fact: records.CapApproached) -> str:
    observed, maximum = (cap_amount(fact.scope, figure) for figure in (fact.observed, fact.maximum))
    return f"{fact.percent} % of {CAP_NOUNS[fact.scope]} is used: {observed} of {maximum}"


@sentence.register
def _(fact: records.HandoffResolved) -> str:
    why = f": {one_line(fact.why)}" if fact.why else ""
    return f"the handoff of the {fact.role} was {fact.status}{why}"


@sentence.register
def _(fact: records.HandoffNudged) -> str:
    return f"no handoff: the agent is asked for it ({fact.number} of {fact.maximum})"


@sentence.register
def _(fact: records.ConcernRecorded) -> str:
    who = "the agent" if fact.source == "agent" else "loopctl"
    return f"concern of {who} ({fact.severity}, {fact.policy}): {one_line(fact.concern)}"


@sentence.register
def _(fact: records.ModelFailed) -> str:
    following = f"{one_line(fact.following)} is used instead" if fact.following else "no other left"
    problem = one_line(fact.problem).removeprefix(f"{one_line(fact.model)}: ")
    problem = f": {problem}" if problem else ""
    return f"the {fact.role}'s model {one_line(fact.model)} cannot be used{problem}; {following}"


@sentence.register
def _(fact: records.SpendUnseen) -> str:
    counted = used_text(fact.usage)
    return f"the end of a request was not seen: it counts as {counted}, flagged unknown"


@sentence.register
def _(_fact: records.TurnInterrupted) -> str:
    return "the turn was interrupted by the end of its driver; what it cost is unknown"


@sentence.register
def _(fact: records.LimitWait) -> str:
    return f"waiting for the provider until {wall_clock(fact.until)}: {one_line(fact.problem)}"


@sentence.register
def _(fact: records.LoopEnded) -> str:
    return f"{fact.status}: {stop_sentence(fact.stop)} (exit code {fact.exit_code})"


def report_line(report: EvaluatorReport) -> str:
    """What one evaluator said: verdict, exit state, duration and what was judged."""
    text = f"{report.verdict} {one_line(report.evaluator)}{STAGES[report.stage]}"
    text += "" if report.judged is None else f" ({one_line(report.judged.model)})"
    text += "" if report.hardening is Hardening.NONE else " (hardened)"
    if report.reused_from is not None:
        text += f" (as in round {report.reused_from})"
    elif report.exit:
        text += f": {one_line(report.exit)} after {duration(report.duration_s)}"
        text += f", {report.suite}" if report.suite is not None else ""
        text += _objection(report)
    elif report.verdict is Verdict.ERROR:
        return f"{text}: {_headline(report) or 'it does not say why'}"
    names = [criterion.name for criterion in report.criteria]
    failing = [entry.name for entry in report.criteria if entry.verdict is not Verdict.PASS]
    if failing and len(failing) < len(names):
        return f"{text}: {len(failing)} of {len(names)} criteria fail: {listing(failing)}"
    return f"{text}: {listing(names)}" if names else text


def _headline(report: EvaluatorReport) -> str:
    """The first line of its evidence."""
    lines = (line for criterion in report.criteria for line in criterion.headline)
    return one_line(next(filter(None, lines), ""))


def _objection(report: EvaluatorReport) -> str:
    """Why an exit status of 0 is no PASS, which the headline of the evidence says."""
    if report.verdict == "PASS" or report.exit != "exit 0":
        return ""
    headlines = (line for criterion in report.criteria for line in criterion.headline)
    found = (one_line(line).partition(", but ")[2] for line in headlines)
    reason = next(filter(None, found), "").rpartition(": ")[0]
    return f", but {reason}" if reason else ""


def _processes(survivors: tuple[Survivor, ...]) -> str:
    return listing(
        [
            f"{each.command} ({', '.join(filter(None, (str(each.pid), each.found)))})"
            for each in survivors
        ]
    )


def _paths(changes: tuple[PathChange, ...]) -> list[str]:
    return [change.path for change in changes]
