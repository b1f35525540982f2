"""Two result tables side by side, by the ids of their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl
import polars.selectors as cs

from anls_frame import _ingest, _keys
from anls_frame.exceptions import DTypeError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Paired", "pair"]


class Paired(NamedTuple):
    """
    Two result tables side by side.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> a = pl.DataFrame({"id": [1, 2], "prediction": ["x", "y"]})
    >>> af.pair(a, a.head(1), on="id", prediction="prediction").only_first["id"].to_list()
    [2]
    """

    frame: Any
    """The rows that both have: the first table's columns, and the predictions of both."""
    only_first: pl.DataFrame
    """Ids that only the first table has."""
    only_second: pl.DataFrame
    """Ids that only the second table has."""


def pair(
    frame_a: Any,
    frame_b: Any,
    *,
    on: str | Sequence[str],
    prediction: str,
    names: tuple[str, str] = ("first", "second"),
) -> Paired:
    """
    Put the predictions of two result tables side by side, by the id of their rows.

    Parameters
    ----------
    frame_a, frame_b
        Polars, pandas or Arrow frames with the same id and prediction columns.
    on
        Column or columns that identify a row.
    prediction
        Name of the prediction column in both.
    names
        The predictions become `{prediction}_{name}`.

    Returns
    -------
    Paired
        The wide frame (pandas if the first one is, otherwise Polars), and the ids without a partner.

    Raises
    ------
    ValueError
        If an id is null or there twice.
    DTypeError
        If the ids have different dtypes, as text against numbers.
    ColumnNotFoundError
        If a frame has no such column.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> a = pl.DataFrame({"id": [1, 2], "answer": ["x", "y"], "prediction": ["x", "z"]})
    >>> b = pl.DataFrame({"id": [2, 1], "prediction": ["y", "x"]})
    >>> af.pair(a, b, on="id", prediction="prediction", names=("old", "new")).frame
    shape: (2, 4)
    ┌─────┬────────┬────────────────┬────────────────┐
    │ id  ┆ answer ┆ prediction_old ┆ prediction_new │
    │ --- ┆ ---    ┆ ---            ┆ ---            │
    │ i64 ┆ str    ┆ str            ┆ str            │
    ╞═════╪════════╪════════════════╪════════════════╡
    │ 1   ┆ x      ┆ x              ┆ x              │
    │ 2   ┆ y      ┆ z              ┆ y              │
    └─────┴────────┴────────────────┴────────────────┘
    """
    ids = [on] if isinstance(on, str) else list(on)
    if len(names) != 2:  # noqa: PLR2004
        raise ValueError(f"names are two, one for each frame; got {names!r}")
    return Paired(*_joined(frame_a, frame_b, ids, prediction, names))


def _joined(
    first: Any, second: Any, ids: list[str], prediction: str, names: tuple[str, str]
) -> tuple[Any, pl.DataFrame, pl.DataFrame]:
    """Join two tables by id; the rows of the first, and the ids without a partner."""
    if not ids or prediction in ids or len(set(ids)) < len(ids):
        raise ValueError(f"on= names one or several columns other than {prediction!r}, each once; got {ids}")
    # Read once: a query may give its rows in another order the next time, a stream gives them once.
    first = first if _ingest.is_pandas(first) else _ingest.whole(first)
    columns = [f"{prediction}_{name}" for name in names]
    left, right = (
        _identified(frame, ids, prediction, which) for frame, which in ((first, "first"), (second, "second"))
    )
    keys = list(_keys.key_names(ids, None))
    for name, key in zip(ids, keys, strict=True):
        if left.schema[key] != right.schema[key]:
            raise DTypeError(
                f"column {name!r} has dtype {left.schema[key]} in the first frame and "
                f"{right.schema[key]} in the second; cast one of them"
            )
    taken = [column for column in columns if column in first.columns]
    if taken or columns[0] == columns[1]:
        raise ValueError(f"the predictions cannot be called {columns}; pass other names=")
    matched = left.join(right, on=keys, how="inner", maintain_order="left", suffix="_second")
    only = [
        one.join(other, on=keys, how="anti", maintain_order="left")
        .select(keys)
        .rename(dict(zip(keys, ids, strict=True)))
        for one, other in ((left, right), (right, left))
    ]
    wide = _wide_pandas if _ingest.is_pandas(first) else _wide
    return wide(first, second, matched, prediction, columns), only[0], only[1]


def _identified(frame: Any, ids: list[str], prediction: str, which: str) -> pl.DataFrame:
    """Return ids, predictions and positions of the rows, under names of ours."""
    table = _ingest.to_lazy(frame, [], [*ids, prediction]).collect()
    named = table.select(cs.by_name(ids))
    for name, dtype in named.schema.items():
        if dtype.is_object():
            raise DTypeError(f"column {name!r} has dtype Object and cannot identify rows; cast it")
    _check_ids(named, which)
    return table.select(
        *_keys.key_columns(table.schema, ids, None), cs.by_name(prediction).alias("prediction")
    ).with_row_index("row")


def _wide(
    first: pl.DataFrame, _second: Any, matched: pl.DataFrame, prediction: str, columns: list[str]
) -> pl.DataFrame:
    """The two predictions side by side, where the first one stood."""
    rows = first[matched["row"]]
    place = rows.columns.index(prediction)
    return rows.rename({prediction: columns[0]}).insert_column(
        place + 1, matched["prediction_second"].alias(columns[1])
    )


def _wide_pandas(first: Any, second: Any, matched: pl.DataFrame, prediction: str, columns: list[str]) -> Any:
    """Return the same for pandas, where index and dtypes stay as they are."""
    rows = first.iloc[matched["row"].to_numpy()].rename(columns={prediction: columns[0]})
    if _ingest.is_pandas(second):
        predictions = second[prediction].iloc[matched["row_second"].to_numpy()]
    else:
        predictions = matched["prediction_second"].to_pandas()
    rows.insert(rows.columns.get_loc(columns[0]) + 1, columns[1], predictions.array)
    return rows


def _check_ids(ids: pl.DataFrame, which: str) -> None:
    nulls = ids.filter(pl.any_horizontal(pl.all().is_null())).height
    if nulls:
        raise ValueError(f"the {which} frame has {nulls} rows without an id in {ids.columns}")
    doubled = ids.filter(ids.is_duplicated()).unique(maintain_order=True)
    if doubled.height:
        shown = ", ".join(str(row[0] if len(row) == 1 else row) for row in doubled.head(10).iter_rows())
        more = f" and {doubled.height - 10} more" if doubled.height > 10 else ""  # noqa: PLR2004
        raise ValueError(f"the {which} frame has ids more than once: {shown}{more}")
