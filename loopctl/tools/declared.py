"""Every tool of loopctl's for models, and which roles see it.

The roles follow the loop: coders and auditors end their turns with ``loop_handoff``, the action
after completion with ``loop_complete``; auditors alone keep the findings and amend the plan. A
judge has none of them: its verdict is its answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from loopctl.domain.agent_session import Role
from loopctl.domain.handoff import AuditorHandoff, CoderHandoff, PostActionReport
from loopctl.tools.concern_payload import FlagConcern
from loopctl.tools.declaration import AnyPayload, ToolDeclaration
from loopctl.tools.plan_payloads import PlanAdjust, SectionRead
from loopctl.tools.review_payloads import ReviewDelete, ReviewRead, ReviewWrite


@dataclass(frozen=True)
class _Tool:
    name: str
    description: str
    payloads: Mapping[Role, type[AnyPayload]]


_WORKERS = (Role.CODER, Role.AUDITOR, Role.POST_ACTION)

_TOOLS = (
    _Tool(
        "loop_handoff",
        "End your turn by handing your work over. Call it once the work of this turn is finished, "
        "as the last thing that you do: without it your turn does not count as finished. A second "
        "call in the same turn replaces the first. It records what you say and starts nothing; "
        "what you say is a claim and never a verdict.",
        {Role.CODER: CoderHandoff, Role.AUDITOR: AuditorHandoff},
    ),
    _Tool(
        "loop_complete",
        "Report what the action after completion has come to. Call it once every step is finished, "
        "as the last thing that you do. A second call replaces the first.",
        {Role.POST_ACTION: PostActionReport},
    ),
    _Tool(
        "loop_flag_concern",
        "Say that the goal itself may be wrong: it contradicts the project, rests on something "
        "that does not exist, or cannot be reached. Not for difficulties of the work. It may stop "
        "the loop, so that a person can look.",
        dict.fromkeys((Role.CODER, Role.AUDITOR), FlagConcern),
    ),
    _Tool(
        "section_read",
        "Read the section of the plan that you work on, another one, or all that follow it.",
        dict.fromkeys(_WORKERS, SectionRead),
    ),
    _Tool(
        "review_read",
        "Read the findings of audits that are still open.",
        dict.fromkeys(_WORKERS, ReviewRead),
    ),
    _Tool(
        "review_write",
        "Record a finding. A finding at the same file and line is replaced.",
        {Role.AUDITOR: ReviewWrite},
    ),
    _Tool(
        "review_delete",
        "Remove a finding that you have seen to be resolved.",
        {Role.AUDITOR: ReviewDelete},
    ),
    _Tool(
        "plan_adjust",
        "Amend the plan: the section under audit in place, the sections that follow it as a whole, "
        "or both. Sections that are finished cannot be changed. Never weaken what is to be "
        "verified in order to get a clean audit.",
        {Role.AUDITOR: PlanAdjust},
    ),
)

ALL_NAMES = frozenset(tool.name for tool in _TOOLS)


@cache
def declared_for(role: Role) -> tuple[ToolDeclaration, ...]:
    """The tools that a role sees."""
    return tuple(
        ToolDeclaration(tool.name, tool.description, tool.payloads[role])
        for tool in _TOOLS
        if role in tool.payloads
    )
