"""The directive `commands`: the help of every command of `anls-frame`, as a section each."""

from __future__ import annotations

import click
from click.testing import CliRunner
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from anls_frame.cli.app import app as shell


class Commands(SphinxDirective):
    """Show the help of all commands."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each command."""
        return [_section(name) for name in shell.list_commands(click.Context(shell))]


def _section(name: str) -> nodes.section:
    command = f"anls-frame {name}"
    section = nodes.section(ids=[nodes.make_id(command)], names=[nodes.fully_normalize_name(command)])
    shown = CliRunner().invoke(shell, [name, "--help"], prog_name="anls-frame", terminal_width=90)
    section += nodes.title(text=command)
    section += nodes.literal_block(text=shown.stdout.strip(), language="text")
    return section


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
