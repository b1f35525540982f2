"""`names`: the names that `--metric` and `--reader` take."""

from __future__ import annotations

from typing import Literal

import click

from anls_frame.cli import options
from anls_frame.cli.output import print_json
from anls_frame.export.row_names import of_rows
from anls_frame.readers.descriptions import READERS
from anls_frame.summary.catalogue import NAMED


@options.command("anls-frame names metrics", "anls-frame names readers")
def names(of: Literal["metrics", "readers"], *, json: bool = False) -> None:
    """
    List the names that --metric or --reader takes.

    Parameters
    ----------
    of
        metrics, with what each says, or readers, with their files and the options that may follow the name,
        as in inspect,scorer=match.
    """
    rows = _metrics() if of == "metrics" else _readers()
    if json:
        print_json(rows)
        return
    formatter = click.get_current_context().make_formatter()
    formatter.write_dl([(name, ". ".join(filter(None, texts))) for name, *texts in map(dict.values, rows)])
    print(formatter.getvalue(), end="")


def _metrics() -> list[dict[str, str]]:
    return [{"name": name, "meaning": of_rows(metric.meaning)} for name, metric in NAMED.items()]


def _readers() -> list[dict[str, str]]:
    return [
        {
            "name": name,
            "meaning": description.files.replace("`", ""),
            "options": ", ".join(f"{option}=" for option in description.options),
        }
        for name, description in READERS.items()
    ]
