"""A verdict rests on the tree, the tools and the search path of the start, or there is none."""

from pathlib import Path

from harness import SOLVE, World

FAILS = "#!/bin/sh\nexit 1\n"


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def last_evidence(result) -> str:
    report = result.of("evaluator_finished")[-1]["report"]
    assert report["criteria"][0]["verdict"] == "ERROR"
    return report["criteria"][0]["evidence"][0]


def test_a_script_outside_the_repository_that_the_agent_changes(world: World) -> None:
    check = program(world.folder / "outside" / "check.sh", FAILS)
    cheat = [{"run": f"echo 'exit 0' > {check}; touch work"}]
    result = world.run_loop(cheat, options=("--stop", str(check))).check(15)
    assert f"{check} was changed, since the loop began" in last_evidence(result)
    again = world.run_loopctl("status", "demo", "--restart", "--json").check(0)
    (report,) = [each["report"] for each in again.of("evaluator_finished")]
    assert f"{check} is not what it was when the loop began" in report["warnings"]


def test_a_program_that_is_put_before_the_one_that_was_meant(world: World) -> None:
    early, late = world.folder / "early", world.folder / "late"
    early.mkdir()
    program(late / "judge", FAILS)
    env = {"PATH": f"{early}:{late}:{world.environment['PATH']}"}
    plant = f"printf '#!/bin/sh\\nexit 0\\n' > {early}/judge; chmod +x {early}/judge; touch work"
    result = world.run_loop([{"run": plant}], options=("--stop", "judge"), env=env).check(15)
    assert f"judge is {early}/judge now, and was {late}/judge" in last_evidence(result)


def test_a_folder_of_the_checkout_is_not_in_the_path_of_evaluators(world: World) -> None:
    env = {"PATH": f"{world.repository}/tools:{world.environment['PATH']}"}
    stop = 'case "$PATH" in */repository/tools:*) exit 1;; esac; ./check.sh'
    told = world.run_loop([SOLVE], options=("--stop", stop), env=env).check(0).stderr
    assert (
        f"left out of PATH for evaluators, because others write there: {world.repository}" in told
    )


def test_work_that_changes_its_own_check_while_it_is_judged(world: World) -> None:
    world.write("prepare.sh", "true\n")
    world.commit("a step before the check")
    cheat = [{"write": ["prepare.sh", "echo 'exit 0' > check.sh\n"]}]
    stop = ("--stop", ". ./prepare.sh && ./check.sh", "--allow", "prepare.sh", "--name", "cheat")
    result = world.run_loop(cheat, options=stop).check(15)
    assert result.of("evaluator_finished")[-1]["report"]["moved"] == ["check.sh"]


def test_a_check_that_always_writes_to_what_is_protected_is_no_cheat(world: World) -> None:
    stop = ("--stop", "echo '# seen' >> tests/test_calc.py && ./check.sh")
    world.run_loop([SOLVE], options=stop).check(0)
