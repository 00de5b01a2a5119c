"""The ``weitzman`` command. Each subcommand is a module of its own, added here.

Modules of commands import what is heavy inside their functions: ``weitzman --help`` stays quick.
"""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from weitzman.cli.compare import COMPARE_EXAMPLE, compare_command
from weitzman.cli.keys import KEYS_EXAMPLE, keys_app
from weitzman.cli.plan import EXAMPLE, plan_command
from weitzman.cli.plot import PLOT_EXAMPLE, plot_command
from weitzman.cli.recover import RECOVER_EXAMPLE, recover_command
from weitzman.cli.replay import REPLAY_EXAMPLE, replay_command
from weitzman.cli.reproduce import REPRODUCE_EXAMPLE, reproduce_command
from weitzman.cli.serve import SERVE_EXAMPLE, serve_command
from weitzman.cli.study import STUDY_EXAMPLE, study_command
from weitzman.errors import InvalidInputError, WeitzmanError

__all__ = ["app", "run"]


class _Group(TyperGroup):
    """The subcommands; what they refuse is told in one line on standard error.

    The exit code is 2 for bad input, as for a bad command line, and 1 for anything else.
    """

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except WeitzmanError as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(2 if isinstance(error, InvalidInputError) else 1) from None


# Python's own tracebacks: a bug is reported with all its lines.
app = typer.Typer(
    cls=_Group,
    name="weitzman",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXAMPLE,
)
app.command("plan", epilog=EXAMPLE)(plan_command)
app.command("study", epilog=STUDY_EXAMPLE)(study_command)
app.command("replay", epilog=REPLAY_EXAMPLE)(replay_command)
app.command("reproduce", epilog=REPRODUCE_EXAMPLE)(reproduce_command)
app.command("plot", epilog=PLOT_EXAMPLE)(plot_command)
app.command("compare", epilog=COMPARE_EXAMPLE)(compare_command)
app.command("serve", epilog=SERVE_EXAMPLE)(serve_command)
app.command("recover", epilog=RECOVER_EXAMPLE)(recover_command)
app.add_typer(keys_app, name="keys", help="Make, list and revoke keys.", epilog=KEYS_EXAMPLE)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"weitzman {version('weitzman')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Costly search: choose among alternatives when looking at each one costs something."""


def run() -> None:
    """Run the command line."""
    app()
