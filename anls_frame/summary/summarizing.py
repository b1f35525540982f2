"""Summarize a frame: count its rows and sum its scores."""

from __future__ import annotations

import dataclasses
import uuid
from typing import TYPE_CHECKING, Any, Concatenate, cast

from anls_frame._arguments import count, takes_names
from anls_frame._engines import on_engines
from anls_frame.frames import documents
from anls_frame.frames.conversion import at_hand, column_names, is_pandas
from anls_frame.frames.origins import scored_by
from anls_frame.frames.progress import following
from anls_frame.summary.catalogue import are_of_pages, resolve
from anls_frame.summary.cells import Collected, collect
from anls_frame.summary.details import KEYS, plans
from anls_frame.summary.keys import key_names
from anls_frame.summary.rows import Live, existing_scores, scored_texts
from anls_frame.summary.settings import (
    MOST_ROWS,
    Settings,
    are_texts,
    check_keep,
    check_part,
    detail_settings,
    resolve_missing,
    scoring,
)
from anls_frame.summary.slicing import check_values
from anls_frame.summary.slicing import resolve as slicing_of
from anls_frame.summary.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas as pd
    import polars as pl

    from anls_frame._typing import Missing, OnFrames, Options
    from anls_frame.protocol import ScoreProtocol
    from anls_frame.summary.catalogue import Metrics
    from anls_frame.summary.settings import Unanswerable
    from anls_frame.summary.slicing import By

__all__ = ["summarize"]

_PAGE = "page"


def _on_frames(
    function: Callable[Concatenate[Any, Options], Summary],
) -> OnFrames[Options, Summary[pd.DataFrame], Summary[pl.DataFrame]]:
    return cast("OnFrames[Options, Summary[pd.DataFrame], Summary[pl.DataFrame]]", function)


@_on_frames
@on_engines
@takes_names
def summarize(
    frame: Any,
    prediction: str | None = None,
    answers: str | None = None,
    *,
    metrics: Metrics | None = None,
    by: By | None = None,
    cluster: str | None = None,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
    worst: int = 0,
    keep: Sequence[str] = (),
    details: bool | Mapping[str, float] = False,
    part: str | None = None,
) -> Summary:
    """
    Count and sum the scores of a frame by cell, for the report of rows in several parts.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame (read on the streaming engine, so it may be larger than memory), a
        pandas DataFrame, any object with the Arrow PyCapsule interface, or a Daft DataFrame, whose rows are
        scored where they are stored.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers; without them,
        `metrics` names the columns of existing scores.
    metrics
        The scores to report, one or several, as for `report`: names, columns of existing scores, expressions
        of the frame's columns, or a `Metric`. Each own metric reads the rows once more.
    by
        Columns that define the slices; in pandas, levels of the index too. A row counts in the slice of each
        entry of a list column; null, an empty list and a list of nulls all belong to the slice null.
    cluster
        Column that identifies the cluster (the document) of each row; nulls form one cluster.
    protocol
        How texts are scored, as for `anls_frame.score`: a preset's name or a `ScoreProtocol`, such as
        ``PROTOCOLS["rrc"].replace(threshold=0.3, errors="jiwer")``.
    missing
        `"empty"`, the default, scores a null prediction as an empty string; `"drop"` leaves it out. A null
        score is always left out.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts). `"empty"`
        scores them as if the empty text were the answer: a row is right where nothing was predicted, null or
        empty, whatever `missing` says, and wrong with any text.
    worst
        Number of rows to keep: those with the lowest score in the first metric, or with the highest if lower
        is better.
    keep
        Columns to keep of these rows, such as the id of a question; by default, with the metrics "ocr", the
        column `page` that `read_pages` has.
    details
        Also count error types, character confusions (prepared by the protocol's `errors`) and lengths; this
        reads the rows two more times. Confusions are counted in rows with an `nls` of at least 0.5, which
        were read at all; a mapping says otherwise, as in ``{"min_nls": 0.8, "max_length": 2}``, see
        `confusions`.
    part
        Name of this part, by which `merge` recognises it; random by default.

    Returns
    -------
    Summary
        Its size depends on the number of cells, not on the number of rows.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    ValueError
        If an option has an invalid value, if there is nothing to score, or if a metric has a value outside
        its bounds.

    See Also
    --------
    anls_frame.merge : add up the summaries of parts.
    anls_frame.report : the report of one frame; `Report.from_summary` makes that of a summary.
    anls_frame.summarize_systems : the same for several systems.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a", None], "answer": ["a", "x"], "lang": ["en", "en"]})
    >>> af.summarize(df, "prediction", "answer", by="lang").cells.select("key_0", "n", "zeros_sum")
    shape: (1, 3)
    ┌───────┬─────┬───────────┐
    │ key_0 ┆ n   ┆ zeros_sum │
    │ ---   ┆ --- ┆ ---       │
    │ str   ┆ i64 ┆ i64       │
    ╞═══════╪═════╪═══════════╡
    │ en    ┆ 2   ┆ 1         │
    └───────┴─────┴───────────┘
    """
    has_texts = are_texts(prediction, answers)
    missing = resolve_missing(missing, has_scores=not has_texts)
    worst = count("worst", worst, most=MOST_ROWS - 1)
    of_texts = scoring(protocol, of_texts=has_texts, unanswerable=unanswerable)
    of_texts |= detail_settings(details, of_texts=has_texts)
    check_part(part)
    slicing = slicing_of(by)
    # Columns that slice, and the cluster, are kept in any case.
    kept = tuple(name for name in check_keep(keep) if name not in (*slicing.plain, cluster))
    frame = at_hand(frame)
    chosen = resolve(metrics, column_names(frame), has_texts=has_texts, protocol=protocol)
    if worst and not kept and are_of_pages(chosen) and _PAGE in {*column_names(frame)} - {*slicing.names}:
        # Pages are known by their names, as `read_pages` has them.
        kept = (_PAGE,)
    own = tuple(metric for metric in chosen if not metric.is_built_in)
    live = Live(slicing=slicing, metrics=own)
    settings = Settings(
        by=slicing.names,
        tables=slicing.tables,
        cluster=cluster,
        metrics=tuple(metric.described() for metric in chosen),
        has_texts=has_texts,
        missing=missing,
        worst=worst,
        keep=kept,
        **of_texts,
    )
    total = len(frame) * passes(settings) if hasattr(frame, "__len__") else None
    with following(total) as advance:
        if prediction is None or answers is None:
            rows = existing_scores(frame, live, settings, advance)
        else:
            rows = scored_texts(frame, (prediction, answers), live, settings, advance)
            if settings.details:
                keys = key_names(settings.by, None)
                rows = dataclasses.replace(rows, details=plans(rows.texts, keys, settings))
        settings = dataclasses.replace(settings, orders=rows.orders)
        collected = collect(dataclasses.replace(rows, part=part), settings)
        summary = _summary(collected, settings, part or uuid.uuid4().hex)
    known = scored_by(frame, has_texts=has_texts)
    return dataclasses.replace(
        summary,
        scored_by=known,
        forgotten_documents=documents.forgotten(frame, cluster),
        from_pandas=is_pandas(frame),
    )


def passes(settings: Settings) -> int:
    """Return the number of times that the rows are read."""
    of_texts = settings.has_texts + settings.details * (len(KEYS) - 1)  # lengths come with the scores
    return of_texts + len(settings.own) + bool(settings.worst)


def _summary(collected: Collected, settings: Settings, part: str) -> Summary:
    check_values(collected.cells, dict(zip(key_names(settings.by, None), settings.by, strict=True)))
    return Summary(
        settings=settings,
        parts={part: int(collected.cells["rows"].sum())},
        digest=collected.digest,
        cells=collected.cells,
        own=collected.own,
        bins=collected.bins,
        worst_rows=collected.worst,
        details=collected.details,
    )
