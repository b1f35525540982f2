"""Tables of results, whose columns have the same kinds and headings in all results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import polars as pl

from anls_frame.export.column_headings import ROWS, RowNames, headings
from anls_frame.export.display import shown_as
from anls_frame.export.document import MARKS, Kind, Table

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("count", "n", "wins", "ties", "losses", "verdicts_worth", "documents_needed"), "count"),
    "rank": "rank",
    **dict.fromkeys(("score", "baseline_score", "nls", "anls", "exact_match"), "score"),
    **dict.fromkeys(("corrected", "audit", "accepted", "naive_accepted", "risk", "risk_bound"), "score"),
    **dict.fromkeys(("audit_share", "agreement", "sensitivity", "specificity", "kappa"), "score"),
    **dict.fromkeys(("augrc", "baseline_augrc", "aurc", "eaurc", "auroc", "ece"), "score"),
    **dict.fromkeys(("difference", "given_difference", "bias"), "difference"),
    **dict.fromkeys(("p_value", "p_adjusted"), "p_value"),
    **dict.fromkeys(("share", "share_of_errors", "share_of_reference"), "percent"),
    "cer": "rate",
}
"""The kinds of columns that results have; ends of intervals have that of the figure between them."""


def result_table(
    name: str,
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    *,
    kinds: Mapping[str, Kind] = MappingProxyType({}),
    labels: Mapping[str, str] = MappingProxyType({}),
    columns: Iterable[str] | None = None,
    names: RowNames = ROWS,
    percent: bool = False,
    **options: Any,
) -> Table:
    """
    Return a table of a result, with the keys `by`.

    Parameters
    ----------
    kinds, labels
        Kinds and headings of columns of this table, in place of those that columns of their names have.
    columns
        The columns that people see; by default, all but those that are shown as marks.
    names
        The names for rows.
    percent
        Whether scores, rates and differences are shown in per cent.
    options
        Other attributes of the table.
    """
    own = {column: "key" if column in by else _kind(column, kinds) for column in frame.columns}
    shown = [column for column in frame.columns if column not in MARKS] if columns is None else columns
    return Table(
        name,
        frame,
        {column: shown_as(kind, percent=percent) for column, kind in own.items() if kind is not None},
        headings=headings(shown, {**names.columns, **labels, **{column: column for column in by}}),
        names=names,
        **options,
    )


def _kind(column: str, kinds: Mapping[str, Kind]) -> Kind | None:
    """Return the kind of a column by its name, or by that of the figure whose interval it ends."""
    figure = column.removesuffix("_low").removesuffix("_high")
    kind = kinds.get(column) or kinds.get(figure) or _KINDS.get(figure)
    return "count" if kind is None and column.startswith("n_") else kind
