"""Headings for people, in place of column names, which data formats keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from anls_frame._text import distinct
from anls_frame.export.columns import COLUMNS, Column, figure_of
from anls_frame.export.row_names import ROWS, Names, of_rows


def headings(
    shown: Iterable[str],
    own: Mapping[str, str],
    columns: Mapping[str, Column] = COLUMNS,
    names: Names = ROWS,
) -> dict[str, str]:
    """
    Return the headings of columns.

    Parameters
    ----------
    shown
        The shown columns, in order.
    own
        Names of metrics, and headings that are specific to this table, such as those of keys, which keep
        their names.
    columns
        What is known of columns.
    names
        The words for rows, and the headings that differ with them.
    """
    given = {name: names.get(name) or column.heading for name, column in columns.items()}
    known = {name: of_rows(heading, names) for name, heading in given.items() if heading} | dict(own)
    # The ends of an interval are headed by its figure.
    named = {
        name: known.get(name)
        or known.get(figure_of(name), figure_of(name)) + name.removeprefix(figure_of(name)).replace("_", ", ")
        for name in shown
    }
    taken = [*named.values()]
    # Two columns with the same heading keep their names, unless the caller gave the heading.
    unlike = (
        heading if name in own or taken.count(heading) == 1 else name for name, heading in named.items()
    )
    return dict(zip(named, distinct(unlike), strict=True))
