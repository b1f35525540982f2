"""Summaries of frames: counts of rows, and sums of the scores of one system or several."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame._arguments import count, takes_names
from anls_frame._engines import on_engines
from anls_frame._typing import ByFrame, Missing, declared
from anls_frame.frames import documents
from anls_frame.frames.conversion import at_hand, column_names
from anls_frame.frames.origins import scored_by
from anls_frame.frames.progress import following
from anls_frame.frames.reserved_columns import NULL_IN_GOLD, PAGE, QUESTION, QUESTION_ID
from anls_frame.protocol import ScoreProtocol
from anls_frame.summary import comparison_sums, own_metrics, report_sums
from anls_frame.summary.catalogue import Metrics, are_error_rates, of_own_fields
from anls_frame.summary.keys import key_names, optional
from anls_frame.summary.labels import check_slices
from anls_frame.summary.settings import (
    INVENTED,
    MOST_ROWS,
    Settings,
    Unanswerable,
    are_texts,
    detail_settings,
    named_columns,
    scoring,
)
from anls_frame.summary.slicing import By
from anls_frame.summary.slicing import resolve as slicing_of
from anls_frame.summary.summary import Summary
from anls_frame.summary.system_rows import scored_rows, warn_of_logged
from anls_frame.summary.systems import are_several, for_system, metrics_of, systems_of

if TYPE_CHECKING:
    import pandas as pd


_on_frames: ByFrame[Summary[pd.DataFrame], Summary[pl.DataFrame]] = declared


@_on_frames
@on_engines
@takes_names
def summarize(
    frame: Any,
    prediction: str | Mapping[str, str] | Sequence[str] | None = None,
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
    Summarize a frame as counts and sums by cell, for reports or comparisons of rows in several parts.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame (read on the streaming engine, so it may be larger than memory), a
        pandas DataFrame, any object with the Arrow PyCapsule interface, or a Daft DataFrame, whose rows are
        scored where they are stored.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers; without them,
        `metrics` names the columns of existing scores. For a comparison, `prediction` is a mapping from the
        names of systems to columns, or a list of columns, as for `compare`; without `answers`, these columns
        hold existing scores. A mapping or list of one system is summarized as its column alone.
    metrics
        One or several scores, as for `report`: names, columns of existing scores, expressions of the frame's
        columns, or a `Metric`. Custom metrics read the rows again. For several systems, as for
        `compare`.
    by
        Columns that define the slices; in pandas, levels of the index too. A row with a list counts once in
        the slice of each entry; null, an empty list and a list of nulls all belong to the slice null.
    cluster
        Column that identifies the cluster (the document) of each row; nulls form one cluster.
    protocol
        How texts are scored, as in `anls_frame.score`: the name of a preset or a `ScoreProtocol`, such as
        ``PROTOCOLS["rrc"].replace(threshold=0.3, errors="jiwer")``.
    missing
        `"empty"`, the default, scores a null prediction as an empty string; `"drop"` leaves such rows out.
        Null scores are always left out.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts); a row of
        `fields` counts, as wrong, if something was predicted there. `"empty"` treats the empty text as their
        answer: such a row is right if its prediction is null or empty, whatever `missing` says, and wrong
        otherwise.
    worst
        Number of rows to keep, those with the worst scores in the first metric (single system only).
    keep
        Columns to keep for these rows, by default what readers call `question_id` and `question`, or, with
        error rates, `page` and `question_id`, where the frame has them.
    details
        Whether to count error types, causes, character confusions (prepared by the protocol's `errors`) and
        lengths; this reads the rows two more times. By default, confusions are counted in rows with an
        `nls` of at least 0.5, which were read at least in part; a mapping changes these options, as in
        ``{"min_nls": 0.8, "max_length": 2}`` (see `confusions`). For several systems, `True` counts the error
        types of each system against those of the first.
    part
        Name of this part, by which `merge` detects duplicates; random by default.

    Returns
    -------
    Summary
        The summary. Its size depends on the number of cells, not on the number of rows; for several systems
        without clusters, on the number of distinct combinations of scores.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    ValueError
        If an option has an invalid value, there is nothing to score, or a metric has a value outside its
        bounds.

    See Also
    --------
    anls_frame.merge : adds up the summaries of parts.
    anls_frame.report : the report of a frame; `Report.from_summary` makes the report of a summary.
    anls_frame.compare : the comparison of a frame; `Comparison.from_summary` makes the comparison of a
    summary.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"old": ["a", None], "new": ["a", "x"], "answer": ["a", "x"], "lang": ["en", "en"]})
    >>> summary = af.summarize(df, "old", "answer", by="lang")
    >>> af.Report.from_summary(summary).overall["anls"]
    0.5
    >>> summary = af.summarize(df, ["old", "new"], "answer", by="lang")
    >>> af.Comparison.from_summary(summary).overall["difference"].item()
    0.5
    """
    systems, is_comparison = systems_of(prediction), are_several(prediction)
    has_texts = are_texts(prediction, answers)
    worst = count("worst", worst, most=MOST_ROWS - 1)
    text_options = detail_settings(details, has_texts=has_texts, is_comparison=is_comparison)
    if part is not None and not (isinstance(part, str) and part):
        raise ValueError(f"part must be a non-empty string, got {part!r}")
    slicing = slicing_of(by)
    # Columns that slice, and the cluster, are kept in any case.
    kept = tuple(name for name in named_columns("keep", keep) if name not in (*slicing.plain, cluster))
    if is_comparison and (worst or kept):
        raise ValueError(
            "worst= and keep= are for the summary of one system; `changes` returns the rows in which "
            "several differ"
        )
    frame = at_hand(frame)
    text_options |= scoring(protocol, frame, has_texts=has_texts, missing=missing, unanswerable=unanswerable)
    chosen = metrics_of(metrics, prediction, column_names(frame), has_texts=has_texts, protocol=protocol)
    if is_comparison and text_options.get("unanswerable") == INVENTED:
        chosen = of_own_fields(chosen, protocol)
    if worst and has_texts and not keep:
        # What rows are known by, as readers call it.
        known_by = (PAGE, QUESTION_ID) if are_error_rates(chosen) else (QUESTION_ID, QUESTION)
        others = {*column_names(frame)} - {*slicing.names, *map(str, (prediction, answers)), cluster}
        kept = tuple(name for name in known_by if name in others)
    settings = Settings(
        by=slicing.names,
        tables=slicing.tables,
        cluster=cluster,
        metrics=chosen,
        worst=worst,
        keep=kept,
        **text_options,
    )
    if answers is not None and not is_comparison:
        texts = [*systems.values(), answers]
        warn_of_logged(frame, texts, chosen, protocol=settings.protocol, missing=missing)
    # The sums of built-in scores of one system come from all texts.
    read = [metric for metric in chosen if is_comparison or not metric.is_built_in]
    # The rows of a comparison are read once, whatever is counted.
    times = 1 if is_comparison else passes(settings)
    with following(len(frame) * times if hasattr(frame, "__len__") else None) as advance:
        rows = scored_rows(frame, systems, answers, read, settings, slicing=slicing, advance=advance)
        sums = comparison_sums.collect(rows) if is_comparison else report_sums.collect(rows, part=part)
    check_slices(next(iter(sums.cells.values())), key_names(settings.by, None), settings.by)
    return Summary(
        settings=rows.settings,
        systems=systems,
        parts={part or uuid.uuid4().hex: sums.rows},
        sums=sums,
        scored_by=scored_by(frame, has_texts=has_texts),
        forgotten_documents=documents.forgotten(frame, cluster),
        from_pandas=rows.from_pandas,
    )


def passes(settings: Settings) -> int:
    """Return the number of passes over the rows of a report."""
    # Lengths come with the scores; causes are read with error types, confusions by themselves.
    text_passes = settings.has_texts + 2 * settings.details
    # Cells of clusters come with custom metrics.
    own_passes = bool(settings.own) and (settings.cluster is None or not settings.has_texts)
    return text_passes + own_passes + bool(settings.worst)


def columns_read(
    summary: Summary, columns: Sequence[str], *, prediction: Any, answers: str | None, **options: Any
) -> list[str]:
    """Return the columns of a frame that `summarize` reads for a summary with given options."""
    settings, systems = summary.settings, summary.systems
    how: dict[str, Any] = {"has_texts": settings.has_texts, "protocol": settings.protocol}
    metrics = metrics_of(options["metrics"], prediction, columns, **how)
    own = [for_system(metric, name) for metric in metrics for name in systems]
    # Columns of existing scores are the metric's own.
    texts = [*systems.values(), *optional(answers)] if settings.has_texts else []
    needed = [*texts, *settings.keep, *own_metrics.needed_columns(own), *optional(settings.cluster)]
    return [*needed, *slicing_of(options["by"]).columns, *{NULL_IN_GOLD}.intersection(columns)]
