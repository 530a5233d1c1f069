"""What a start says of containers that could not be made."""

from pathlib import Path

import pytest
from ordinary_user import needs_sandbox

from loopctl.bootstrap.containing import check_containers
from loopctl.bootstrap.request import StartRequest
from loopctl.domain.confinement import ContainerSettings
from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.supplies import EvaluatorGit, EvaluatorSupplies
from loopctl.errors import UsageError
from loopctl.process.masking import Masker
from loopctl.process.sandbox.owner import is_root
from loopctl.process.sandbox.programs import Programs
from loopctl.process.sandbox.sandbox import Sandbox
from loopctl.process.toolbox import Toolbox

NOWHERE = Sandbox(Programs("/nowhere/bwrap", "/nowhere/setpriv", "/nowhere/prlimit"))


def asked(isolation=Isolation.CONTAINER, **fields):
    return StartRequest(
        "goal", Path("/"), "cmd:true", stops=("true",), isolation=isolation, **fields
    )


@pytest.fixture
def check(tmp_path):
    def _check(request, sandbox=None):
        tools = Toolbox(None, Masker({}), sandbox or Sandbox())
        check_containers(request, tools, {"LOOPCTL_HOME": str(tmp_path / "state")})

    return _check


def test_a_machine_without_a_sandbox_refuses_and_says_how_to_install_one(check):
    with pytest.raises(UsageError) as refused:
        check(asked(), NOWHERE)
    assert "bwrap" in str(refused.value)
    assert "apt-get install bubblewrap" in refused.value.next_step
    check(asked(Isolation.SEPARATE_WORKTREE), NOWHERE)


@needs_sandbox
def test_loopctls_state_cannot_be_made_readable(check, tmp_path):
    for path in ("/", str(tmp_path), str(tmp_path / "state"), str(tmp_path / "state" / "x")):
        with pytest.raises(UsageError, match="read cannot name"):
            check(asked(container=ContainerSettings(read=(path,))))
    check(asked(container=ContainerSettings(read=(str(tmp_path / "data"),))))


@needs_sandbox
@pytest.mark.parametrize(
    "supplies",
    [EvaluatorSupplies(cache=("~/.cache/pip",)), EvaluatorSupplies(git=EvaluatorGit.HISTORY)],
    ids=["cache", "history"],
)
def test_root_is_refused_what_its_programs_could_not_read(check, supplies):
    if is_root():
        with pytest.raises(UsageError, match="container of root"):
            check(asked(evaluator_supplies=supplies))
    else:
        check(asked(evaluator_supplies=supplies))
