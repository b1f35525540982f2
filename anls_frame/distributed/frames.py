"""
Functions of frames for Daft frames, called by `anls_frame._engines` with all options by name.

Each function first runs without rows, so that errors in columns or options show before hours of work. Daft
calls functions of columns on its workers, which import this module and rebuild expressions.
"""

from __future__ import annotations

import atexit
import dataclasses
import functools
import inspect
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import daft
import pyarrow as pa

from anls_frame._arguments import count
from anls_frame.frames import field_rows
from anls_frame.frames.checks import free_name
from anls_frame.frames.reserved_columns import DOCUMENT, FIELD
from anls_frame.metrics import scoring
from anls_frame.reports import wrapping_costs
from anls_frame.slices import finding, summarized
from anls_frame.slices.plan import Plan
from anls_frame.slices.result import Slices
from anls_frame.summary import summarizing
from anls_frame.summary.catalogue import BUILT_IN
from anls_frame.summary.settings import INVENTED
from anls_frame.summary.summary import Summary, merge

_SECONDS_OF_REST = 0.5


@dataclass(frozen=True)
class Batches:
    """
    A Daft frame with the number of rows that are summarized at once.

    Pass this object in place of a Daft frame. Smaller batches need less memory, which helps with pages of
    text, but every batch costs some milliseconds, even with few rows.

    Parameters
    ----------
    frame
        A Daft DataFrame.
    rows
        Number of rows of a batch.

    Raises
    ------
    TypeError
        If the frame is not a Daft DataFrame.
    ValueError
        If the number of rows is below 1.

    Examples
    --------
    >>> import anls_frame as af
    >>> import daft
    >>> df = daft.from_pydict({"prediction": ["a", "b"], "answer": ["a", "x"]})
    >>> af.report(af.distributed.Batches(df, rows=1000), "prediction", "answer").overall["anls"]
    0.5
    """

    frame: daft.DataFrame
    rows: int = 262_144

    def __post_init__(self) -> None:
        if not isinstance(self.frame, daft.DataFrame):
            raise TypeError(f"frame must be a Daft DataFrame, got {type(self.frame).__name__}")
        count("rows", self.rows, 1)
        _rest_at_exit()

    @classmethod
    def of(cls, frame: Batches | daft.DataFrame) -> Batches:
        """Return a Daft frame in batches, unless it already is."""
        return frame if isinstance(frame, Batches) else cls(frame)

    @property
    def nothing(self) -> pa.Table:
        """The columns without rows, as received by a worker."""
        fields = [pa.field(field.name, field.dtype.to_arrow_dtype()) for field in self.frame.schema()]
        return pa.schema(fields).empty_table()


@functools.cache
def _rest_at_exit() -> None:
    """
    Make Python wait briefly at exit, once Daft calls functions of this package.

    Daft's threads release their Python objects shortly after a query. If Python exits earlier, they sometimes
    crash it (Daft 0.7.26), with any function.
    """
    atexit.register(time.sleep, _SECONDS_OF_REST)


def without_rows(frame: Any) -> pa.Table:
    """Return the columns of a frame without rows."""
    return Batches.of(frame).nothing


def add_scores(frame: Any, *, columns: Any, prefix: str, suffix: str, overwrite: bool, **options: Any) -> Any:
    """Return the lazy frame with the scores of each row."""
    named: dict[str, Any] = {"prefix": prefix, "suffix": suffix, "overwrite": overwrite}
    schema = scoring.add_scores(without_rows(frame), columns=columns, **named, **options).schema
    fields = list(dict.fromkeys(scoring.SCORE_COLUMNS if columns is None else columns))
    new = {f"{prefix}{field}{suffix}": field for field in fields}
    dtypes = {field: schema.field(name).type for name, field in new.items()}
    options |= {"columns": fields, "overwrite": True}
    computed = _computed(scores, [options["prediction"], options["answers"]], options, dtypes)
    return _with_fields(frame, computed, new)


def with_unwrapped(frame: Any, **options: Any) -> Batches:
    """Return the lazy frame with the answers inside predictions, in the same batches."""
    schema = wrapping_costs.with_unwrapped(without_rows(frame), **options).schema
    dtypes = {name: schema.field(name).type for name in (wrapping_costs.UNWRAPPED, wrapping_costs.STEPS)}
    answers = _computed(unwrapped, [options["prediction"]], options, dtypes)
    rows = _with_fields(frame, answers, {name: name for name in dtypes})
    return dataclasses.replace(Batches.of(frame), frame=rows)


def summarize(frame: Any, *, part: str | None = None, **options: Any) -> Summary:
    """Return the summary of all rows."""
    batches = Batches.of(frame)
    if options["unanswerable"] == "drop" and _are_fields(batches.frame):
        options["unanswerable"] = INVENTED
    nothing: Summary = summarizing.summarize(batches.nothing, **options, part=part)
    options["keep"] = nothing.settings.keep
    names = summarizing.columns_read(nothing, batches.frame.column_names, **options)
    if nothing.settings.cluster is None and DOCUMENT in batches.frame.column_names:
        # Batches then note documents for which no cluster is named.
        dtype = batches.frame.schema()[DOCUMENT].dtype
        names += [DOCUMENT] if dtype.is_string() or dtype.is_integer() else []
    needed, columns = _columns(names)
    binary = daft.DataType.binary()
    # According to Daft's annotation, it returns either a class or a decorator.
    partial: Any = daft.udaf(PartialSummary, return_dtype=binary, state=binary)
    added = partial()(*columns, names=needed, options=options).alias("summary")
    in_batches = batches.frame.select(*columns).into_batches(batches.rows)
    # Daft counts the rows in the same pass.
    [row] = in_batches.agg(added, columns[0].count("all").alias("rows")).to_pylist()
    # Without any batch, both values are null.
    content, rows = row["summary"], row["rows"] or 0
    summary = Summary.from_bytes(content) if content else nothing
    if summary.rows != rows:
        raise RuntimeError(
            f"Daft read {rows:,} rows, but the returned summaries cover {summary.rows:,}; run it again"
        )
    return dataclasses.replace(summary, parts=dict.fromkeys(nothing.parts, rows))


def find_slices(frame: Any, *, prediction: Any, columns: Any, **options: Any) -> Slices:
    """Return the slices found in the summary of all rows by these columns and by document."""
    names = inspect.signature(summarizing.summarize).parameters
    passed: dict[str, Any] = {name: options.pop(name) for name in names if name in options}
    passed |= {"by": columns, "prediction": prediction}
    if Plan(**options).search.features:
        raise ValueError("features need rows in memory; add them to the Daft frame as columns")
    if passed["metrics"] is None and passed["answers"] is not None:
        passed["metrics"] = "anls"
    nothing: Summary = summarizing.summarize(without_rows(frame), **passed)
    metrics = [metric.name for metric in nothing.settings.metrics if metric.name != BUILT_IN["zeros"].name]
    summarized.check(nothing, None, metrics)
    slices: Slices = finding.find_slices(summarizing.summarize(frame, **passed), metrics=metrics, **options)
    return slices


def _are_fields(frame: daft.DataFrame) -> bool:
    """Return whether the rows come from `fields`, as `are_fields` does for frames at hand."""
    dtypes = {field.name: field.dtype for field in frame.schema()}
    names = [name for name in field_rows.status_columns(frame.column_names) if dtypes[name].is_string()]
    if FIELD not in dtypes:
        return False
    few = len(field_rows.STATUSES) + 2
    columns = (frame.select(name).distinct().limit(few).to_pydict()[name] for name in names)
    return any(map(field_rows.hold_statuses, columns))


def _computed(
    compute: Callable[..., pa.Array],
    needed: Iterable[str],
    options: Mapping[str, Any],
    dtypes: Mapping[str, pa.DataType],
) -> daft.Expression:
    """Return the struct, with fields of these dtypes, that a function computes from columns."""
    struct = daft.DataType.struct(
        {name: daft.DataType.from_arrow_type(dtype) for name, dtype in dtypes.items()}
    )
    function = daft.func.batch(return_dtype=struct, use_process=False)(compute)
    names, columns = _columns(needed)
    expression: daft.Expression = function(*columns, names=names, options=options)
    return expression


def _with_fields(frame: Any, struct: daft.Expression, new: Mapping[str, str]) -> daft.DataFrame:
    """Return the rows with new columns, given the struct field of each name."""
    # The struct is a temporary column, so that rows are computed once for all fields.
    rows = Batches.of(frame).frame
    temporary = free_name("__anls_frame_new", rows.column_names)
    values = {name: daft.col(temporary).get(field) for name, field in new.items()}
    return rows.with_column(temporary, struct).with_columns(values).exclude(temporary)


def _columns(names: Iterable[str]) -> tuple[tuple[str, ...], list[daft.Expression]]:
    """Return the distinct names, and the columns."""
    names = tuple(dict.fromkeys(names))
    for name in names:
        if name == "*" or name.endswith(".*"):
            raise ValueError(f"Daft reads {name!r} as a pattern for columns; rename the column")
    return names, [daft.col(name) for name in names]


_MERGED_AT_ONCE = 16


def scores(*columns: daft.Series, names: tuple[str, ...], options: dict[str, Any]) -> pa.Array:
    """Score a batch of rows: a struct of the requested fields."""
    scored = scoring.add_scores(_table(columns, names), **options).select(options["columns"])
    return scored.to_struct_array().combine_chunks()


def unwrapped(*columns: daft.Series, names: tuple[str, ...], options: dict[str, Any]) -> pa.Array:
    """Return the answers inside a batch of predictions and the removal steps, as a struct."""
    rows = wrapping_costs.with_unwrapped(_table(columns, names), **options)
    return rows.select([wrapping_costs.UNWRAPPED, wrapping_costs.STEPS]).to_struct_array().combine_chunks()


class PartialSummary:
    """
    The steps of Daft's aggregation, from batches to summaries (as bytes) to a single summary.

    The class has no state, because Daft may use an instance for several queries.
    """

    def aggregate(self, *columns: daft.Series, names: tuple[str, ...], options: dict[str, Any]) -> bytes:
        """Summarize a batch of rows; without rows, return no bytes."""
        table = _table(columns, names)
        return summarizing.summarize(table, **options).to_bytes() if table.num_rows else b""

    def combine(self, states: daft.Series) -> bytes:
        """Add up summaries."""
        contents = [content for content in states.to_pylist() if content]
        if len(contents) <= 1:
            return contents[0] if contents else b""
        # Some at a time, then their sums, because with clusters, all at once need too much memory.
        starts = range(0, len(contents), _MERGED_AT_ONCE)
        some = (map(Summary.from_bytes, contents[start : start + _MERGED_AT_ONCE]) for start in starts)
        return merge(map(merge, some)).to_bytes()

    def finalize(self, state: bytes) -> bytes:
        """Return the sum."""
        return state


def _table(columns: Sequence[daft.Series], names: tuple[str, ...]) -> pa.Table:
    return pa.table({name: column.to_arrow() for name, column in zip(names, columns, strict=True)})
