"""Tables of text, which on a phone have their cells below each other, each with the head of its column."""

from __future__ import annotations

from statistics import mean

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

_LONG = 20
"""Characters of a row's longest cell, on average, from which a table is one of text."""


class TextTables(SphinxTransform):
    """Give tables of text a class that the style sheet knows; tables of figures scroll sideways."""

    default_priority = 500

    def apply(self) -> None:
        """Look at the length of the cells."""
        for table in self.document.findall(nodes.table):
            heads = [
                cell.astext() for head in table.findall(nodes.thead) for cell in head.children[0].children
            ]
            rows = [row.children for body in table.findall(nodes.tbody) for row in body.children]
            if heads and rows and _is_of_text(rows):
                table["classes"].append("of-text")
                for row in rows:
                    _repeat(heads, row)


def _is_of_text(rows: list[list[nodes.Node]]) -> bool:
    """Whether most columns are texts, which are not set to the right, and long ones."""
    figures = ["text-right" in cell["classes"] for cell in rows[0]]
    return (
        2 * sum(figures) <= len(figures)
        and mean(max(len(cell.astext()) for cell in row) for row in rows) >= _LONG
    )


def _repeat(heads: list[str], row: list[nodes.Node]) -> None:
    """Put the heads of the columns into the cells, for phones; the first cell is the head of the row."""
    for head, cell in list(zip(heads, row, strict=True))[1:]:
        if not cell.astext().strip():
            cell["classes"].append("blank")
        elif head:
            cell.children[0].insert(0, nodes.inline("", f"{head}: ", classes=["column-head"]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform."""
    app.add_transform(TextTables)
    return {"parallel_read_safe": True}
