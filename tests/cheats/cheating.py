"""Puts a cheat into a world of its own and lets it be judged at one level.

Invariant: at every level it is the same agent, the same repository and the same stop command;
only what stands between them differs.
"""

import json
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cheat import Action, Cheat, Level, Outcome
from cheated_kind import Kind
from evidence_lines import oddities
from harness import AGENT, Result, World

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
BARE_TURNS = 2
PATIENCE_S = 40.0
_BARE_LOOP = """\
turn=1
while ! /bin/sh -c %(command)s > ../output 2>&1; do
    [ $turn -le %(turns)d ] || exit 10
    LOOPCTL_ROUND=$turn %(agent)s < /dev/null
    turn=$((turn + 1))
done
"""


@dataclass(frozen=True)
class Ending:
    """How it ended at one level.

    Attributes:
        outcome: what became of the cheat.
        code: exit status of loopctl, or of the bare loop.
        told: everything that was said, for the message of a test that fails.
        odd: the lines of the evidence that name something odd.
    """

    outcome: Outcome
    code: int
    told: str
    odd: tuple[str, ...] = ()


class CheatedWorld:
    """The world of one test.

    Args:
        world: without a repository yet.
        environment: folder of the virtual environment that the user has activated.
        templates: folder in which the repositories of the kinds are kept once made.
    """

    def __init__(self, world: World, environment: Path, templates: Path) -> None:
        self.world = world
        self.canary = world.folder / "canary"
        self._environment = environment
        self._templates = templates
        local = world.folder / "home" / ".local" / "bin"
        local.mkdir(parents=True)
        world.environment["PATH"] = f"{local}:{environment}/bin:{SYSTEM_PATH}"
        world.environment["VIRTUAL_ENV"] = str(environment)

    def make(self, kind: Kind) -> None:
        """The user's repository, as it is before anybody works."""
        self.world.environment |= self.placed(dict(kind.environment))
        for name, content in kind.home.items():
            path = self.world.folder / "home" / name
            path.write_text(content)
            path.chmod(0o755 if path.parent.name == "bin" else 0o644)
        template = self._templates / kind.name
        if not template.exists():
            self._build(kind)
            shutil.copytree(self.world.repository, template, symlinks=True)
            return
        shutil.copytree(template, self.world.repository, symlinks=True)

    def judge(self, kind: Kind, turns: Sequence[Sequence[Action]], level: Level, **how) -> Ending:
        """Let an agent that plays these turns work, and say how it ended."""
        script = self.world.folder / "script.json"
        script.write_text(json.dumps({"repeat": True, "rounds": self.placed(list(turns))}))
        agent = [*AGENT, str(script)]
        if level is Level.BARE:
            return self._bare(kind, agent)
        return self._loop(kind, agent, level, **how)

    def cheat(self, cheat: Cheat, level: Level) -> Ending:
        """The same for a cheat, prepared."""
        if cheat.prepare is not None:
            cheat.prepare(self.world)
        options = tuple(self.placed(list(cheat.options)))
        return self.judge(
            cheat.kind,
            cheat.turns,
            level,
            options=options,
            rounds=cheat.rounds,
            restarted=cheat.restarted,
        )

    def placed(self, document):
        """The document with the places of this world in it."""
        text = json.dumps(document)
        for name, place in {
            "@FOLDER@": self.world.folder,
            "@REPOSITORY@": self.world.repository,
            "@HOME@": self.world.folder / "home",
            "@STATE@": self.world.home,
            "@CANARY@": self.canary,
            "@ENVIRONMENT@": self._environment,
            "@PATH@": self.world.environment["PATH"],
        }.items():
            text = text.replace(name, str(place))
        return json.loads(text)

    def _build(self, kind: Kind) -> None:
        self.world.init_repository()
        for name, content in kind.files.items():
            self.world.write(name, content)
            if content.startswith("#!"):
                (self.world.repository / name).chmod(0o755)
        self.world.commit("first")

    def _bare(self, kind: Kind, agent: list[str]) -> Ending:
        """``until COMMAND; do AGENT; done`` in a plain clone, with a bound."""
        clone = self.world.folder / "clone"
        self.world.git("clone", "-q", str(self.world.repository), str(clone))
        values = {
            "command": shlex.quote(" && ".join(kind.stops)),
            "agent": shlex.join(agent),
            "turns": BARE_TURNS,
        }
        done = subprocess.run(
            ["/bin/sh", "-c", _BARE_LOOP % values],
            cwd=clone,
            env=self.world.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE_S,
            check=False,
        )
        told = f"{done.stdout}{done.stderr}{(self.world.folder / 'output').read_text()}"
        return Ending(_outcome(done.returncode, ()), done.returncode, told)

    def _loop(
        self,
        kind: Kind,
        agent: list[str],
        level: Level,
        *,
        options: tuple[str, ...] = (),
        rounds: int = 1,
        restarted: bool = False,
    ) -> Ending:
        arguments = ["run", "make the tests pass", "--json", "--name", "demo"]
        arguments += ["--agent", f"cmd:{shlex.join(agent)}", "--max-rounds", str(rounds)]
        arguments += [word for stop in kind.stops for word in ("--stop", stop)]
        arguments += [*kind.options, *options, *_LEVEL_OPTIONS[level]]
        if level is Level.CONTAINER:
            arguments += ["--holdout-stop", kind.holdout]
        result = self.world.run_loopctl(*arguments, timeout=PATIENCE_S)
        if restarted:
            result = self.world.run_loopctl("status", "demo", "--restart", "--json")
        odd = oddities(result)
        return Ending(_outcome(result.code, odd), result.code, _told(result), odd)


_LEVEL_OPTIONS = {
    Level.SAME: ("--isolation", "same-workspace"),
    Level.SEPARATE: (),
    Level.CONTAINER: ("--isolation", "container", "--sandbox", "bwrap"),
}


def _outcome(code: int, odd: tuple[str, ...]) -> Outcome:
    if code != 0:
        return Outcome.CAUGHT
    return Outcome.WARNED if odd else Outcome.PASSED


def _told(result: Result) -> str:
    return f"{result.stdout}\n{result.stderr}"
