"""Keys of cells: their names, and the conversion that gives equal slices equal keys."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import polars as pl
import polars.selectors as cs

from anls_frame._messages import Message
from anls_frame.exceptions import DTypeError, DuplicateColumnError
from anls_frame.frames.checks import COLLIDE, object_advice
from anls_frame.summary.settings import check_by
from anls_frame.summary.slicing import Slicing, enum_orders

CLUSTER = "cluster"
"""Name of the column with a cell's cluster."""


def optional(name: str | None) -> list[str]:
    """Return `[name]`, or an empty list for None."""
    return [] if name is None else [name]


def key_names(by: Sequence[str], cluster: str | None) -> tuple[str, ...]:
    """Return the names of keys in cells."""
    return (*(f"key_{index}" for index in range(len(by))), *([CLUSTER] if cluster is not None else []))


def chosen_keys(columns: Sequence[str], by: Sequence[str], made: str) -> list[str]:
    """Return the names in cells of slicing columns; raise an error for columns that do not slice."""
    unknown = [column for column in columns if column not in by]
    if unknown:
        raise ValueError(
            f"the {made} is not sliced by {unknown}, only by {list(by)}; "
            "name the columns in by= when making it"
        )
    names = dict(zip(by, key_names(by, None), strict=True))
    return [names[column] for column in check_by(columns)]


def with_column_names(table: pl.DataFrame, keys: Sequence[str], columns: Sequence[str]) -> pl.DataFrame:
    """Return a table with its keys renamed to the columns that they come from."""
    check_own_names(columns, [name for name in table.columns if name not in keys])
    return table.rename(dict(zip(keys, columns, strict=True))) if keys else table


def in_order(
    table: pl.DataFrame,
    keys: Sequence[str],
    columns: Sequence[str],
    orders: Mapping[str, Sequence[str]],
) -> pl.DataFrame:
    """Return a table whose keys have the order of the columns that they come from."""
    ordered = {key: orders[column] for key, column in zip(keys, columns, strict=True) if column in orders}
    casts = [pl.col(key).cast(pl.Enum(values)) for key, values in ordered.items()]
    return table.with_columns(casts) if casts else table


def largest_first(
    slices: pl.DataFrame,
    keys: Sequence[str],
    columns: Sequence[str],
    orders: Mapping[str, Sequence[str]],
) -> pl.DataFrame:
    """
    Return lines of slices in the order of an only ordered column, otherwise the largest slices first.

    Several lines of a slice (for systems or metrics) stay together and in order.
    """
    slices = in_order(slices, keys, columns, orders)
    has_order = len(columns) == 1 and columns[0] in orders
    size = [] if has_order or not keys else [pl.col("n").max().over(keys)]
    descending = [True] * len(size) + [False] * len(keys)
    order = [*size, *keys]
    if order:
        slices = slices.sort(order, descending=descending, nulls_last=True, maintain_order=True)
    return with_column_names(slices, keys, columns)


def check_own_names(own: Iterable[str], made: Collection[str]) -> None:
    """Raise an error that names the columns of the user that have the name of a column of the result."""
    taken = [name for name in own if name in made]
    if taken:
        raise DuplicateColumnError(Message(f"columns {taken}", COLLIDE))


def sliced_keys(
    source: pl.LazyFrame, slicing: Slicing, cluster: str | None
) -> tuple[list[pl.Expr], dict[str, list[str]]]:
    """Return the keys under their names in cells, and the order of values of ordered keys."""
    # Keys are named by position: a column may both slice and be the cluster, or have the name of a result.
    columns = [*map(slicing.expression, slicing.names), *map(cs.by_name, optional(cluster))]
    named = zip(columns, key_names(slicing.names, cluster), strict=True)
    keys = [column.alias(key) for column, key in named]
    names, dtypes = [*slicing.names, *optional(cluster)], source.select(keys).collect_schema().dtypes()
    known = list(zip(names, dtypes, strict=True))
    check_key_dtypes(known, "slice rows")
    if cluster is not None and dtypes[-1].is_float():
        # NaN names no document, as in pandas.
        keys[-1] = keys[-1].fill_nan(None)
    return keys, enum_orders(pl.Schema(known[: len(slicing.names)]))


def check_objects(dtypes: Iterable[tuple[str, pl.DataType]], use: str) -> None:
    """Raise an error for columns of Python's objects, which Polars neither sorts nor groups."""
    for name, dtype in dtypes:
        if dtype.is_object():
            raise DTypeError(f"column {name!r} has dtype Object and cannot {use}; {object_advice(name)}")


def check_key_dtypes(dtypes: Collection[tuple[str, pl.DataType]], use: str) -> None:
    """Raise an error for dtypes that cannot slice or identify rows."""
    check_objects(dtypes, use)
    for name, dtype in dtypes:
        if _is_without_fields(dtype):
            raise DTypeError(
                f"column {name!r} has dtype {dtype} and cannot {use}, because it has a struct without "
                "fields; leave it out"
            )


def _is_without_fields(dtype: object) -> bool:
    if isinstance(dtype, pl.List | pl.Array):
        return _is_without_fields(dtype.inner)
    if not isinstance(dtype, pl.Struct):
        return False
    return not dtype.fields or any(_is_without_fields(entry.dtype) for entry in dtype.fields)


def canonical(frame: pl.DataFrame) -> pl.DataFrame:
    """Give equal slices equal keys: categories as strings, lists as sorted sets, empty lists as null."""
    keys = [key for key in frame.columns if key.startswith("key_") or key in (CLUSTER, "unit")]
    if not keys:
        return frame
    frame = with_plain_keys(frame.lazy(), keys).collect()
    for key in keys:
        if isinstance(frame.schema[key], pl.List):
            frame = _replace_distinct(frame, key, _as_set(key))
    return frame


def with_plain_keys(frame: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    """Convert categories to strings and arrays to lists, because their dtypes can differ between parts."""
    schema = frame.collect_schema()
    return frame.with_columns(_plain_key(key, schema[key]) for key in keys)


def explode_lists(cells: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Give each entry of a list key its own cell; a key without entries becomes null."""
    for key in keys:
        if isinstance(cells.schema[key], pl.List):
            cells = cells.explode(key, empty_as_null=True, keep_nulls=True)
    return cells


def _replace_distinct(frame: pl.DataFrame, key: str, expression: pl.Expr) -> pl.DataFrame:
    """Evaluate the expression once for each distinct list; with clusters, most cells share their lists."""
    hashed = frame.with_columns(pl.col(key).hash().alias("hash"))
    distinct = hashed.select("hash", key).unique("hash")
    if distinct.height == frame.height or distinct.height != frame.select(key).n_unique():
        return frame.with_columns(expression)
    table = distinct.select("hash", expression)
    return hashed.drop(key).join(table, on="hash", how="left", maintain_order="left").select(frame.columns)


def _plain_key(key: str, dtype: pl.DataType) -> pl.Expr:
    column = pl.col(key)
    if isinstance(dtype, pl.Array):
        column, dtype = column.arr.to_list(), pl.List(dtype.inner)
    if isinstance(dtype, pl.List) and isinstance(dtype.inner, pl.Categorical | pl.Enum):
        return column.cast(pl.List(pl.String))
    return column.cast(pl.String) if isinstance(dtype, pl.Categorical | pl.Enum) else column


def _as_set(key: str) -> pl.Expr:
    entries = pl.col(key).list.unique().list.sort()
    return pl.when(entries.list.drop_nulls().list.len() > 0).then(entries)
