"""Tables as plain text, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from anls_frame._text import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anls_frame.export.display import Glance

__all__ = ["ROWS", "rendered"]

ROWS = 50
"""Largest number of rows to print."""


def rendered(glances: Sequence[Glance]) -> str:
    """Return the title, the table and the notes of each as text."""
    return "\n".join(map(_rendered, glances))


def _rendered(glance: Glance) -> str:
    with pl.Config(
        tbl_rows=-1,
        tbl_cols=-1,
        tbl_width_chars=-1,
        fmt_str_lengths=60,
        tbl_hide_column_data_types=True,
        tbl_hide_dataframe_shape=True,
    ):
        table = str(glance.rows)
    # Control characters are shown as symbols; column names may hold them too.
    title, *notes = (visible(line) for line in (glance.title, *glance.notes))
    hidden = [f"... and {glance.hidden:,} more slices"] if glance.hidden else []
    return "\n".join([title, table, *hidden, *notes])
