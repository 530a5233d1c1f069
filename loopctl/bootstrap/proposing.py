"""Use case: look at a repository and propose its configuration; nothing is changed."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.bootstrap.scratch import scratch_project
from loopctl.bootstrap.vendor_agents import VENDOR_AGENTS
from loopctl.domain.presets import Preset, choose_presets
from loopctl.domain.suggestions.choose import Proposal, propose
from loopctl.git.repository import DirtySummary, discover
from loopctl.workspace.survey import survey


@dataclass(frozen=True)
class Proposed:
    """A proposal with what else the file has to say.

    Attributes:
        top: root of the user's checkout.
        proposal: the suggestions.
        presets: those that apply.
        agents: how the agents that are installed are called; then those that are not.
        installed: how many of them are.
        dirty: work that a loop would not see, because it is not committed.
    """

    top: Path
    proposal: Proposal
    presets: tuple[Preset, ...]
    agents: tuple[str, ...]
    installed: int
    dirty: DirtySummary


def propose_configuration(folder: Path, environment: Mapping[str, str]) -> Proposed:
    """Propose a configuration for the repository around ``folder``.

    Raises:
        RepositoryError: there is no usable repository; the way out is said.
    """
    user = discover(folder)
    with scratch_project(user) as project:
        found = survey(user, project, environment)
    path = environment.get("PATH", "")
    installed = [call for name, call in VENDOR_AGENTS if shutil.which(name, path=path)]
    return Proposed(
        top=user.top_level,
        proposal=propose(found),
        presets=choose_presets(found.paths),
        agents=(*installed, *(call for _, call in VENDOR_AGENTS if call not in installed)),
        installed=len(installed),
        dirty=user.dirty_summary(),
    )
