"""A8.5: an environment in which the project is installed in editable mode never decides.

The environment lies outside the repository and leads to the user's checkout. What is judged, and
what the agent tries out, is nevertheless what was checked out for them.
"""

import pytest
from editable_world import Environment
from harness import CHECK, SOLVE, World

FIXED = "ANSWER = 42\n"
BROKEN = "ANSWER = 0\n"


class Project:
    """A repository with a package, and an environment that leads to it."""

    def __init__(self, world: World, package: str) -> None:
        self.world = world
        self.source = f"{package}/__init__.py"
        self.told = world.folder / "told"
        world.write(self.source, BROKEN)
        world.write("pyproject.toml", '[project]\nname = "product"\n')
        world.write(".gitignore", "__pycache__/\n*.so\n_built.py\nvendor/\n")
        world.commit("a product")
        self.environment = Environment(world.folder / "venv")
        self.package = world.repository / package
        self.variables = {"PATH": f"{self.environment.bin}:{world.environment['PATH']}"}
        look = f"import product, sys; open({str(self.told)!r}, 'a').write(product.__file__ + '\\n')"
        self.look = f'python -c "{look}"'
        self.stop = f'cd tests && python -c "{look}; sys.exit(product.ANSWER != 42)"'
        self.fix = {"write": [self.source, FIXED]}

    def run(self, *rounds: list[dict], options: tuple[str, ...] = ()):
        options = ("--stop", self.stop, *options)
        return self.world.run_loop(*rounds, options=options, env=self.variables)


@pytest.fixture
def src(world: World) -> Project:
    project = Project(world, "src/product")
    project.environment.add_path("__editable__.product-0.1", project.package.parent)
    return project


@pytest.fixture
def flat(world: World) -> Project:
    project = Project(world, "product")
    project.environment.add_finder("product", project.package)
    return project


@pytest.mark.parametrize("layout", ["src", "flat"])
@pytest.mark.parametrize("isolation", ["separate-worktree", "same-workspace"])
def test_what_the_agent_repairs_is_seen(
    layout: str, isolation: str, request: pytest.FixtureRequest
) -> None:
    project: Project = request.getfixturevalue(layout)
    turn = [project.fix, {"run": f"cd tests && {project.look}"}]
    result = project.run(turn, options=("--isolation", isolation)).check(0)
    baseline, agent, judged = project.told.read_text().splitlines()
    worktree = result.ended["worktree"]
    assert agent == f"{worktree}/{project.source}"
    assert {baseline == agent, judged == agent} == {isolation == "same-workspace"}
    assert str(project.world.repository) not in project.told.read_text()
    lines = [line for line in result.stderr.splitlines() if ":" in line[:3]]  # not the card's
    told = [line for line in lines if "redirected to the loop's own files: editable" in line]
    assert len(told) == 1
    for each in result.of("evaluator_finished"):
        assert (
            "redirected to the loop's own files: editable install" in each["report"]["warnings"][-1]
        )


@pytest.mark.parametrize("layout", ["src", "flat"])
def test_what_only_the_user_has_is_not_seen(layout: str, request: pytest.FixtureRequest) -> None:
    """Repaired in the checkout, also by a module that nobody committed: still broken."""
    project: Project = request.getfixturevalue(layout)
    project.world.write(project.source, FIXED)
    project.world.write(project.source.replace("__init__", "uncommitted"), "")
    turn = [{"write": [project.source, "from product.uncommitted import x\nANSWER = 42\n"]}]
    result = project.run([{"say": "nothing"}], turn, options=("--max-rounds", "2")).check(10)
    verdicts = [each["report"]["criteria"][0] for each in result.of("evaluator_finished")]
    assert {each["verdict"] for each in verdicts} == {"FAIL"}


def test_what_an_agent_installs_of_its_worktree_is_led_away(src: Project) -> None:
    """There a module would be found that git ignores: no checkout has it."""
    (src.environment.site / "__editable__.product-0.1.pth").unlink()
    built = "from product import _built\nANSWER = _built.ANSWER\n"
    install = f"echo $PWD/src > {src.environment.site}/product.pth"
    turn = [
        {"write": [src.source, built]},
        {"write": ["src/product/_built.py", FIXED]},
        {"run": install},
    ]
    result = src.run(turn, options=("--max-rounds", "1")).check(10)
    baseline, judged = (each["report"] for each in result.of("evaluator_finished"))
    assert baseline["warnings"] == []
    assert "product.pth leads to src" in judged["warnings"][-1]


def test_what_cannot_be_redirected_is_refused_before_anything_is_made(src: Project) -> None:
    file = src.environment.add_loader("product", src.world.repository / "build")
    result = src.run([src.fix]).check(2)
    assert str(file) in result.stderr
    assert "uninstall the project" in result.stderr
    assert src.world.branches() == ["main"]
    assert src.world.calls() == []


def test_an_installed_copy_is_told_as_the_loop_starts(src: Project) -> None:
    """It is no pointer: a command may well install the project again before it looks at it."""
    (src.environment.site / "__editable__.product-0.1.pth").unlink()
    src.environment.write("product/__init__.py", BROKEN)
    origin = f'{{"url": "file://{src.world.repository}", "dir_info": {{}}}}'
    src.environment.write("product-0.1.dist-info/direct_url.json", origin)
    result = src.run([src.fix], options=("--max-rounds", "1")).check(10)
    assert "a copy of the project is installed" in result.stderr
    assert "pip install -e . makes it the loop's own" in result.stderr
    warnings = result.of("evaluator_finished")[-1]["report"]["warnings"]
    assert [each.partition(":")[0] for each in warnings] == ["a copy of product is installed"]


def test_a_command_that_hides_the_redirection_is_refused(src: Project) -> None:
    refused = src.run([src.fix], options=("--stop", "PYTHONPATH=src ./check.sh")).check(2)
    assert "PYTHONPATH=src:$PYTHONPATH" in refused.stderr


def test_a_program_on_path_that_is_the_users_own_file_is_refused(world: World) -> None:
    """A link in the user's own bin folder; one that the loop cannot have is another matter."""
    tools = world.folder / "bin"
    tools.mkdir()
    (tools / "check-it").symlink_to(world.repository / "check.sh")
    path = f"{tools}:{world.environment['PATH']}"
    options = ("--stop", "env CI=1 check-it")
    refused = world.run_loop([], options=options, env={"PATH": path}).check(2)
    assert "./check.sh" in refused.stderr
    assert world.branches() == ["main"]
    world.write("ignored/check-it", CHECK)
    (world.repository / "ignored" / "check-it").chmod(0o755)
    path = f"{world.repository}/ignored:{world.environment['PATH']}"
    world.run_loop([SOLVE], options=options, env={"PATH": path}).check(0)


def test_what_becomes_impossible_while_a_loop_runs_is_an_error(src: Project) -> None:
    loader = src.environment.site / "_product_editable_loader.py"
    turn = [src.fix, {"run": f"echo \"ROOT = '$PWD'\" > {loader}"}]
    result = src.run(turn).check(15)
    assert "_product_editable_loader.py" in result.stop["detail"]


def test_a_pointer_that_nobody_can_read_is_noticed_on_the_base_commit(src: Project) -> None:
    pointer = src.environment.site / "__editable__.product-0.1.pth"
    text = str(src.package.parent)
    pointer.write_text(f"import sys; sys.path.append('{text[:8]}' + '{text[8:]}')\n")
    result = src.run([src.fix]).check(15)
    assert "imports product from" in result.stop["detail"]
    assert src.world.calls() == []


def test_built_modules_that_git_ignores_are_named(src: Project) -> None:
    src.world.write("src/product/_fast.so", "")
    src.world.write("src/product/_built.py", "")
    src.world.write("vendor/lib/other.py", "")
    src.environment.add_path("other", src.world.repository / "vendor" / "lib")
    result = src.run([src.fix]).check(0)
    shares = ["src/product/_built.py", "src/product/_fast.so", "vendor"]
    assert all(f'"{share}"' in result.stderr for share in shares)
    shared = '[evaluator]\nshare = ["src/product/_fast.so", "vendor"]\n'
    src.world.write("loopctl.toml", shared)
    again = src.run([src.fix], options=("--name", "again")).check(0)
    assert '[evaluator] share = ["src/product/_built.py"]' in again.stderr


def test_the_doctor_tells_what_leads_to_the_checkout(src: Project) -> None:
    options = ("--stop", "python -m unittest", "--agent", "cmd:true", "--json")
    document = src.world.run_loopctl("doctor", *options, env=src.variables).check(0).events[0]
    (line,) = document["imports"]["found"]
    assert "leads to src" in line
    refused = ("--stop", "python -I -m unittest", *options[2:])
    document = src.world.run_loopctl("doctor", *refused, env=src.variables).check(2).events[0]
    assert "cannot be redirected" in document["findings"][0]["text"]
