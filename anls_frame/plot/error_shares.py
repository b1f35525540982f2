"""Plot of error types by slice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import polars.selectors as cs

from anls_frame import _palette
from anls_frame._arguments import count, takes_names
from anls_frame.frames.conversion import in_polars, to_lazy
from anls_frame.plot import _inputs, _room, _style
from anls_frame.summary.keys import explode_lists
from anls_frame.summary.settings import check_by

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["error_types"]


_ROW = 0.31
_LABELLED = 0.05
_COUNTED = ("error_type", "n", "share")
_INPUT = _inputs.Input(
    "error_types",
    "a frame of rows with error types, a report or summary made with details=True, or the frame of its "
    "`errors()`",
)


@takes_names
def error_types(
    frame: Any,
    by: str | Sequence[str] | None = None,
    *,
    error_type: str = "error_type",
    title: str | None = None,
    max_groups: int = _style.MANY,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw the error types of each group as stacked shares.

    Parameters
    ----------
    frame
        A Polars, pandas or Arrow frame of rows, with a column from `error_type`; a report or a summary made
        with ``details=True``; or the frame of `Report.errors`, not a frame of other counts.
    by
        Columns that group the rows. By default, a report or a summary uses its own columns, and the frame of
        `Report.errors` uses its keys. A row counts in the group of each entry of a list; null and the empty
        list form one group.
    error_type
        Name of the column of rows with the error types; nulls (rows without an answer) are left out.
    title
        Title; none by default.
    max_groups
        Maximum number of groups to draw; the axis label states the number of omitted groups. A report and the
        frame of `Report.errors` are drawn in their order, other groups by size.
    ax
        Axes to draw on; by default, new axes on their own figure, sized for the groups.

    Returns
    -------
    Axes
        Axes with a bar for each group, all rows at the top, with one segment for each error type that occurs.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    TypeError
        If `frame` has another type, or `ax` is not an Axes.
    ValueError
        If the column holds values that are not error types, or the report has no error types.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"error_type": ["exact", "wrong", "exact"], "lang": ["en", "de", "de"]})
    >>> ax = af.plot.error_types(df, "lang")
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['all rows', 'de', 'en']
    """
    most = count("max_groups", max_groups, 1)
    whole, groups = _counted(frame, by, error_type)
    shown = [*whole, *groups[:most]]
    ax = _inputs.axes(ax, 7.6, 1.7 + _ROW * len(shown))
    hidden = max(len(groups) - most, 0)
    handles, kinds = _draw(ax, [label for label, _ in shown], [counts for _, counts in shown])
    label = f"share of the rows{_style.not_shown(hidden)}"
    names = [kind.replace("_", " ") for kind in kinds]
    return _style.finish(ax, title, label, handles=handles, names=names)


_Counts = dict[str, int]
_Groups = list[tuple[_style.Label, _Counts]]


def _counted(given: Any, by: str | Sequence[str] | None, error_type: str) -> tuple[_Groups, _Groups]:
    """Return the counts of all rows, if known, and those of the groups in drawing order."""
    columns, order = check_by(by), None
    if _inputs.is_result(given) and by is None:
        columns = tuple(_INPUT.summary(given).settings.by)
    counted = _INPUT.counts(given, "errors", columns, _COUNTED)
    if counted is None:
        frame = _INPUT.frame(given)
        whole, groups = (_rows(frame, keys, error_type) for keys in ((), columns))
    elif not _inputs.is_result(given):
        keys, counts = counted
        of_keys = _groups(counts, keys, counts.select(map(cs.by_name, keys)).unique(maintain_order=True))
        return ([], of_keys) if keys else (of_keys, [])
    else:
        whole, groups = _INPUT.detail(given, "errors", ()), counted[1]
        if columns and _inputs.is_report(given):
            order = in_polars(given.by(*columns)).lazy().select(cs.by_name(*columns)).collect()
    return _groups(whole, ()), _groups(groups, columns, order) if columns else []


def _rows(frame: Any, by: Sequence[str], column: str) -> pl.DataFrame:
    """Count the rows of each error type in each group."""
    keys = [f"key_{index}" for index in range(len(by))]
    rows = to_lazy(frame, [], [column, *by]).select(
        cs.by_name(column).cast(pl.String).alias("error_type"),
        *(cs.by_name(name).alias(key) for name, key in zip(by, keys, strict=True)),
    )
    counts = rows.drop_nulls("error_type").group_by(*keys, "error_type").agg(pl.len().alias("n")).collect()
    unknown = sorted(set(counts["error_type"]) - set(_palette.ERROR_COLORS))
    if unknown:
        raise ValueError(
            f"column {column!r} holds {unknown[:3]}, but error types must be among "
            f"{list(_palette.ERROR_COLORS)}"
        )
    # Repeated entries of a list count once.
    lists = [key for key in keys if isinstance(counts.schema[key], pl.List)]
    counts = explode_lists(counts.with_columns(pl.col(lists).list.unique()), keys)
    return (
        counts.group_by(*keys, "error_type").agg(pl.col("n").sum()).rename(dict(zip(keys, by, strict=True)))
    )


def _groups(counts: pl.DataFrame, by: Sequence[str], order: pl.DataFrame | None = None) -> _Groups:
    """Return the counts of each group, in the given order or else the largest first."""
    if not by:
        return [(_inputs.whole(), dict(counts.select("error_type", "n").iter_rows()))]
    keys = [cs.by_name(name) for name in by]
    if order is None:
        sizes = counts.group_by(keys).agg(pl.col("n").sum().alias("__n"))
        order = sizes.sort("__n", *keys, descending=[True, *(False for _ in by)]).select(keys)
    kinds: dict[str, _Counts] = {repr(key): {} for key in order.rows()}
    for *key, kind, n in counts.select(*keys, "error_type", "n").iter_rows():
        kinds.setdefault(repr(tuple(key)), {})[kind] = n
    return [(_style.label(key), kinds[repr(key)]) for key in order.rows()]


def _draw(ax: Axes, labels: Sequence[_style.Label], counts: Sequence[_Counts]) -> tuple[list[Any], list[str]]:
    """Draw stacked shares, with one bar for each label; return the segments of each error type."""
    kinds = [kind for kind in _palette.ERROR_COLORS if any(count.get(kind) for count in counts)]
    left = np.zeros(len(labels))
    handles = []
    for kind in kinds:
        shares = np.array([count.get(kind, 0) / max(sum(count.values()), 1) for count in counts])
        look: dict[str, Any] = {"edgecolor": _style.background(ax), "linewidth": 0.7}
        color = _palette.ERROR_COLORS[kind]
        handles.append(ax.barh(range(len(labels)), shares, 0.78, left=left, color=color, **look))
        left = left + shares
    _style.group_axis(ax, labels)
    ax.set_xlim(0, 1)
    _style.side(ax, [f"n = {sum(count.values()):,}" for count in counts])
    _style.percent_ticks(ax.xaxis)
    if 1.3 * sum(_room.measured(text).width for text in ax.get_xticklabels()) > _room.widths(ax).axes:
        ax.set_xticks([0, 1], ["0 %", "100 %"])
    if not kinds:
        _style.nothing(ax)
    width = _room.widths(ax).axes
    for bars, kind in zip(handles, kinds, strict=True):
        color = _style.on(_palette.ERROR_COLORS[kind])
        for bar in bars:
            share = bar.get_width()
            x, y = bar.get_center()
            text = ax.text(x, y, f"{100 * share:.0f}", fontsize="x-small", color=color)
            text.set(ha="center", va="center")
            if share < _LABELLED or 1.15 * _room.measured(text).width > share * width:
                text.remove()
    return handles, kinds
