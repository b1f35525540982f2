"""The command `anls-frame`; each of its subcommands has its own module."""

from __future__ import annotations

from typing import Annotated

import typer

from anls_frame.cli.commands import (
    audit,
    browse,
    changes,
    compare,
    confusions,
    convert,
    doctor,
    epochs,
    format_tax,
    gec,
    merge,
    plot,
    report,
    score,
    selective,
    slices,
    verdicts,
)

app = typer.Typer(
    name="anls-frame",
    help="Score predictions against accepted answers: NLS, ANLS and CER, by slice, with intervals.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Without colours, the help loads in half the time.
    rich_markup_mode=None,
)
for command in (
    score.score,
    report.report,
    merge.merge,
    compare.compare,
    epochs.epochs,
    slices.slices,
    selective.selective,
    format_tax.format_tax,
    changes.changes,
    browse.browse,
    audit.audit,
    verdicts.verdicts,
    confusions.confusions,
    plot.plot,
    convert.convert,
    doctor.doctor,
):
    command.add_to(app)
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
