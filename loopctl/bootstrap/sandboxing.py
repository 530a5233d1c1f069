"""The sandbox of a loop's agent: checked before anything is done, built for a driver.

Invariant: a loop that was started with a sandbox goes on with one, or does not go on.
"""

import os
from collections.abc import Mapping
from pathlib import Path

import loopctl
from loopctl.bootstrap.containing import held_out_folders
from loopctl.domain.confinement import DEFAULT_LIMITS, SandboxSettings
from loopctl.domain.loop import LoopSpec
from loopctl.errors import UsageError
from loopctl.git.object_folders import object_folders
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.ports import Abilities, AgentRunner
from loopctl.process.sandbox.owner import UNPRIVILEGED
from loopctl.process.toolbox import Toolbox
from loopctl.workspace.agent_commits import AgentCommits
from loopctl.workspace.agent_home import AgentHome
from loopctl.workspace.agent_view import AgentFolders, AgentView
from loopctl.workspace.loop_sandbox import LoopSandbox
from loopctl.workspace.toolchain_roots import ToolchainRoots, outermost
from loopctl.workspace.vendor_needs import needs_of

_FOLDER = "agent"
_NO_HOME = Path("/home/agent")


def check_sandbox(settings: SandboxSettings, agent: AgentRunner, tools: Toolbox) -> None:
    """See that the agent can be kept in a sandbox, and that one can be made here.

    Raises:
        UsageError: it cannot.
    """
    if settings.backend is None:
        return
    if not Abilities.of(agent).is_confinable:
        raise UsageError(
            "this agent cannot be kept in a sandbox",
            why="its plug-in does not say that it confines what it starts (is_confinable)",
            next_step="use --sandbox off, or another --agent",
        )
    tools.sandbox.check()


def loop_sandbox(
    spec: LoopSpec,
    user: UserRepository,
    project: ProjectRepository,
    agent: AgentRunner,
    *,
    tools: Toolbox,
    environment: Mapping[str, str],
    folder: Path,
    worktree: Path,
) -> LoopSandbox | None:
    """The sandbox of a loop whose own folder is ``folder``; ``None`` when it has none.

    Args:
        spec: the loop.
        user: the user's repository.
        project: loopctl's own one.
        agent: who works in it.
        tools: what starts programs.
        environment: the agent's variables, as they would be without a sandbox.
        folder: the loop's own.
        worktree: where the agent works.
    """
    settings = spec.sandbox
    if settings.backend is None:
        return None
    words: tuple[str, ...] = getattr(agent, "words", ())
    folders = AgentFolders(folder / _FOLDER)
    home = _home(environment)
    vendors = needs_of(words)
    own = AgentHome(folders.home, home, environment, vendors)
    kept = (folder.parent.parent, user.common_dir, *held_out_folders(spec))
    roots = ToolchainRoots(
        environment,
        hidden=kept,
        checkout=user.top_level,
        visible=(worktree,),
    )
    view = AgentView(
        folders=folders,
        home=home,
        worktree=worktree,
        objects=object_folders(user.common_dir / "objects"),
        readable=(*_programs(roots, words), *map(Path, settings.read)),
        writable=tuple(map(Path, settings.write)),
        copies=tuple(own.elsewhere.items()),
        borrowed=project.path / "objects",
        hidden=(*kept, *user.checkouts()),
        limits=settings.limits.or_else(DEFAULT_LIMITS),
    )
    return LoopSandbox(
        loop_id=folder.name,
        branch=spec.branch,
        user=user,
        view=view,
        home=own,
        commits=AgentCommits(project, folders.clone, folders.outbox, tools, UNPRIVILEGED),
        keys=frozenset(settings.keys),
        owner=UNPRIVILEGED,
        environment=environment,
    )


def _programs(roots: ToolchainRoots, words: tuple[str, ...]) -> tuple[Path, ...]:
    """Toolchains, the agent's program with the files that it was given, loopctl's own code."""
    given = tuple(Path(word) for word in words if word.startswith("/") and Path(word).is_file())
    own = Path(loopctl.__file__).parent
    return outermost((*roots.of_path(), *roots.of_programs(words), *given, own))


def _home(environment: Mapping[str, str]) -> Path:
    home = Path(os.path.normpath(environment.get("HOME") or "/"))
    return home if home.is_absolute() and home != Path("/") else _NO_HOME
