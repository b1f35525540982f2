"""Links from the figures of a page to the rows behind them, on a page of rows within it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from anls_frame.export.document import OVERALL, SLICE
from anls_frame.export.packed import plain_value
from anls_frame.export.values import plain_frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anls_frame.export.document import Table
    from anls_frame.export.rows_content import RowsContent

__all__ = ["Links"]

_TRANSITION = ("old_error_type", "new_error_type")


class Links:
    """What selects the rows of a figure, as the address of the page of rows has it."""

    def __init__(self, rows: RowsContent) -> None:
        self._by = {name: f"by_{place}" for place, name in enumerate(rows.by)}
        self._systems = {name: place for place, name in enumerate(rows.systems)}
        # Rows without a score are not in any figure.
        scores = rows.table["score_0_0"].drop_nulls().to_list()
        self._scored = {"score_0_0": f"{min(scores)}.."} if scores else {}

    def of_table(self, table: Table) -> list[str | None]:
        """Return the link of each row of a table; None where its rows cannot be selected."""
        keys = [name for name in table.frame.columns if table.kind(name) == "key"]
        has_types = all(name in table.frame.columns for name in _TRANSITION)
        if not table.has_slices or not set(keys) <= set(self._by):
            return [None] * table.frame.height
        return [
            self._of_row(row, keys, has_types=has_types)
            for row in plain_frame(table.frame, table.name).iter_rows(named=True)
        ]

    def of_types(self, view: str | None, kinds: Sequence[str]) -> dict[str, str]:
        """Return the links of the error types of one system, within the rows of another link."""
        if view is None or len(self._systems) > 1:
            return {}
        within = view.partition("&score_0_0=")[0] if "&score_0_0=" in view else ""
        return {kind: "&".join(filter(None, (within, _written({"type_0": kind})))) for kind in kinds}

    def _of_row(self, row: Mapping[str, Any], keys: Sequence[str], *, has_types: bool) -> str | None:
        values = {} if row[SLICE] == OVERALL else {self._by[key]: row[key] for key in keys}
        if has_types:
            first, second = 0, self._systems.get(row["system"])
            if second is None:
                return None
            types = zip((first, second), _TRANSITION, strict=True)
            return _written(values | {f"type_{place}": row[name] for place, name in types})
        return "&".join(filter(None, (_written(values), urlencode(self._scored))))


def _written(values: Mapping[str, Any]) -> str:
    """Return filters of values as the script of the page reads them."""
    texts = {
        name: json.dumps([plain_value(value)], ensure_ascii=False, separators=(",", ":"))[1:-1]
        for name, value in values.items()
    }
    return urlencode(texts)
