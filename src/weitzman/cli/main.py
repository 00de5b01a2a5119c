"""The ``weitzman`` command. Each subcommand is a module of its own, added here.

Modules of commands import what is heavy inside their functions: ``weitzman --help`` stays quick.
"""

from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from weitzman.cli.compare import compare_command
from weitzman.cli.convert import convert_command
from weitzman.cli.example import example_command
from weitzman.cli.gateway import gateway_command
from weitzman.cli.judge import judge_command
from weitzman.cli.keys import keys_app
from weitzman.cli.plan import plan_command
from weitzman.cli.plot import plot_command
from weitzman.cli.recover import recover_command
from weitzman.cli.replay import replay_command
from weitzman.cli.reproduce import reproduce_command
from weitzman.cli.serve import serve_command
from weitzman.cli.study import study_command
from weitzman.errors import InvalidInputError, WeitzmanError


class _Group(TyperGroup):
    """The subcommands; what they refuse is said in one line on standard error.

    The exit code is 2 for bad input, as for a bad command line, and 1 for anything else.
    """

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except WeitzmanError as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(2 if isinstance(error, InvalidInputError) else 1) from None


_COMMANDS: dict[str, tuple[Callable[..., None], str]] = {
    "plan": (plan_command, "examples/quotes.csv --plot plan.png"),
    "study": (study_command, "examples/memory.toml --output memory"),
    "example": (example_command, "llm --output llm.csv"),
    "replay": (replay_command, "decisions.parquet --cost seconds --value error --output report"),
    "judge": (judge_command, "decisions.parquet --policy no-context --policy default"),
    "convert": (convert_command, "clicks.csv clicks.parquet --from open-bandit"),
    "reproduce": (reproduce_command, "--output report"),
    "plot": (plot_command, "report --output regret.pdf"),
    "compare": (compare_command, "--feedback full --output compare"),
    "serve": (serve_command, "--port 8080 --data decisions.db"),
    "gateway": (gateway_command, "gateway.toml --port 8081 --data gateway.db"),
    "recover": (recover_command, "decisions.db"),
}
"""The commands, each with an example of its arguments."""

# Python's own tracebacks: a bug is reported with all its lines.
app = typer.Typer(
    cls=_Group,
    name="weitzman",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: weitzman plan examples/quotes.csv --plot plan.png",
)
for name, (command, example) in _COMMANDS.items():
    app.command(name, epilog=f"Example: weitzman {name} {example}")(command)
app.add_typer(
    keys_app,
    name="keys",
    help="Make, list and revoke keys.",
    epilog="Example: weitzman keys create --data decisions.db --name ops --scope admin",
)


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
