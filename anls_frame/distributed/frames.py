"""
Functions of frames for Daft frames, called by `anls_frame._engines` with all options by name.

Each function first runs without rows, so that errors in columns or options show before hours of work.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import daft

from anls_frame.distributed import workers
from anls_frame.distributed.batches import Batches
from anls_frame.frames.documents import DOCUMENT
from anls_frame.metrics import scoring
from anls_frame.slices import finding, summarized
from anls_frame.slices.plan import Plan
from anls_frame.summary import summarizing
from anls_frame.summary.catalogue import BUILT_IN
from anls_frame.summary.summary import Summary
from anls_frame.summary.systems import two

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from anls_frame.slices.result import Slices


def without_rows(frame: Any) -> pa.Table:
    """Return the columns of a frame without rows."""
    return Batches.of(frame).nothing


def add_scores(frame: Any, *, columns: Any, prefix: str, suffix: str, overwrite: bool, **options: Any) -> Any:
    """Return the lazy frame with the scores of each row."""
    named: dict[str, Any] = {"prefix": prefix, "suffix": suffix, "overwrite": overwrite}
    schema = scoring.add_scores(without_rows(frame), columns=columns, **named, **options).schema
    fields = list(dict.fromkeys(scoring.SCORE_COLUMNS if columns is None else columns))
    new = {f"{prefix}{field}{suffix}": field for field in fields}
    dtypes = {field: daft.DataType.from_arrow_type(schema.field(name).type) for name, field in new.items()}
    score = daft.func.batch(return_dtype=daft.DataType.struct(dtypes), use_process=False)(workers.scores)
    names, texts = _columns([options["prediction"], options["answers"]])
    scores = score(*texts, names=names, options={**options, "columns": fields, "overwrite": True})
    # The struct is a temporary column, so that rows are scored once for all fields.
    rows, struct = Batches.of(frame).frame, "__anls_frame_score"
    while struct in rows.column_names:
        struct += "_"
    values = {name: daft.col(struct).get(field) for name, field in new.items()}
    return rows.with_column(struct, scores).with_columns(values).exclude(struct)


def summarize(frame: Any, *, part: str | None = None, **options: Any) -> Summary:
    """Return the summary of all rows."""
    batches = Batches.of(frame)
    nothing: Summary = summarizing.summarize(batches.nothing, **options, part=part)
    options["keep"] = nothing.settings.keep
    names = summarizing.columns_read(nothing, batches.frame.column_names, **options)
    if nothing.settings.cluster is None and DOCUMENT in batches.frame.column_names:
        # So that batches note documents that no cluster names.
        dtype = batches.frame.schema()[DOCUMENT].dtype
        names += [DOCUMENT] if dtype.is_string() or dtype.is_integer() else []
    needed, columns = _columns(names)
    binary = daft.DataType.binary()
    # According to Daft's annotation, it returns either a class or a decorator.
    partial: Any = daft.udaf(workers.PartialSummary, return_dtype=binary, state=binary)
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
    prediction = two(prediction) if isinstance(prediction, Mapping) else prediction
    names = inspect.signature(summarizing.summarize).parameters
    passed: dict[str, Any] = {name: options.pop(name) for name in names if name in options}
    passed |= {"by": columns, "prediction": prediction}
    if Plan(**options).search.features:
        raise ValueError("features are made of rows in memory; add them to the Daft frame as columns")
    if passed["metrics"] is None and passed["answers"] is not None:
        passed["metrics"] = "anls"
    nothing: Summary = summarizing.summarize(without_rows(frame), **passed)
    metrics = [metric.name for metric in nothing.settings.metrics if metric.name != BUILT_IN["zeros"].name]
    summarized.check(nothing, None, metrics)
    slices: Slices = finding.find_slices(summarizing.summarize(frame, **passed), metrics=metrics, **options)
    return slices


def _columns(names: Iterable[str]) -> tuple[tuple[str, ...], list[daft.Expression]]:
    """Return the names, each once, and the columns."""
    names = tuple(dict.fromkeys(names))
    for name in names:
        if name == "*" or name.endswith(".*"):
            raise ValueError(f"Daft reads {name!r} as a pattern for columns; rename the column")
    return names, [daft.col(name) for name in names]
