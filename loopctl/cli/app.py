"""The commands and their names. Importing it loads no command's own needs."""

import typer

from loopctl.cli.apply import apply
from loopctl.cli.cancel import cancel
from loopctl.cli.diff import diff
from loopctl.cli.discard import discard
from loopctl.cli.doctor import doctor
from loopctl.cli.init import init
from loopctl.cli.list import list_
from loopctl.cli.logs import logs
from loopctl.cli.mcp_shim import mcp_shim
from loopctl.cli.retry_now import retry_now
from loopctl.cli.run import run
from loopctl.cli.show import show
from loopctl.cli.status import status
from loopctl.cli.sweep import sweep
from loopctl.cli.tool import tool
from loopctl.cli.usage import usage
from loopctl.cli.verify import verify

app = typer.Typer(
    help="Drives a coding agent round after round toward one goal, "
    "and stops for a reason that can be checked.",
    epilog="`loopctl --version` prints the version.",
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(run)
app.command()(status)
app.command()(cancel)
app.command()(retry_now)
app.command("list")(list_)
app.command()(show)
app.command()(logs)
app.command()(usage)
app.command()(diff)
app.command()(apply)
app.command()(discard)
app.command()(verify)
app.command()(sweep)
app.command()(init)
app.command()(doctor)
app.command(hidden=True)(tool)  # for agents: see loopctl/tools
app.command("mcp-shim", hidden=True)(mcp_shim)
