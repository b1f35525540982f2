"""Addition of the summaries of parts, whose settings and dtypes must agree."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, overload

import polars as pl

from anls_frame.summary import system_sums, transitions
from anls_frame.summary.cells import add_up
from anls_frame.summary.details import KEYS
from anls_frame.summary.keys import CLUSTER, key_names
from anls_frame.summary.selection import worst_rows
from anls_frame.summary.summary import Summary
from anls_frame.summary.systems_summary import SystemsSummary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anls_frame._typing import Table
    from anls_frame.summary.settings import Settings

__all__ = ["merge"]

_UINT64 = 1 << 64


@overload
def merge(summaries: Iterable[Summary[Table]]) -> Summary[Table]: ...
@overload
def merge(summaries: Iterable[SystemsSummary[Table]]) -> SystemsSummary[Table]: ...
def merge(summaries: Iterable[Any]) -> Any:
    """
    Merge the summaries of parts, in any order, into that of all rows.

    Parameters
    ----------
    summaries
        At least one, all of one system or all of the same several ones. A cluster may have rows in several
        parts.

    Returns
    -------
    Summary or SystemsSummary
        The summary of all rows. Its tables are pandas frames if those of all parts are.

    Raises
    ------
    ValueError
        If there is none, if their settings differ (the error names them), if the same part occurs twice, or
        if the clusters of only some of them are folded.

    See Also
    --------
    anls_frame.summarize : the summary of a part.
    anls_frame.summarize_systems : the same for several systems.

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
    if all(isinstance(summary, SystemsSummary) for summary in summaries):
        return _merge_systems(summaries)
    if not all(isinstance(summary, Summary) for summary in summaries):
        raise TypeError(
            "merge needs summaries, as returned by summarize and Summary.load, all of one system or all of "
            "several"
        )
    return _merge(summaries)


def _merge(summaries: list[Summary]) -> Summary:
    settings = _common_settings(summaries)
    parts = _all_parts(summaries)
    for frame in ("cells", "bins", "worst_rows"):
        _check_dtypes([getattr(summary, frame) for summary in summaries], settings)
    # Sorted by name, so that the order in which parts are listed does not change the order of the rows.
    summaries.sort(key=lambda summary: sorted(summary.parts))
    keys = key_names(settings.by, None)
    clusters = [] if settings.cluster is None else [CLUSTER]
    digest = sum(int(summary.digest, 16) for summary in summaries) % _UINT64
    return Summary(
        settings=settings,
        parts=dict(sorted(parts.items())),
        digest=f"{digest:016x}",
        cells=add_up([summary.cells for summary in summaries], [*keys, *clusters]),
        own={
            name: add_up([summary.own[name] for summary in summaries], [*keys, *clusters])
            for name in summaries[0].own
        },
        bins=add_up([summary.bins for summary in summaries], [*keys, "grid_threshold"])
        if settings.has_texts
        else summaries[0].bins,
        worst_rows=worst_rows(
            pl.concat([summary.worst_rows.lazy() for summary in summaries], how="vertical_relaxed"), settings
        ).collect(),
        details={
            name: add_up([summary.details[name] for summary in summaries], [*keys, *KEYS[name]])
            for name in summaries[0].details
        },
        is_folded=summaries[0].is_folded,
        scored_by=_scored_by(summaries),
        forgotten_documents=next(filter(None, (one.forgotten_documents for one in summaries)), None),
        from_pandas=all(summary.from_pandas for summary in summaries),
    )


def _merge_systems(summaries: list[SystemsSummary]) -> SystemsSummary:
    settings = _common_settings(summaries)
    names = [list(summary.systems) for summary in summaries]
    for other in names[1:]:
        if other != names[0]:
            raise ValueError(f"summaries of different systems cannot be merged: {names[0]} and {other}")
    parts = _all_parts(summaries)
    sums = [summary.sums for summary in summaries]
    for name in sums[0].cells:
        _check_dtypes([one.cells[name] for one in sums], settings)
    summaries.sort(key=lambda summary: sorted(summary.parts))
    keys = key_names(settings.by, None)
    return SystemsSummary(
        settings=settings,
        systems=summaries[0].systems,
        is_folded=summaries[0].is_folded,
        parts=dict(sorted(parts.items())),
        sums=system_sums.add_up([summary.sums for summary in summaries], keys, settings.metrics),
        transitions={
            name: transitions.added([summary.transitions[name] for summary in summaries], keys)
            for name in summaries[0].transitions
        },
        scored_by=_scored_by(summaries),
        forgotten_documents=next(filter(None, (one.forgotten_documents for one in summaries)), None),
        from_pandas=all(summary.from_pandas for summary in summaries),
    )


def _scored_by(summaries: Sequence[Summary | SystemsSummary]) -> str | None:
    found = {summary.scored_by for summary in summaries}
    return found.pop() if len(found) == 1 else None


def _common_settings(summaries: Sequence[Summary | SystemsSummary]) -> Settings:
    if len({summary.is_folded for summary in summaries}) > 1:
        raise ValueError("the clusters of some summaries are folded; call fold_clusters() on all of them")
    orders = [summary.settings.orders for summary in summaries]
    common = {
        name: order for name, order in orders[0].items() if all(one.get(name) == order for one in orders)
    }
    settings = dataclasses.replace(summaries[0].settings, orders=common)
    for other in summaries[1:]:
        differing = settings.differences(other.settings)
        if differing:
            named = ", ".join(f"{name} ({own!r} and {its!r})" for name, (own, its) in differing.items())
            raise ValueError(f"summaries with different settings cannot be merged: {named}")
    return settings


def _all_parts(summaries: Sequence[Summary | SystemsSummary]) -> dict[str, int]:
    parts: dict[str, int] = {}
    for summary in summaries:
        twice = parts.keys() & summary.parts.keys()
        if twice:
            raise ValueError(f"the same part occurs twice: {', '.join(sorted(twice))}")
        parts |= summary.parts
    return parts


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
