"""
A page of rows in a notebook that is connected to the kernel.

The output of the cell is the page itself in a frame, which notebooks store and export. A model without a view
listens to the messages of the page, identified by the name of its frame, and passes them to the kernel. In
notebooks that display only models, such as marimo, the view of the model is the same frame.
"""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import polars as pl

from anls_frame._text import numbered, quoted
from anls_frame.export import rows_page
from anls_frame.export.html import source
from anls_frame.export.packed import plain_value
from anls_frame.export.page_verdicts import REPEATS, SCORE, verdict_frame
from anls_frame.export.rows_content import RowsContent
from anls_frame.export.values import plain_frame
from anls_frame.frames.conversion import as_kind_of, attach
from anls_frame.frames.strict_json import Number

try:
    from anywidget import AnyWidget
    from traitlets import Any as AnyTrait
    from traitlets import Int, TraitError, Unicode, validate
except ImportError as error:
    raise ImportError('widgets need anywidget: pip install "anls-frame[widget]"') from error


class _Given(AnyTrait):
    """Any value except null, which traitlets would not check otherwise."""

    allow_none = False


class RowsWidget(AnyWidget):
    """
    A page of rows that is connected to the kernel, returned by `RowsPage.widget`.

    `verdicts` and `selected` are frames of the same kind as the page's frame. In marimo,
    ``mo.ui.anywidget(page.widget())`` reruns the cells that use them whenever they change.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["cat", "c0w"], "answer": ["cat", "cow"]})
    >>> df.anls.browse("prediction", "answer").widget().selected
    shape: (2, 2)
    ┌────────────┬────────┐
    │ prediction ┆ answer │
    │ ---        ┆ ---    │
    │ str        ┆ str    │
    ╞════════════╪════════╡
    │ cat        ┆ cat    │
    │ c0w        ┆ cow    │
    └────────────┴────────┘
    """

    _esm = rows_page.in_one_line(source("widget.js"))
    _name = Unicode().tag(sync=True)
    _frame = Unicode().tag(sync=True)
    _rows = Int().tag(sync=True)
    _verdicts = _Given().tag(sync=True, echo_update=False)
    _selected = AnyTrait().tag(sync=True, echo_update=False)

    def __init__(
        self,
        content: RowsContent,
        html: str,
        frame: Any,
        *,
        digests: Callable[[Sequence[int]], list[str | None]],
        verdicts: Mapping[str, list[int]],
    ) -> None:
        self._content, self._html, self._given, self._digests = content, html, frame, digests
        self._numbers = frozenset(content.table["row"])
        self._is_made = False
        name = f"anls_frame_{uuid.uuid4().hex}"
        super().__init__(
            _name=name,
            _frame=rows_page.framed(html, name),
            _rows=content.table.height,
            _verdicts=dict(verdicts),
            _selected=None,
        )
        self._is_made = True

    @property
    def verdicts(self) -> Any:
        """The verdicts, with the columns of `anls_frame.readers.read_verdicts`, in the order of the page."""
        verdict_of = {row: verdict for verdict, rows in self._verdicts.items() for row in rows}
        table = self._content.table.filter(pl.col("row").is_in(list(verdict_of)))
        names = [name for name in ("id", *REPEATS) if name in table.columns]
        keys = plain_frame(table.select(names), "rows").to_dicts() if names else [{}] * table.height
        rows = table["row"].to_list()
        lines = [
            dict.fromkeys(("id", *REPEATS))
            | {name: _written(value) for name, value in key.items()}
            | {"row": row, "verdict": verdict_of[row], "digest": digest}
            | {SCORE: self._content.metrics[0]["name"]}
            for row, key, digest in zip(rows, keys, self._digests(rows), strict=True)
        ]
        return as_kind_of(self._given, verdict_frame(lines))

    @property
    def selected(self) -> Any:
        """The rows that match the filters of the page, in the order of the frame and with all its columns."""
        numbers = sorted(self._numbers) if self._selected is None else self._selected
        return attach(self._given, pl.Series(numbers, dtype=pl.UInt32), pl.DataFrame())

    @validate("_verdicts")
    def _check_verdicts(self, proposal: Any) -> dict[str, list[int]]:
        """Return the row numbers of verdicts, after checks, because a browser may send anything."""
        given: dict[str, list[int]] = proposal["value"]
        if type(given) is not dict or not set(given) <= set(self._content.verdicts):
            raise TraitError(f"verdicts must be by {', '.join(self._content.verdicts)}, got {quoted(given)}")
        _check_rows("verdicts", list(given.values()), self._numbers)
        return given

    @validate("_selected")
    def _check_selected(self, proposal: Any) -> list[int] | None:
        """Return the numbers of the selected rows; None if all rows are selected."""
        rows: list[int] | None = proposal["value"]
        _check_rows("selected", [] if rows is None else [rows], self._numbers)
        return rows

    @validate("_name", "_frame", "_rows")
    def _check_made(self, proposal: Any) -> Any:
        """Return the values that Python set for the page; raise an error if a browser changes them."""
        if self._is_made:
            raise TraitError(f"a browser must not set {proposal['trait'].name}")
        return proposal["value"]

    def __repr__(self) -> str:
        return f"RowsWidget({self._content.title!r}, {numbered(len(self._numbers), 'row')})"

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, str]]:
        """Return the page itself: the model needs no view, and the notebook stores the page."""
        html = rows_page.in_notebook(self._content, self._html, self._name)
        return {"text/html": html, "text/plain": repr(self)}, {}


def _written(value: Any) -> Any:
    """Return a value in the form that the page writes to a file."""
    plain = plain_value(value)
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)
    return plain if plain is None or isinstance(plain, str) else Number(plain)


def _check_rows(what: str, lists: Sequence[Any], known: Collection[int]) -> None:
    """Raise an error unless the lists hold rows of the page, each at most once."""
    rows = list(itertools.chain(*lists)) if all(type(rows) is list for rows in lists) else [None]
    are_rows = all(type(row) is int and row in known for row in rows)
    if not are_rows or len({*rows}) < len(rows):
        raise TraitError(f"{what}: expected lists of different rows of the page, got {quoted(lists)}")
