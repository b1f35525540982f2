"""Distances between lists: vectors of labels, bits or tokens, row by row."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from anls_frame._plugin import expression
from anls_frame._typing import IntoColumn, IntoExprColumn
from anls_frame.exceptions import DTypeError
from anls_frame.metrics.row_functions import on_lists

__all__ = ["hamming_vectors"]

_NAME = "hamming_vectors"


@on_lists
def hamming_vectors(prediction: IntoExprColumn, reference: IntoColumn) -> pl.Expr:
    """
    Hamming distance of the lists in each row: the number of positions at which two vectors differ.

    Each list is one vector of 0/1 values, labels or tokens, whereas other functions read a list as several
    accepted answers. For columns of strings, use `hamming`.

    Parameters
    ----------
    prediction
        Column of lists or arrays. A string is a column name; wrap a constant in `pl.lit`.
    reference
        Column of lists or arrays whose entries can be compared with those of the prediction: numbers and
        Booleans with each other, any other dtype with the same dtype.

    Returns
    -------
    Expr
        `Int64`, named `hamming_vectors`; null where either list is null or their lengths differ. A null entry
        equals only another null entry; NaN equals NaN, as elsewhere in Polars.

    Raises
    ------
    TypeError
        If an argument is not a column.

    See Also
    --------
    hamming : the same for columns of strings.
    hamming_distance : the same for one pair.

    Notes
    -----
    The distance of Hamming (1950). `scipy.spatial.distance.hamming` is this distance divided by the length of
    the vectors, ``pl.col("reference").list.len()``. A column of another dtype raises `DTypeError` when the
    query runs.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": [[1, 0, 1, 1], [1]], "reference": [[1, 1, 1, 0], [1, 0]]})
    >>> df.with_columns(af.hamming_vectors("prediction", "reference"))
    shape: (2, 3)
    ┌─────────────┬─────────────┬─────────────────┐
    │ prediction  ┆ reference   ┆ hamming_vectors │
    │ ---         ┆ ---         ┆ ---             │
    │ list[i64]   ┆ list[i64]   ┆ i64             │
    ╞═════════════╪═════════════╪═════════════════╡
    │ [1, 0, … 1] ┆ [1, 1, … 0] ┆ 2               │
    │ [1]         ┆ [1, 0]      ┆ null            │
    └─────────────┴─────────────┴─────────────────┘
    """
    columns = [expression(_NAME, column) for column in (prediction, reference)]
    distances = pl.map_batches(columns, _distances, return_dtype=pl.Int64, is_elementwise=True)
    return distances.alias(_NAME)


def _distances(columns: Sequence[pl.Series]) -> pl.Series:
    left, right = map(_lists, columns)
    # One of them may be a literal.
    height = right.len() if left.len() == 1 else left.len()
    sides = (side.new_from_index(0, height) if side.len() == 1 else side for side in (left, right))
    rows = pl.DataFrame(dict(zip(("left", "right"), sides, strict=True))).with_row_index("row")
    alike = rows.filter(pl.col("left").list.len() == pl.col("right").list.len())
    entries = alike.explode("left", "right", empty_as_null=True, keep_nulls=True)
    try:
        differs = _comparable(entries["left"]).ne_missing(_comparable(entries["right"]))
    except pl.exceptions.PolarsError as error:
        raise DTypeError(
            f"`{_NAME}` cannot compare the entries of {left.name!r} ({left.dtype}) with those of "
            f"{right.name!r} ({right.dtype}): {error}"
        ) from None
    counts = (
        entries.select("row", differs=differs).group_by("row").agg(pl.col("differs").sum().cast(pl.Int64))
    )
    return rows.join(counts, on="row", how="left", maintain_order="left")["differs"]


def _lists(column: pl.Series) -> pl.Series:
    if isinstance(column.dtype, pl.Array):
        return column.arr.to_list()
    if column.dtype == pl.Null:
        return column.cast(pl.List(pl.Null))
    if not isinstance(column.dtype, pl.List):
        raise DTypeError(
            f"`{_NAME}` needs one list per row, but column {column.name!r} has dtype {column.dtype}; "
            "for strings, use `hamming`"
        )
    return column


def _comparable(entries: pl.Series) -> pl.Series:
    """Cast integers and Booleans to one dtype: as floats, different large integers could be equal."""
    is_whole = entries.dtype.is_integer() or entries.dtype == pl.Boolean
    return entries.cast(pl.Int128) if is_whole else entries
