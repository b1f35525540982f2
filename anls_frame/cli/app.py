"""The command `anls-frame`; each of its subcommands has its own module."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from anls_frame.cli.commands import gec

_COMMANDS = (
    "score report merge compare epochs slices selective fields format_tax changes browse audit verdicts "
    "confusions plot convert doctor"
)
"""The commands in the order of the help, each a function in a module of its name."""

app = typer.Typer(
    name="anls-frame",
    help="Score predictions against accepted answers: NLS, ANLS and CER, by slice, with intervals.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Without colours, the help loads in half the time.
    rich_markup_mode=None,
)
for name in _COMMANDS.split():
    getattr(import_module(f"anls_frame.cli.commands.{name}"), name).add_to(app)
app.add_typer(gec.app, name="gec")


def run() -> int:
    """Run the command in `sys.argv`; wrong usage ends the process with exit code 2."""
    app(prog_name="anls-frame")
    return 0


def _version(value: bool) -> None:
    if value:
        from anls_frame import __version__

        typer.echo(f"anls-frame {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Score predictions against accepted answers: NLS, ANLS and CER, by slice, with intervals."""
