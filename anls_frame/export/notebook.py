"""Tables in notebooks, made with great_tables."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import polars as pl

from anls_frame._text import shortened_apart, visible
from anls_frame.export.display import display_table
from anls_frame.export.document import Table
from anls_frame.export.terminal import LONGEST_CELL, cell_text

if TYPE_CHECKING:
    from great_tables import GT

ROWS = 500
"""Largest number of rows that a notebook shows by default."""

# The table takes the colours of the page around it, light or dark.
_CSS = """
#{id} .gt_table, #{id} .gt_heading, #{id} .gt_title, #{id} .gt_subtitle, #{id} .gt_col_heading,
#{id} .gt_col_headings, #{id} .gt_row, #{id} .gt_sourcenote, #{id} .gt_sourcenotes, #{id} .gt_table_body {
  background-color: transparent !important;
  border-color: rgba(128, 128, 128, 0.45) !important;
  color: inherit !important;
}
#{id} .gt_table { margin-left: 0; font-variant-numeric: tabular-nums; }
#{id} .gt_title { text-align: left; font-weight: 600; }
#{id} .gt_sourcenote { opacity: 0.75; font-size: 85%; }
"""


def in_page(table: GT) -> str:
    """Return a table as HTML whose style leaves other tables of the page as they are."""
    # In great_tables 1.1, the first rule is of the rows of every table; in the other, the id is that of the
    # first part only.
    html, parts = table.as_raw_html(), "thead, tbody, tfoot, tr, td, th"
    html = html.replace("\n tr { background-color: transparent; }", "")
    return html.replace(f" {parts} {{", f" :is({parts}) {{")


def rendered(table: Table, table_id: str) -> GT:
    """Return a table with its name and notes, under a unique id."""
    from great_tables import GT, html, loc, style  # noqa: PLC0415 - only in notebooks

    columns, rows = display_table(table)
    # Names that great_tables would treat as patterns or units, and equal ones, are passed as labels.
    names = [f"column_{index}" for index in range(len(columns))]
    texts = {
        name: shortened_apart([cell_text(row.cells[index]) for row in rows], LONGEST_CELL)
        for index, name in enumerate(names)
    }
    frame = pl.DataFrame(texts, schema=dict.fromkeys(names, pl.String))
    labels = [html(escape(visible(column.heading)).replace("{{", "{&#123;")) for column in columns]
    numeric = [name for name, column in zip(names, columns, strict=True) if column.is_numeric]
    shown = (
        GT(frame, id=table_id)
        .tab_header(title=visible(table.name))
        .cols_label(dict(zip(names, labels, strict=True)))
        .cols_align(align="right", columns=numeric)
        .tab_style(style=style.text(weight="bold"), locations=loc.body(rows=list(table.bold)))
        .opt_css(_CSS.replace("{id}", table_id))
    )
    for index, name in enumerate(names):
        for wanted, weight in ((True, style.text(weight="bold")), (False, style.text(weight="normal"))):
            lines = [line for line, row in enumerate(rows) if row.cells[index].is_shown is wanted]
            if lines:
                shown = shown.tab_style(style=weight, locations=loc.body(columns=name, rows=lines))
    hidden = [f"... and {table.hidden:,} more rows; `by_group` has them all."] if table.hidden else []
    for note in (*hidden, *table.below):
        shown = shown.tab_source_note(visible(note))
    return shown
