"""The command `anls-frame`; each of its subcommands is in its own module, imported on first use."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from anls_frame import __version__

_COMMANDS = (
    "overview score report merge compare epochs slices selective fields format_tax changes browse audit "
    "verdicts corrected confusions plot convert names doctor gec demo"
)
"""The commands in the order of the help, each in a module of its name."""


class _Commands(click.Group):
    """All commands; the help imports each of them, a call only its own."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as in click
        """Return the names of the commands."""
        return _COMMANDS.replace("_", "-").split()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name."""
        if cmd_name not in self.list_commands(ctx):
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(import_module(f"anls_frame.cli.commands.{name}"), name)
        return command


app = _Commands(
    "anls-frame",
    help="Score predictions against accepted answers: NLS, ANLS and CER, by slice, with intervals.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
click.version_option(__version__, message="%(prog)s %(version)s", help="Print the version.")(app)


def commands() -> dict[str, click.Command]:
    """Return all commands by their names; those of a group have names of two words."""
    found: dict[str, click.Command] = {}
    for name in app.list_commands(click.Context(app)):
        command = app.get_command(click.Context(app), name)
        assert command is not None  # noqa: S101 - it is listed
        inner = command.commands if isinstance(command, click.Group) else {"": command}
        found |= {f"{name} {word}".strip(): one for word, one in inner.items()}
    return found


def run() -> int:
    """Run the command in `sys.argv`, and return its exit code, 2 for wrong usage."""
    if "_ANLS_FRAME_COMPLETE" in os.environ:
        app.main(prog_name="anls-frame")  # prints completions, and ends
    try:
        with app.make_context("anls-frame", sys.argv[1:]) as context:
            return app.invoke(context) or 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        error.show()
        if isinstance(error, click.BadParameter):
            _lead_to_the_column(error)
        return error.exit_code


def _lead_to_the_column(error: click.BadParameter) -> None:
    """Say where the column of a confidence goes, if the level has been given its name."""
    known = {param.name for param in error.ctx.command.params} if error.ctx is not None else set()
    if "model_confidence" in known and error.param is not None and error.param.name == "confidence":
        click.echo("Name the column of the model's confidence with --model-confidence.", err=True)
