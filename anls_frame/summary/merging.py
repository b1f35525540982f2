"""Addition of summaries of parts, whose settings and dtypes must agree."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections import Counter
from collections.abc import Iterable, Sequence

import polars as pl

from anls_frame._typing import Table
from anls_frame.summary.keys import CLUSTER, key_names
from anls_frame.summary.settings import Settings
from anls_frame.summary.summary import Summary


def merge(summaries: Iterable[Summary[Table]]) -> Summary[Table]:
    """
    Merge the summaries of parts, in any order, into the summary of all rows.

    Parameters
    ----------
    summaries
        One or more summaries of the same systems. A cluster may have rows in several parts.

    Returns
    -------
    Summary
        The summary of all rows. Its tables are pandas frames if all parts were pandas frames.

    Raises
    ------
    ValueError
        If there are no summaries, their systems or settings differ (the error names the differences), a part
        occurs twice, or only some summaries have folded clusters.

    See Also
    --------
    anls_frame.summarize : the summary of a part.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a", "b"], "answer": ["a", "x"]})
    >>> parts = [af.summarize(half, "prediction", "answer") for half in (df[:1], df[1:])]
    >>> whole = af.summarize(df, "prediction", "answer")
    >>> af.merge(parts).digest == whole.digest
    True
    """
    summaries = list(summaries)
    if not summaries:
        raise ValueError("merge needs at least one summary")
    if not all(isinstance(summary, Summary) for summary in summaries):
        raise TypeError("merge needs summaries, as returned by summarize and Summary.load")
    settings = _common_settings(summaries)
    parts = [part for summary in summaries for part in summary.parts.items()]
    twice = sorted(name for name, times in Counter(name for name, _ in parts).items() if times > 1)
    if twice:
        raise ValueError(f"the same part occurs twice: {', '.join(twice)}")
    frames = [summary.sums.frames() for summary in summaries]
    for name in frames[0]:
        _check_dtypes([frame[name] for frame in frames], settings)
    # Sorted by name, so that the order in which parts are listed does not change the order of the rows.
    summaries.sort(key=lambda summary: sorted(summary.parts))
    first = summaries[0]
    scored_by = {summary.scored_by for summary in summaries}
    return Summary(
        settings=settings,
        systems=first.systems,
        parts=dict(sorted(parts)),
        predictions={
            name: functools.reduce(operator.add, [summary.predictions[name] for summary in summaries])
            for name in first.systems
        },
        sums=first.sums.added([summary.sums for summary in summaries], settings),
        is_folded=first.is_folded,
        scored_by=scored_by.pop() if len(scored_by) == 1 else None,
        forgotten_documents=next(filter(None, (summary.forgotten_documents for summary in summaries)), None),
        from_pandas=all(summary.from_pandas for summary in summaries),
    )


def _common_settings(summaries: Sequence[Summary]) -> Settings:
    if len({summary.is_folded for summary in summaries}) > 1:
        raise ValueError("the clusters of some summaries are folded; call fold_clusters() on all of them")
    orders = [summary.settings.orders for summary in summaries]
    common = {
        name: order for name, order in orders[0].items() if all(given.get(name) == order for given in orders)
    }
    settings = dataclasses.replace(summaries[0].settings, orders=common)
    for other in summaries[1:]:
        names = list(summaries[0].systems), list(other.systems)
        systems = {} if names[0] == names[1] else {"systems": names}
        differing = systems | settings.differences(other.settings)
        if differing:
            named = ", ".join(f"{name} ({own!r} and {its!r})" for name, (own, its) in differing.items())
            raise ValueError(f"summaries with different settings cannot be merged: {named}")
    return settings


def _check_dtypes(frames: Sequence[pl.DataFrame], settings: Settings) -> None:
    """Raise an error if a column's dtype differs between parts: as strings, 1 and "1" would be equal."""
    names = dict(zip(key_names(settings.by, None), settings.by, strict=True)) | {CLUSTER: settings.cluster}
    known: dict[str, pl.DataType] = {}
    for frame in frames:
        for column, dtype in frame.schema.items():
            common = _common_dtype(known.get(column, dtype), dtype)
            if common is None:
                raise ValueError(
                    f"column {names.get(column, column)!r} has dtype {known[column]} in one part and "
                    f"{dtype} in another; cast it before summarizing"
                )
            known[column] = common


def _common_dtype(first: pl.DataType, other: pl.DataType) -> pl.DataType | None:
    if other in (first, pl.Null):
        return first
    if first == pl.Null:
        return other
    if isinstance(first, pl.List) and isinstance(other, pl.List):
        inner = _common_dtype(first.inner, other.inner)  # type: ignore[arg-type] # of a schema: instances
        return None if inner is None else pl.List(inner)
    both_signed = first.is_signed_integer() and other.is_signed_integer()
    both_unsigned = first.is_unsigned_integer() and other.is_unsigned_integer()
    return first if both_signed or both_unsigned else None
