"""Scores, summaries and reports of Daft frames."""

from __future__ import annotations

import atexit
import dataclasses
import functools
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import daft
import pyarrow as pa

from anls_frame._arguments import count
from anls_frame.distributed import workers
from anls_frame.exceptions import DTypeError
from anls_frame.frames.documents import DOCUMENT
from anls_frame.metrics import scoring
from anls_frame.reports.comparisons import Comparison, baseline_first
from anls_frame.reports.reports import Report
from anls_frame.slices import finding, summarized
from anls_frame.summary import own_metrics, slicing, summarizing, systems_summary
from anls_frame.summary.catalogue import BUILT_IN, resolve
from anls_frame.summary.settings import check_keep
from anls_frame.summary.summary import Summary
from anls_frame.summary.systems import of_system, resolve_for, resolve_systems
from anls_frame.summary.systems_summary import SystemsSummary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anls_frame._typing import MissingPrediction, ScoreColumn
    from anls_frame.protocol import ScoreProtocol
    from anls_frame.slices.result import Slices
    from anls_frame.summary.catalogue import Metrics
    from anls_frame.summary.settings import Missing, Unanswerable
    from anls_frame.summary.slicing import By

__all__ = ["add_scores", "compare", "find_slices", "report", "summarize", "summarize_systems"]

_Kind = TypeVar("_Kind", Summary, SystemsSummary)

BATCH_ROWS = 262_144
"""Rows that are summarized at once: each summary costs some milliseconds, even with few rows."""

_SECONDS_OF_REST = 0.5


def add_scores(
    frame: daft.DataFrame,
    prediction: str,
    answers: str,
    *,
    protocol: ScoreProtocol | str = "anls",
    threshold: float | None = None,
    cer_protocol: ScoreProtocol | str = "raw",
    missing: MissingPrediction = "null",
    columns: Sequence[ScoreColumn] | None = None,
    prefix: str = "",
    suffix: str = "",
    overwrite: bool = False,
) -> daft.DataFrame:
    """
    Add all scores of a prediction column to a Daft frame, computed in one pass.

    Parameters
    ----------
    frame
        A Daft DataFrame; it is not computed yet.
    prediction
        Name of the column with the predicted texts.
    answers
        Name of the column with the accepted answer of each row, or a list of them.
    protocol, threshold, cer_protocol
        How texts are scored, as for `anls_frame.score`. To make your own `cer_protocol`, start from "raw",
        which prepares nothing: ``PROTOCOLS["raw"].replace(unicode_form="NFC")``.
    missing
        `"null"` gives null for a null prediction, `"empty"` scores it as an empty string, as reports do.
    columns
        Which fields of `score` to add; all by default.
    prefix, suffix
        Added to the names of the new columns.
    overwrite
        Replace columns that have the names of new ones, instead of raising an error.

    Returns
    -------
    daft.DataFrame
        Lazy: the columns of the input and the new ones, which are null where there is no answer and, by
        default, where the prediction is null.

    Raises
    ------
    ColumnNotFoundError
        If the frame has no such column.
    DTypeError
        If a column does not hold strings (or, for the answers, lists of strings).
    DuplicateColumnError
        If the frame has a column with the name of a new one.
    ValueError
        If an option is outside its choices.
    TypeError
        If the frame is not a Daft DataFrame.

    See Also
    --------
    anls_frame.add_scores : the same for other frames.

    Examples
    --------
    >>> from anls_frame import distributed
    >>> import daft
    >>> df = daft.from_pydict({"prediction": ["CocaCola", None], "answers": [["Coca Cola"], ["a"]]})
    >>> scored = distributed.add_scores(df, "prediction", "answers", columns=["cer", "answer_index"])
    >>> scored.select("cer", "answer_index").to_pydict()
    {'cer': [0.1111111111111111, None], 'answer_index': [0, None]}
    """
    if isinstance(columns, Iterable) and not isinstance(columns, str):
        columns = list(columns)
    options: dict[str, Any] = {
        "protocol": protocol,
        "threshold": threshold,
        "cer_protocol": cer_protocol,
        "missing": missing,
    }
    # A frame without rows gives the dtypes of the new columns, and raises the same errors as any frame.
    scored = scoring.add_scores(
        _without_rows(frame, [prediction, answers]),
        prediction,
        answers,
        **options,
        columns=columns,
        prefix=prefix,
        suffix=suffix,
        overwrite=overwrite,
    )
    fields = list(dict.fromkeys(scoring.SCORE_COLUMNS if columns is None else columns))
    new = {field: f"{prefix}{field}{suffix}" for field in fields}
    dtypes = {
        field: daft.DataType.from_arrow_type(scored.schema.field(name).type) for field, name in new.items()
    }
    score = daft.func.batch(return_dtype=daft.DataType.struct(dtypes), use_process=False)(workers.score)
    names = tuple(dict.fromkeys([prediction, answers]))
    scores = score(
        *map(daft.col, names), names=names, inputs=(prediction, answers), fields=fields, options=options
    )
    # The struct is a temporary column, so that rows are scored once for all fields.
    struct = "__anls_frame_score"
    while struct in frame.column_names:
        struct += "_"
    columns_of_fields = {name: daft.col(struct).get(field) for field, name in new.items()}
    return frame.with_column(struct, scores).with_columns(columns_of_fields).exclude(struct)


def summarize(
    frame: daft.DataFrame,
    prediction: str | None = None,
    answers: str | None = None,
    *,
    metrics: Metrics | None = None,
    by: By | None = None,
    cluster: str | None = None,
    protocol: ScoreProtocol | str = "anls",
    threshold: float | None = None,
    cer_protocol: ScoreProtocol | str = "raw",
    missing: Missing | None = None,
    unanswerable: Unanswerable = "drop",
    worst: int = 0,
    keep: Sequence[str] = (),
    details: bool | Mapping[str, float] = False,
    part: str | None = None,
    batch_rows: int = BATCH_ROWS,
) -> Summary:
    """
    Count and sum the scores of a Daft frame by cell, batch by batch, where the rows are stored.

    Parameters
    ----------
    frame
        A Daft DataFrame.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers.
    metrics
        The scores to report, as for `anls_frame.report`. A function is sent to the workers.
    by
        Columns that slice the rows. A row counts in each entry of a list column; null, an empty list and a
        list of nulls are one slice, null.
    cluster
        Column with the cluster (the document) of each row; nulls are one cluster.
    protocol, threshold, cer_protocol
        How texts are scored, as for `anls_frame.score`. To make your own `cer_protocol`, start from "raw",
        which prepares nothing: ``PROTOCOLS["raw"].replace(unicode_form="NFC")``.
    missing
        `"empty"`, the default, scores a null prediction as the empty string; `"drop"` leaves it out. A null
        score is always left out.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts). `"empty"`
        scores them as if the empty text were the answer: a row is right where nothing was predicted, null or
        empty, whatever `missing` says, and wrong with any text.
    worst
        How many of the worst rows to keep: those with the lowest score in the first metric, or the highest if
        lower is better.
    keep
        Columns to keep of these rows.
    details
        Also count error types, character confusions (under `cer_protocol`) and lengths, as for
        `anls_frame.summarize`.
    part
        Name of this part, by which `merge` recognises it; random by default.
    batch_rows
        Rows that are summarized at once. Fewer rows need less memory (pages of text), but each batch costs
        some milliseconds.

    Returns
    -------
    Summary
        The summary of all rows, as from `anls_frame.summarize`.

    Raises
    ------
    ColumnNotFoundError
        If the frame has no such column.
    DTypeError
        If a column does not fit its role.
    ValueError
        If an option is outside its choices, or there is nothing to score.
    TypeError
        If the frame is not a Daft DataFrame.
    RuntimeError
        If the returned summaries do not cover all rows that Daft read.

    See Also
    --------
    anls_frame.summarize : the same for other frames.

    Examples
    --------
    >>> from anls_frame import distributed
    >>> import daft
    >>> df = daft.from_pydict({"prediction": ["a", None], "answer": ["a", "x"], "lang": ["en", "en"]})
    >>> distributed.summarize(df, "prediction", "answer", by="lang").rows
    2
    """
    options = {
        "prediction": prediction,
        "answers": answers,
        "metrics": metrics,
        "by": by,
        "cluster": cluster,
        "protocol": protocol,
        "threshold": threshold,
        "cer_protocol": cer_protocol,
        "missing": missing,
        "unanswerable": unanswerable,
        "worst": worst,
        "keep": keep,
        "details": details,
    }
    nothing = _summary_without_rows(frame, options, batch_rows, part)
    return _summary(frame, nothing, options, _needed(frame, options), batch_rows, workers.PartialSummary)


def report(
    frame: daft.DataFrame,
    prediction: str | None = None,
    answers: str | None = None,
    *,
    metrics: Metrics | None = None,
    by: By | None = None,
    cluster: str | None = None,
    protocol: ScoreProtocol | str = "anls",
    threshold: float | None = None,
    cer_protocol: ScoreProtocol | str = "raw",
    missing: Missing | None = None,
    unanswerable: Unanswerable = "drop",
    worst: int = 0,
    keep: Sequence[str] = (),
    details: bool | Mapping[str, float] = False,
    sort: str | None = None,
    confidence: float = 0.95,
    min_n: int = 0,
    name: str | None = None,
    title: str | None = None,
    batch_rows: int = BATCH_ROWS,
) -> Report:
    """
    Report the scores of a Daft frame, over all rows and by slice, with intervals.

    Parameters
    ----------
    frame
        A Daft DataFrame.
    prediction, answers, metrics, by, cluster, protocol, threshold, cer_protocol
        As for `summarize`.
    missing, unanswerable, worst, keep, details
        As for `summarize`.
    sort
        Column by which slices are sorted, as for `anls_frame.report`.
    confidence
        Confidence level of the intervals.
    min_n
        Slices with fewer scored rows are left out.
    name, title
        Name of the system and title, for headings.
    batch_rows
        Rows that are summarized at once, as for `summarize`.

    Returns
    -------
    Report
        The report that `anls_frame.report` would return for all rows on one machine.

    Raises
    ------
    ColumnNotFoundError
        If the frame has no such column.
    DTypeError
        If a column does not fit its role.
    ValueError
        If an option is outside its choices, or there is nothing to score.
    TypeError
        If the frame is not a Daft DataFrame.
    RuntimeError
        If the returned summaries do not cover all rows that Daft read.

    See Also
    --------
    anls_frame.report : the same for other frames.

    Examples
    --------
    >>> from anls_frame import distributed
    >>> import daft
    >>> df = daft.from_pydict({"prediction": ["a", "b"], "answer": ["a", "x"], "lang": ["en", "de"]})
    >>> distributed.report(df, "prediction", "answer", by="lang").by_group["lang"].to_list()
    ['de', 'en']
    """
    options = {
        "prediction": prediction,
        "answers": answers,
        "metrics": metrics,
        "by": by,
        "cluster": cluster,
        "protocol": protocol,
        "threshold": threshold,
        "cer_protocol": cer_protocol,
        "missing": missing,
        "unanswerable": unanswerable,
        "worst": worst,
        "keep": keep,
        "details": details,
    }
    nothing = _summary_without_rows(frame, options, batch_rows)
    # Errors in these arguments must show before hours of work, and a summary without rows raises them.
    shown: dict[str, Any] = {
        "sort": sort,
        "confidence": confidence,
        "min_n": min_n,
        "name": name,
        "title": title,
    }
    Report(nothing, **shown)
    needed = _needed(frame, options)
    summary = _summary(frame, nothing, options, needed, batch_rows, workers.PartialSummary)
    return Report(summary, **shown)


def find_slices(
    frame: daft.DataFrame,
    prediction: str | Mapping[str, str] | None = None,
    answers: str | None = None,
    columns: By | None = None,
    *,
    systems: Mapping[str, str] | None = None,
    cluster: str,
    depth: int = 2,
    min_rows: int = 20,
    min_clusters: int = 5,
    metrics: Metrics | None = None,
    top: int = 20,
    holdout: float | None = None,
    bins: int = 5,
    max_values: int = 50,
    protocol: ScoreProtocol | str = "anls",
    threshold: float | None = None,
    cer_protocol: ScoreProtocol | str = "raw",
    missing: Missing | None = None,
    unanswerable: Unanswerable = "drop",
    confidence: float = 0.95,
    draws: int = 199,
    seed: int = 0,
    batch_rows: int = BATCH_ROWS,
) -> Slices:
    """
    Find the slices of a Daft frame in which a system is worse than in the rest, or the second of two lost.

    The rows are summarized where they are stored, by all columns to look at and by document, and slices are
    found in the summary.

    Parameters
    ----------
    frame
        A Daft DataFrame.
    prediction, answers
        As for `summarize`. A mapping as prediction stands for `systems`.
    columns
        The columns whose values may make up a slice. The summary has a cell for each document and each
        combination of their values, so round measured numbers before.
    systems
        Two systems, from name to prediction column: find the slices in which the second one lost.
    cluster
        Column that identifies the document of each row.
    depth, min_rows, min_clusters
        As for `anls_frame.find_slices`.
    metrics
        The scores, means of rows: `"anls"` by default. Several must have scores in the same rows.
    top, holdout, bins, max_values
        As for `anls_frame.find_slices`.
    protocol, threshold, cer_protocol, missing, unanswerable
        As for `summarize`.
    confidence, draws, seed
        As for `anls_frame.find_slices`.
    batch_rows
        Rows that are summarized at once, as for `summarize`.

    Returns
    -------
    Slices
        Those that `anls_frame.find_slices` would find in all rows on one machine.

    Raises
    ------
    ColumnNotFoundError
        If the frame has no such column.
    DTypeError
        If a column does not fit its role.
    ValueError
        If an option has an invalid value, if there is nothing to score, or if no column can slice rows.
    TypeError
        If the frame is not a Daft DataFrame.
    RuntimeError
        If the returned summaries do not cover all rows that Daft read.

    See Also
    --------
    anls_frame.find_slices : the same for other frames.

    Examples
    --------
    >>> from anls_frame import distributed
    >>> import daft
    >>> rows = daft.read_parquet("data/ocr_qa.parquet")
    >>> columns = ["doc_type", "lang", "question_types"]
    >>> found = distributed.find_slices(rows, "rapidocr", "answers", columns, cluster="doc_id")
    >>> found.frame.select("description", "n", "p_adjusted").row(0)
    ('question_types has form', 696, 0.005)
    """
    prediction, pair = finding.one_or_two(prediction, systems)
    options: dict[str, Any] = {
        "answers": answers,
        "metrics": "anls" if metrics is None and answers is not None else metrics,
        "by": columns,
        "cluster": cluster,
        "protocol": protocol,
        "threshold": threshold,
        "cer_protocol": cer_protocol,
        "missing": missing,
        "unanswerable": unanswerable,
    }
    how: dict[str, Any] = {
        "depth": depth,
        "min_rows": min_rows,
        "min_clusters": min_clusters,
        "top": top,
        "holdout": holdout,
        "bins": bins,
        "max_values": max_values,
        "confidence": confidence,
        "draws": draws,
        "seed": seed,
    }
    # Errors in these arguments must show before hours of work.
    finding.checked(**how)

    def names(nothing: Summary | SystemsSummary) -> list[str]:
        """Return the metrics, or raise an error if a summary cannot answer this."""
        zeros = BUILT_IN["zeros"].name
        found = [metric.name for metric in nothing.settings.metrics if metric.name != zeros]
        summarized.check(nothing, None, found)
        return found

    summary: Summary | SystemsSummary
    if pair is None:
        options |= {"prediction": prediction, "keep": ()}
        of_one = _summary_without_rows(frame, options, batch_rows)
        wanted, needed = names(of_one), _needed(frame, options)
        summary = _summary(frame, of_one, options, needed, batch_rows, workers.PartialSummary)
    else:
        options["systems"] = pair
        of_two, needed = _systems_without_rows(frame, options, batch_rows)
        wanted = names(of_two)
        summary = _summary(frame, of_two, options, needed, batch_rows, workers.PartialSystems)
    found: Slices = finding.find_slices(summary, metrics=wanted, **how)
    return found


def summarize_systems(
    frame: daft.DataFrame,
    systems: Mapping[str, str] | Sequence[str],
    answers: str | None,
    *,
    by: By | None = None,
    cluster: str | None = None,
    metrics: Metrics | None = None,
    protocol: ScoreProtocol | str = "anls",
    threshold: float | None = None,
    cer_protocol: ScoreProtocol | str = "raw",
    missing: Missing | None = None,
    unanswerable: Unanswerable = "drop",
    details: bool = False,
    part: str | None = None,
    batch_rows: int = BATCH_ROWS,
) -> SystemsSummary:
    """
    Count and sum the scores of several systems on the rows of a Daft frame, where the rows are stored.

    Parameters
    ----------
    frame
        A Daft DataFrame with a column for each system.
    systems, answers, by, cluster, metrics, protocol, threshold, cer_protocol, missing, unanswerable, details
        As for `anls_frame.compare`. A function is sent to the workers.
    part
        Name of this part, by which `merge` recognises it; random by default.
    batch_rows
        Rows that are summarized at once, as for `summarize`.

    Returns
    -------
    SystemsSummary
        The summary of all rows, as from `anls_frame.summarize_systems`.

    Raises
    ------
    ColumnNotFoundError
        If the frame has no such column.
    DTypeError
        If a column does not fit its role.
    ValueError
        If there are fewer than two systems, or an option is outside its choices.
    TypeError
        If the frame is not a Daft DataFrame.
    RuntimeError
        If the returned summaries do not cover all rows that Daft read.

    See Also
    --------
    anls_frame.summarize_systems : the same for other frames.

    Examples
    --------
    >>> from anls_frame import distributed
    >>> import daft
    >>> df = daft.from_pydict({"old": ["a", "b"], "new": ["a", "c"], "answer": ["a", "c"]})
    >>> distributed.summarize_systems(df, ["old", "new"], "answer").rows
    2
    """
    options: dict[str, Any] = {
        "systems": systems,
        "answers": answers,
        "by": by,
        "cluster": cluster,
        "metrics": metrics,
        "protocol": protocol,
        "threshold": threshold,
        "cer_protocol": cer_protocol,
        "missing": missing,
        "unanswerable": unanswerable,
        "details": details,
    }
    nothing, needed = _systems_without_rows(frame, options, batch_rows, part)
    return _summary(frame, nothing, options, needed, batch_rows, workers.PartialSystems)


def compare(
    frame: daft.DataFrame,
    systems: Mapping[str, str] | Sequence[str],
    answers: str | None,
    *,
    by: By | None = None,
    cluster: str | None = None,
    metrics: Metrics | None = None,
    baseline: str | None = None,
    protocol: ScoreProtocol | str = "anls",
    threshold: float | None = None,
    cer_protocol: ScoreProtocol | str = "raw",
    missing: Missing | None = None,
    unanswerable: Unanswerable = "drop",
    details: bool = False,
    confidence: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    batch_rows: int = BATCH_ROWS,
) -> Comparison:
    """
    Compare two or more systems on the rows of a Daft frame.

    Parameters
    ----------
    frame
        A Daft DataFrame with a column for each system.
    systems, answers, by, cluster, metrics, baseline, protocol, threshold, cer_protocol
        As for `anls_frame.compare`.
    missing, unanswerable, details
        As for `anls_frame.compare`. A function is sent to the workers.
    confidence, draws, seed
        As for `anls_frame.compare`.
    batch_rows
        Rows that are summarized at once, as for `summarize`.

    Returns
    -------
    Comparison
        The comparison that `anls_frame.compare` would return for all rows on one machine.

    Raises
    ------
    ColumnNotFoundError
        If the frame has no such column.
    DTypeError
        If a column does not fit its role.
    ValueError
        If there are fewer than two systems, or an option is outside its choices.
    TypeError
        If the frame is not a Daft DataFrame.
    RuntimeError
        If the returned summaries do not cover all rows that Daft read.

    See Also
    --------
    anls_frame.compare : the same for other frames.

    Examples
    --------
    >>> from anls_frame import distributed
    >>> import daft
    >>> df = daft.from_pydict({"old": ["a", "b"], "new": ["a", "c"], "answer": ["a", "c"]})
    >>> distributed.compare(df, ["old", "new"], "answer").overall["difference"]
    0.5
    """
    named = resolve_systems(systems)
    options: dict[str, Any] = {
        # Error types are counted from the first.
        "systems": {name: named[name] for name in baseline_first(named, baseline)},
        "answers": answers,
        "by": by,
        "cluster": cluster,
        "metrics": metrics,
        "protocol": protocol,
        "threshold": threshold,
        "cer_protocol": cer_protocol,
        "missing": missing,
        "unanswerable": unanswerable,
        "details": details,
    }
    nothing, needed = _systems_without_rows(frame, options, batch_rows)
    # Errors in these arguments must show before hours of work, and a summary without rows raises them.
    tests: dict[str, Any] = {"confidence": confidence, "draws": draws, "seed": seed}
    Comparison.from_summary(nothing, **tests)
    summary = _summary(frame, nothing, options, needed, batch_rows, workers.PartialSystems)
    return Comparison.from_summary(summary, **tests)


def _summary_without_rows(
    frame: daft.DataFrame, options: dict[str, Any], batch_rows: int, part: str | None = None
) -> Summary:
    """Summarize no rows, which raises an error if columns or options are wrong."""
    count("batch_rows", batch_rows, 1)
    options["by"], options["keep"] = slicing.listed(options["by"]), check_keep(options["keep"])
    has_texts = options["prediction"] is not None and options["answers"] is not None
    columns = frame.column_names if isinstance(frame, daft.DataFrame) else []
    # Resolved once: a batch does not know which names are columns of the frame.
    options["metrics"] = resolve(
        options["metrics"], columns, has_texts=has_texts, cer_protocol=options["cer_protocol"]
    )
    summary: Summary = summarizing.summarize(
        _without_rows(frame, _needed(frame, options)), **options, part=part
    )
    return summary


def _needed(frame: object, options: dict[str, Any]) -> tuple[str, ...]:
    """Return the columns that the workers need."""
    roles = [options[role] for role in ("prediction", "answers", "cluster")]
    slices = slicing.resolve(options["by"]).columns
    others = [*slices, *options["keep"], *own_metrics.needed(options["metrics"])]
    others += _documents(frame, options["cluster"])
    return tuple(dict.fromkeys(name for name in (*roles, *others) if name is not None))


def _documents(frame: object, cluster: str | None) -> list[str]:
    """Return the column with documents that no cluster names, so that batches note them."""
    if cluster is not None or not isinstance(frame, daft.DataFrame) or DOCUMENT not in frame.column_names:
        return []
    dtype = frame.schema()[DOCUMENT].dtype
    return [DOCUMENT] if dtype.is_string() or dtype.is_integer() else []


def _systems_without_rows(
    frame: daft.DataFrame, options: dict[str, Any], batch_rows: int, part: str | None = None
) -> tuple[SystemsSummary, tuple[str, ...]]:
    """Summarize no rows, which raises an error if columns or options are wrong; also what workers need."""
    count("batch_rows", batch_rows, 1)
    options["by"] = slicing.listed(options["by"])
    columns = resolve_systems(options["systems"])
    has_texts = options["answers"] is not None
    metrics = resolve_for(
        options["metrics"], columns, has_texts=has_texts, cer_protocol=options["cer_protocol"]
    )
    # Columns of existing scores are the metric's own.
    roles = [*(columns.values() if has_texts else ()), options["answers"], options["cluster"]]
    own = [of_system(metric, name) for metric in metrics for name in columns]
    others = [*slicing.resolve(options["by"]).columns, *own_metrics.needed(own)]
    others += _documents(frame, options["cluster"])
    needed = tuple(dict.fromkeys(name for name in (*roles, *others) if name is not None))
    summary: SystemsSummary = systems_summary.summarize_systems(
        _without_rows(frame, needed), **options, part=part
    )
    return summary, needed


def _summary(  # noqa: PLR0917 - of one query
    frame: daft.DataFrame,
    nothing: _Kind,
    options: dict[str, Any],
    names: tuple[str, ...],
    batch_rows: int,
    steps: type[workers.PartialSummary],
) -> _Kind:
    columns = [daft.col(name) for name in names]
    binary = daft.DataType.binary()
    # According to Daft's annotation, it returns either a class or a decorator.
    partial: Any = daft.udaf(steps, return_dtype=binary, state=binary)
    added = partial()(*columns, names=names, options=options)
    # Daft counts the rows in the same pass.
    result = (
        frame.select(*columns)
        .into_batches(batch_rows)
        .agg(
            added.alias("summary"),
            columns[0].count("all").alias("rows"),
        )
    )
    [row] = result.to_pylist()
    # Without any batch, both values are null.
    content, rows = row["summary"], row["rows"] or 0
    summary: _Kind = steps.kind.from_bytes(content) if content else nothing
    if summary.rows != rows:
        raise RuntimeError(
            f"Daft read {rows:,} rows, but the returned summaries cover {summary.rows:,}; run it again"
        )
    return dataclasses.replace(summary, parts=dict.fromkeys(nothing.parts, rows))


def _without_rows(frame: daft.DataFrame, names: Sequence[str | None]) -> pa.Table:
    """Return the frame's columns without rows, as a worker receives them."""
    if not isinstance(frame, daft.DataFrame):
        raise TypeError(
            f"frame must be a Daft DataFrame, got {type(frame).__name__}; for other frames, use the "
            "functions of the same names in anls_frame"
        )
    _rest_at_exit()
    fields = [pa.field(field.name, field.dtype.to_arrow_dtype()) for field in frame.schema()]
    for field in fields:
        if field.name in names and isinstance(field.type, pa.BaseExtensionType):
            dtype = frame.schema()[field.name].dtype
            raise DTypeError(
                f"column {field.name!r} has Daft's dtype {dtype}, which nothing else supports; cast it, "
                "strings with `.cast(daft.DataType.string())`"
            )
        if field.name in names and (field.name == "*" or field.name.endswith(".*")):
            raise ValueError(f"Daft reads {field.name!r} as a pattern for columns; rename the column")
    return pa.schema(fields).empty_table()


@functools.cache
def _rest_at_exit() -> None:
    """
    Make Python wait a moment at exit, once Daft calls functions of this package.

    Daft's threads release their Python objects shortly after a query. If Python exits before that, they
    sometimes crash it (Daft 0.7.26), with any function.
    """
    atexit.register(time.sleep, _SECONDS_OF_REST)
