"""The help of a command: the options that most calls use come first, the others in groups."""

from __future__ import annotations

from typing import Any

import click

_OWN = "Specific to this command"
_GROUPS = {
    "Most used": "prediction answers gold systems metric by cluster protocol output json",
    _OWN: "",
    "Input": "reader id where epoch runs unmatched repeats allow-repeated-ids system-column name",
    "Scoring": "missing unanswerable scores",
    "Intervals": "confidence alpha fold-clusters",
    "Output": "force summary rows worst keep n details macro title percent noun columns table no-intervals "
    "sort min-n significant pairs facts published suffix overwrite escape-formulas",
    "Gate": "fail-if-drop require-within require-within-slices require-accepted threshold anchor "
    "planned-runs",
    "Help": "help",
}
"""The options of each group, in the order of the help; an option in no group is the command's own."""


class Argument(click.Argument):
    """An argument with a description, which click has only since version 8.5."""

    def __init__(self, name: str, *, help: str, **settings: Any) -> None:  # noqa: A002 - as in click
        super().__init__([name], **settings)
        self.text = help


class Option(click.Option):
    """An option whose default is shown as it is typed, where it is given as text: click adds brackets."""

    def get_help_extra(self, ctx: click.Context) -> click.types.OptionHelpExtra:
        """Return the default and what else the help says."""
        extra = super().get_help_extra(ctx)
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default
        return extra


class GroupedCommand(click.Command):
    """A command whose help lists its options in groups, and whose options with one value are given once."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse values that click would replace with the last one."""
        *_, order = self.make_parser(ctx).parse_args(list(args))
        # While a line is completed, nothing is refused; --help, which is eager, ends the command here.
        rest = super().parse_args(ctx, args)
        for param in () if ctx.resilient_parsing else order:
            if isinstance(param, Option) and not (param.multiple or param.is_flag) and order.count(param) > 1:
                told = f"takes one value, {param.make_metavar(ctx)}, but is given {order.count(param)} times"
                raise click.BadParameter(f"it {told}", ctx, param)
        return rest

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write nothing: before version 8.5, click does not call this."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments, then each group that has options."""
        arguments = []
        options = {}
        for param in self.get_params(ctx):
            row = param.get_help_record(ctx)
            if isinstance(param, Argument):
                arguments.append((param.make_metavar(ctx), param.text))
            elif row is not None:
                options[max(param.opts, key=len).removeprefix("--")] = row
        sections = {"Arguments": arguments}
        for title, names in _GROUPS.items():
            sections[title] = [options.pop(name) for name in names.split() if name in options]
        sections[_OWN] = list(options.values())
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
