"""Tables in notebooks, made by great_tables."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from anls_frame._text import visible

if TYPE_CHECKING:
    from great_tables import GT

    from anls_frame.export.display import Glance

__all__ = ["ROWS", "table"]

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


def table(glance: Glance, table_id: str) -> GT:
    """Return the table with its title and notes, under its own id in the page."""
    from great_tables import GT, html, loc, style  # noqa: PLC0415 - only in notebooks

    rows = glance.rows
    # Names that great_tables would treat as patterns or units are passed as labels.
    patterns = {
        name: f"column_{index}"
        for index, name in enumerate(rows.columns)
        if name.startswith("^") or "*" in name or "{{" in name
    }
    rows = rows.rename(patterns)
    shown = (
        GT(rows, id=table_id)
        .tab_header(title=visible(glance.title))
        .cols_label({name: html(escape(label).replace("{{", "{&#123;")) for label, name in patterns.items()})
        .cols_align(align="right", columns=rows.columns[rows.columns.index("n") :])
        .tab_style(style=style.text(weight="bold"), locations=loc.body(rows=list(glance.bold)))
        .opt_css(_CSS.replace("{id}", table_id))
    )
    hidden = [f"... and {glance.hidden:,} more slices; `by_group` has them all."] if glance.hidden else []
    for note in (*hidden, *glance.notes):
        shown = shown.tab_source_note(visible(note))
    return shown
