"""The command `anls-frame`; each of its subcommands is in its own module, imported on first use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

_COMMANDS = (
    "overview score report merge compare epochs slices selective fields format_tax changes browse audit "
    "verdicts confusions plot convert names doctor gec demo"
)
"""The commands in the order of the help, each a function, or several, in a module of its name."""


class _OnFirstUse(Mapping[str, Any]):
    """The commands by their names; one is made, and what it needs is imported, when it is looked up."""

    def __init__(self) -> None:
        self._modules = {module.replace("_", "-"): module for module in _COMMANDS.split()}
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            module = self._modules[name]
            of_module = import_module(f"anls_frame.cli.commands.{module}")
            own = of_module.app if name == "gec" else getattr(of_module, module).app
            self._made[name] = get_command(own)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


class _Commands(TyperGroup):
    """All commands; the help imports each of them, a call only its own."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _OnFirstUse()  # type: ignore[assignment] # a dictionary there


app = typer.Typer(
    name="anls-frame",
    cls=_Commands,
    help="Score predictions against accepted answers: NLS, ANLS and CER, by slice, with intervals.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    # Without colours, the help loads in half the time.
    rich_markup_mode=None,
)


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
