"""Links from the figures of a page to the rows they come from, on a page of rows within it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import polars as pl

from anls_frame.export.charts import Crossed, Figure, HeatMap, Stacked
from anls_frame.export.columns import CHARACTERS
from anls_frame.export.document import OVERALL, SLICE, Selection, Table
from anls_frame.export.packed import plain_value
from anls_frame.export.rows_content import RowsContent, substitution
from anls_frame.export.values import plain_frame

_TRANSITION = ("baseline_error_type", "error_type")
_FEW_NUMBERS = 30
"""Number of different numbers that the page lists; of more it asks for the ends."""


class Links:
    """Selections of the rows of figures, as in addresses of the page of rows; none without a page."""

    def __init__(self, rows: RowsContent | None, baseline: str = "") -> None:
        self._table = pl.DataFrame() if rows is None else rows.table
        self._systems: dict[str, int] = {}
        self._metrics: dict[str, int] = {}
        if rows is None:
            return
        self._baseline = baseline
        self._by = {name: f"by_{index}" for index, name in enumerate(rows.by)}
        self._ranges = {column for column in self._by.values() if _is_range(rows.table[column])}
        self._systems = {name: index for index, name in enumerate(rows.systems)}
        self._metrics = {metric["name"]: index for index, metric in enumerate(rows.metrics)}
        self._substitutions = set(rows.table["read_as"].explode(empty_as_null=True).drop_nulls())
        # Rows without a score are not in any figure.
        scores = rows.table["score_0_0"].drop_nulls().to_list()
        self._scored = {"score_0_0": f"{min(scores)}.."} if scores else {}

    def row_views(self, table: Table) -> list[str | None]:
        """Return the link of each row of a table; None if its rows cannot be selected."""
        frame = table.frame
        if self._table.is_empty():
            return [None] * frame.height
        if set(CHARACTERS) <= set(frame.columns):
            names = [substitution(*pair) for pair in frame.select(CHARACTERS).iter_rows()]
            is_known = self._substitutions.__contains__
            return [urlencode({"read_as": _listed([name])}) if is_known(name) else None for name in names]
        if table.selections:
            return [self._selection_view(selection) for selection in table.selections[: frame.height]]
        keys = [name for name in frame.columns if table.kind(name) == "key"]
        if not table.has_slices or not set(keys) <= set(self._by):
            return [None] * frame.height
        has_types = set(_TRANSITION) <= set(frame.columns)
        rows = plain_frame(frame, table.name).iter_rows(named=True)
        return [self._row_view(row, keys, has_types=has_types) for row in rows]

    def of_figure(self, figure: Figure, table: Table) -> dict[str, object]:
        """Return the links of the lines of a figure, and those within its lines."""
        if not isinstance(figure, Crossed | HeatMap | Stacked):
            return {}
        # The lines of these figures are the first rows of a table.
        lines = figure.n_lines if isinstance(figure, Crossed) else len(figure.rows)
        views = self.row_views(replace(table, frame=table.frame.head(lines)))
        views += [None] * (lines - len(views))
        content: dict[str, object] = {"views": views}
        if isinstance(figure, HeatMap):
            sign, metric = "" if figure.higher_is_better else "-", self._metrics.get(figure.metric)
            # None for what the page does not have.
            sorts = [
                None
                if metric is None or system not in self._systems
                else urlencode({"sort": f"{sign}score_{metric}_{self._systems[system]}"})
                for system in figure.systems
            ]
            content["cell_views"] = [
                [view and sort and "&".join(filter(None, (view, sort))) for sort in sorts] for view in views
            ]
        if isinstance(figure, Stacked):
            kinds = () if figure.whole else figure.shown
            content["type_views"] = [self._type_views(view, kinds) for view in views]
        return content

    def _type_views(self, view: str | None, kinds: Iterable[str]) -> dict[str, str]:
        """Return the links of the error types of a system, within the rows of another link."""
        if view is None or len(self._systems) > 1:
            return {}
        within = view.partition("&score_0_0=")[0] if "&score_0_0=" in view else ""
        return {
            kind: "&".join(filter(None, (within, urlencode({"type_0": _listed([kind])})))) for kind in kinds
        }

    def _selection_view(self, selections: Mapping[str, Selection]) -> str | None:
        """Return the link to the rows that match all selections; None if the page cannot select them."""
        filters = {}
        for name, selection in selections.items():
            written = self._selected(self._by[name], selection) if name in self._by else None
            if written is None:
                return None
            filters[self._by[name]] = written
        return urlencode(filters | self._scored)

    def _selected(self, column: str, selection: Selection) -> str | None:
        """Return the filter for the selected values of a column; None if there is none."""
        values = self._table[column].unique().sort()
        is_list = isinstance(values.dtype, pl.List | pl.Array)
        if is_list:
            # A row matches if any of its entries does, and an empty list matches as null.
            entries = values.explode(empty_as_null=True, keep_nulls=True).unique().sort()
            values = entries.to_frame().select(pl.concat_list(pl.all())).to_series()
        try:
            is_meant = values.to_frame().select(selection(pl.col(values.name), values.dtype)).to_series()
        except pl.exceptions.PolarsError:
            return None  # the page has other values under this name
        return self._filter(column, _plain((entries if is_list else values).filter(is_meant)))

    def _filter(self, column: str, values: Sequence[Any]) -> str | None:
        """Return the filter for these sorted values of a column; None if there is none."""
        if not values:
            return None
        if column not in self._ranges:
            return _listed(values)
        if None in values:
            return "null" if len(values) == 1 else None
        return f"{json.dumps(values[0])}..{json.dumps(values[-1])}"

    def _row_view(self, row: Mapping[str, Any], keys: Sequence[str], *, has_types: bool) -> str | None:
        keys = () if row[SLICE] == OVERALL else keys
        filters = {self._by[key]: self._filter(self._by[key], [plain_value(row[key])]) for key in keys}
        if None in filters.values():
            return None
        if has_types:
            pair = [self._systems.get(str(name)) for name in (self._baseline, row["system"])]
            if None in pair:
                return None
            filters |= {
                f"type_{system}": _listed([row[name]]) for system, name in zip(pair, _TRANSITION, strict=True)
            }
            return urlencode(filters)
        return urlencode(filters | self._scored)


def _is_range(column: pl.Series) -> bool:
    """Return whether the page filters a column by a range; see `allFilters` in its main.js."""
    if not column.dtype.is_numeric():
        return False
    values = _plain(column.drop_nulls().unique())
    return len(values) > _FEW_NUMBERS and not any(isinstance(value, str) for value in values)


def _plain(column: pl.Series) -> list[Any]:
    """Return values in the form of the page."""
    return [plain_value(value) for value in plain_frame(column.to_frame(), "rows").to_series()]


def _listed(values: Sequence[Any]) -> str:
    """Return values in the form that the page's script reads."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))[1:-1]
