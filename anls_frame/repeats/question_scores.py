"""Scores by question, for frames with repeated answers to questions."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Generic

import polars as pl
import polars.selectors as cs

from anls_frame import statistics
from anls_frame._arguments import count, takes_names
from anls_frame._messages import Message, Option
from anls_frame._text import label, numbered
from anls_frame._typing import ByFrame, Missing, Table_co, declared, table_of_frame
from anls_frame.exceptions import DuplicateColumnError
from anls_frame.export.display import spelled
from anls_frame.export.kinds import Kind, shown_as
from anls_frame.frames import origins
from anls_frame.frames.checks import COLLIDE, check_columns, free_name
from anls_frame.frames.conversion import as_kind_of, at_hand, column_names, in_polars
from anls_frame.frames.documents import called
from anls_frame.protocol import ScoreProtocol, described, resolve_errors
from anls_frame.reports.pairing import disagreeing, first_of
from anls_frame.summary.account import Account, account_of, account_sums
from anls_frame.summary.catalogue import Metrics, is_in_percent, resolve
from anls_frame.summary.keys import CLUSTER, canonical, explode_lists, key_names, optional, with_column_names
from anls_frame.summary.labels import check_slices
from anls_frame.summary.measures import Metric
from anls_frame.summary.settings import (
    Settings,
    Unanswerable,
    are_texts,
    check_by,
    id_columns,
    named_columns,
    scoring,
)
from anls_frame.summary.system_rows import marks, scored_rows, warn_of_logged
from anls_frame.summary.systems import systems_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class RepeatedAnswers:
    """
    Scored rows of repeatedly answered questions.

    Parameters
    ----------
    frame
        Columns `row`, keys `key_0`, ..., and those of `ids`, `kept` and `scores`.
    ids
        The columns that identify a question, with their names in the given frame.
    kept
        The columns that are the same in all rows of a question, with their names in the given frame.
    scores
        The columns of scores, with their metrics.
    account
        How rows were scored, and how many were given.
    """

    frame: pl.DataFrame
    ids: Mapping[str, str]
    kept: Mapping[str, str]
    scores: Mapping[str, Metric]
    account: Account[Any]


_OF_TRAINING = (
    "If these are the epochs of a training, each of them is a system: compare them with `anls-frame compare "
    'FILE --system-column epoch` or, in Python, after side_by_side(..., system="epoch")'
)


def scored_epochs(
    frame: Any,
    prediction: str | None,
    answers: str | None,
    *,
    id: str | Sequence[str],  # noqa: A002 - what users call it
    keep: Sequence[str],
    metrics: Metrics | None,
    protocol: ScoreProtocol | str,
    missing: Missing,
    unanswerable: Unanswerable,
    by: tuple[str, ...] = (),
    cluster: str | None = None,
) -> RepeatedAnswers:
    """
    Return the rows with their scores.

    Raises
    ------
    ValueError
        If an id is null, a metric has no score for a row or an invalid value, or rows of a question differ in
        a kept column or in the accepted answers.
    """
    has_texts = are_texts(prediction, answers)
    chosen = resolve(metrics, column_names(frame), has_texts=has_texts, protocol=protocol)
    for metric in chosen:
        if not metric.is_mean:
            raise ValueError(
                f"metric {metric.name!r} {metric.kind} and has no mean over epochs; choose an epoch, a mean "
                "of rows such as 'wer_mean' or, in a report of all rows with cluster=, every epoch counts by "
                "its length"
            )
    ids = id_columns(id)
    columns = list(dict.fromkeys([*ids, *keep]))
    settings = Settings(
        by=by,
        cluster=cluster,
        metrics=chosen,
        keep=tuple(columns),
        **scoring(protocol, frame, has_texts=has_texts, missing=missing, unanswerable=unanswerable),
    )
    systems = systems_of(prediction)
    if answers is not None:
        texts = [*systems.values(), answers]
        warn_of_logged(frame, texts, chosen, protocol=settings.protocol, missing=missing)
    rows = scored_rows(frame, systems, answers, chosen, settings)
    names = [(f"keep_{index}", name) for index, name in enumerate(columns)]
    scores = {f"score_{index}_0": metric for index, metric in enumerate(chosen)}
    table = (
        rows.frame.select(
            *rows.keys,
            *(column for column, _ in names),
            *(["answers"] if has_texts else []),
            *scores,
            *marks(1),
        )
        .with_columns((cs.starts_with("keep_") & cs.float()).fill_nan(None))
        .with_row_index("row")
        .collect(engine="streaming")
    )
    rows.check(table)
    is_used = pl.col("score_0_0").is_not_null()
    account = account_of(rows, table.select(**account_sums(rows, is_used)))
    epochs = RepeatedAnswers(
        frame=table.drop(marks(1)),
        ids=dict(names[: len(ids)]),
        kept=dict(names[len(ids) :]),
        scores=scores,
        account=account,
    )
    _check(epochs, has_texts=has_texts)
    return epochs


def _check(epochs: RepeatedAnswers, *, has_texts: bool) -> None:
    table = epochs.frame
    for column, name in epochs.ids.items():
        nulls = table[column].null_count()
        if nulls:
            raise ValueError(f"column {name!r} must not be null, but is in {numbered(nulls, 'row')}")
    first = table.select(pl.col("row").first().over(*epochs.ids)).to_series()
    differing = [
        (name, table[column].hash().ne_missing(table[column].hash().gather(first)))
        for column, name in epochs.kept.items()
    ]
    if has_texts:
        differing.append(("answers", disagreeing(table["answers"], table["answers"].gather(first))))
    for name, differs in differing:
        questions = table.filter(differs).select(*epochs.ids).unique(maintain_order=True)
        if questions.height:
            told = (
                f"the rows of a question must have the same {name!r}, but those of "
                f"{numbered(questions.height, 'question')} differ "
                f"({', '.join(epochs.ids.values())}): {first_of(questions)}; choose an epoch with "
            )
            of_epochs = f". {_OF_TRAINING}" if name == "epoch" else ""
            columns = Message(Option("id"), " all columns that identify a question")
            raise ValueError(Message(told, Option("epoch"), ", or name with ", columns, of_epochs))


def by_question(
    epochs: RepeatedAnswers, figures: Sequence[pl.Expr], keys: Sequence[str] = ()
) -> pl.DataFrame:
    """Return a row for each question, with figures of its scores, which do not depend on their order."""
    names = [*keys, *epochs.ids]
    rows = epochs.frame.sort(*epochs.scores)
    grouped = rows.group_by(names).agg(pl.col("row").min(), pl.col([*epochs.kept]).first(), *figures)
    return grouped.sort("row")


def _result(frame: Any, epochs: RepeatedAnswers, questions: pl.DataFrame, names: list[str], what: str) -> Any:
    """Return the table of questions, which remembers how their scores were computed."""
    n_epochs = questions["n_epochs"]
    counts = n_epochs.filter(n_epochs > 0).to_list() or [0]
    least, most = min(counts), max(counts)
    numbers = numbered(most, "epoch") if least == most else f"{least} to {numbered(most, 'epoch')}"
    settings = epochs.account.settings
    how, other = [], ""
    metrics = epochs.scores.values()
    if any(metric.is_built_in or metric.is_function for metric in metrics):
        how, threshold = [f"protocol {described(settings.protocol)}"], settings.protocol.threshold
        how += [] if threshold is None else [f"threshold {threshold:g}"]
        if any(metric.row == "cer" for metric in metrics):
            how.append(f"CER protocol {described(resolve_errors(settings.protocol))}")
        other = "".join(origins.difference(origins.of(frame).protocol, settings.protocol))
        empty = settings.missing == "empty"
        how.append(f"missing predictions {'scored as the empty text' if empty else 'left out'}")
        if settings.unanswerable == "empty":
            how.append("rows without an answer scored against the empty text")
        if settings.answers_format is not None:
            how.append("answers split")
    computation = ", ".join(how)
    scored = f" ({computation})" if how else ""
    made = f"{what} {numbers} of" if most > 1 else "Scores are those of one answer to"
    n_missing, given = sum(epochs.account.missing) if how else 0, epochs.account.given
    lost = f"; {n_missing:,} of {numbered(given, 'prediction')} missing" if n_missing else ""
    sentence = f"{made} each question{scored}{lost}. {other}"
    is_read = any(isinstance(metric.numerator, str) and not metric.is_built_in for metric in metrics)
    figures, columns = ["n_epochs", *names], {**epochs.ids, **epochs.kept}
    taken = [name for name in columns.values() if name in figures]
    if taken:
        raise DuplicateColumnError(Message(f"columns {taken}", COLLIDE))
    table = questions.select(*columns, *map(cs.by_name, figures)).rename(columns)
    return origins.remember(
        as_kind_of(frame, table),
        scores=sentence.rstrip() if how or most > 1 else None,
        computation=computation or None,
        of_systems=origins.of(frame).of_systems if is_read else {},
        **origins.of_rows(frame),
    )


@table_of_frame
@takes_names
def mean_over_epochs(
    frame: Any,
    prediction: str | None = None,
    answers: str | None = None,
    *,
    id: str | Sequence[str],  # noqa: A002 - what users call it
    metrics: Metrics | None = "anls",
    keep: str | Sequence[str] = (),
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
) -> Any:
    """
    Average the scores of repeated answers to each question.

    A report or comparison of the result counts every question once, whatever its number of epochs.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame, a pandas DataFrame, or any object with the Arrow PyCapsule interface,
        with a row for each question and epoch.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers; without them,
        `metrics` names the columns of existing scores.
    id
        One or several columns that identify a question, including the column of the system if there are
        several.
    metrics
        The scores, as for `summarize`, except ratios of two sums such as "cer_corpus".
    keep
        Columns to keep, such as the document; their values must agree in all rows of a question.
    protocol
        How texts are scored, as in `anls_frame.score`: the name of a preset or a `ScoreProtocol`, such as
        ``PROTOCOLS["rrc"].replace(threshold=0.3, errors="jiwer")``.
    missing
        `"empty"`, the default, scores a null prediction as an empty string; `"drop"` leaves such rows out.
        Rows with a null score are always left out.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts); a row of
        `fields` counts, as wrong, if something was predicted there. `"empty"` treats the empty text as their
        answer: such a row is right if its prediction is null or empty, whatever `missing` says, and wrong
        otherwise.

    Returns
    -------
    Frame
        Polars for Polars, pandas for pandas, a pyarrow Table for other Arrow frames: one row for each
        question, in the order of their first rows, with the columns of `id` and `keep`, `n_epochs` (rows with
        a score in the first metric), and the mean of each metric under its name (null without a score).

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    DuplicateColumnError
        If a column of `id` or `keep`, or a score, has the name of a column of the result.
    ValueError
        If an id is null, rows of a question differ in a column of `keep` or in the accepted answers, an
        option has an invalid value, or a metric has no score for a row.

    See Also
    --------
    variance_components : how many epochs pay off.

    Notes
    -----
    For reports and comparisons, the means are existing scores. Declare the bounds of an error rate, whose
    means may all be below 1 by chance: ``metrics=af.Metric("cer_mean", bounds=(0, None))``.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame(
    ...     {
    ...         "id": [1, 1, 2, 2, 2],
    ...         "doc": ["a", "a", "b", "b", "b"],
    ...         "prediction": ["cat", "dog", "cow", "cow", "bee"],
    ...         "answer": ["cat", "cat", "cow", "cow", "cow"],
    ...     }
    ... )
    >>> means = af.repeats.mean_over_epochs(df, "prediction", "answer", id="id", keep="doc")
    >>> means
    shape: (2, 4)
    ┌─────┬─────┬──────────┬──────────┐
    │ id  ┆ doc ┆ n_epochs ┆ anls     │
    │ --- ┆ --- ┆ ---      ┆ ---      │
    │ i64 ┆ str ┆ i64      ┆ f64      │
    ╞═════╪═════╪══════════╪══════════╡
    │ 1   ┆ a   ┆ 2        ┆ 0.5      │
    │ 2   ┆ b   ┆ 3        ┆ 0.666667 │
    └─────┴─────┴──────────┴──────────┘
    >>> round(af.report(means, metrics="anls", cluster="doc").overall["anls"], 4)
    0.5833
    """
    frame = at_hand(frame)
    epochs = scored_epochs(
        frame,
        prediction,
        answers,
        id=id,
        keep=named_columns("keep", keep),
        metrics=metrics,
        protocol=protocol,
        missing=missing,
        unanswerable=unanswerable,
    )
    n_epochs = pl.col("score_0_0").count().cast(pl.Int64).alias("n_epochs")
    names = [metric.name for metric in epochs.scores.values()]
    if "n_epochs" in names:
        raise DuplicateColumnError(Message("columns ['n_epochs']", COLLIDE))
    means = [pl.col(score).mean().alias(metric.name) for score, metric in epochs.scores.items()]
    questions = by_question(epochs, [n_epochs, *means])
    return _result(frame, epochs, questions, names, "Scores are means over")


@table_of_frame
@takes_names
def pass_at_k(
    frame: Any,
    k: int | Sequence[int],
    prediction: str | Sequence[str] | None = None,
    answers: str | None = None,
    *,
    id: str | Sequence[str],  # noqa: A002 - what users call it
    metrics: str | pl.Expr | Metric | Sequence[str] = "exact_match",
    keep: str | Sequence[str] = (),
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
) -> Any:
    """
    Estimate for each question the probability that at least one of k answers is right.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame, a pandas DataFrame, or any object with the Arrow PyCapsule interface,
        with a row for each question and epoch, or for each question, with all its answers in a list or in
        several columns.
    k
        A number of answers, or several numbers.
    prediction, answers
        Names of the columns with the predicted texts (one of texts or of lists of texts, or one for each
        answer) and with the accepted answer or answers; without them, `metrics` names one or several columns
        of existing scores in the same way.
    id
        One or several columns that identify a question, including the column of the system if there are
        several.
    metrics
        The score that marks right answers with 1 and all others with 0. An example of a custom score is
        ``af.Metric(lambda prediction, answers: af.anls(prediction, answers) >= 0.9, name="right")``.
    keep
        Columns to keep, such as the document; their values must agree in all rows of a question.
    protocol
        How texts are scored, as in `anls_frame.score`: the name of a preset or a `ScoreProtocol`, such as
        ``PROTOCOLS["rrc"].replace(threshold=0.3, errors="jiwer")``.
    missing
        `"empty"`, the default, scores a null prediction as an empty string; `"drop"` leaves such rows out.
        Rows with a null score are always left out.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts); a row of
        `fields` counts, as wrong, if something was predicted there. `"empty"` treats the empty text as their
        answer: such a row is right if its prediction is null or empty, whatever `missing` says, and wrong
        otherwise.

    Returns
    -------
    Frame
        As returned by `mean_over_epochs`: one row for each question, with the columns of `id` and `keep`,
        `n_epochs` (scored rows), and a column such as `pass_at_1` for each k, null without a scored row.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    DuplicateColumnError
        If a column of `id` or `keep` has the name of a column of the result.
    ValueError
        If a question has fewer than k scored epochs, a score is neither 0 nor 1, or an error of
        `mean_over_epochs` occurs.

    See Also
    --------
    anls_frame.statistics.pass_at_k : the estimate from numbers of answers, with the formula.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"id": [1, 1, 1, 2, 2, 2], "prediction": [*"abcaaa"], "answer": ["a"] * 6})
    >>> af.repeats.pass_at_k(df, [1, 2], "prediction", "answer", id="id")
    shape: (2, 4)
    ┌─────┬──────────┬───────────┬───────────┐
    │ id  ┆ n_epochs ┆ pass_at_1 ┆ pass_at_2 │
    │ --- ┆ ---      ┆ ---       ┆ ---       │
    │ i64 ┆ i64      ┆ f64       ┆ f64       │
    ╞═════╪══════════╪═══════════╪═══════════╡
    │ 1   ┆ 3        ┆ 0.333333  ┆ 0.666667  │
    │ 2   ┆ 3        ┆ 1.0       ┆ 1.0       │
    └─────┴──────────┴───────────┴───────────┘
    """
    sizes = list(dict.fromkeys(count("k", size, 1) for size in (k if isinstance(k, Iterable) else [k])))
    frame = at_hand(frame)
    rows: Any = frame
    chosen: Any = metrics
    texts: Any = prediction
    if prediction is not None:
        rows, texts = _in_rows(frame, prediction)
    elif isinstance(metrics, str | list | tuple):
        rows, chosen = _in_rows(frame, metrics)
    epochs = scored_epochs(
        rows,
        texts,
        answers,
        id=id,
        keep=named_columns("keep", keep),
        metrics=chosen,
        protocol=protocol,
        missing=missing,
        unanswerable=unanswerable,
    )
    metric = only(epochs)
    score = pl.col("score_0_0")
    wrong = epochs.frame.filter(~score.is_in([0.0, 1.0])).select("row", score)
    if wrong.height:
        row, value = wrong.row(0)
        raise ValueError(
            f"scores must be 0 or 1 to say which answers are right, but metric {metric.name!r} is "
            f"{value!r} in row {row:,} (counted from 0); pass a condition, such as a Metric of anls >= 0.9"
        )
    figures = [score.count().cast(pl.Int64).alias("n_epochs"), score.sum().alias("correct")]
    questions = by_question(epochs, figures)
    lacking = questions.filter(pl.col("n_epochs").is_between(1, max(sizes, default=1) - 1))
    if lacking.height:
        raise ValueError(
            f"k must be at most the number of epochs with a score, got {max(sizes)}; "
            f"fewer in {numbered(lacking.height, 'question')}: {first_of(lacking.select(*epochs.ids))}"
        )
    names = [f"pass_at_{size}" for size in sizes]
    n, correct = (questions[name].to_numpy() for name in ("n_epochs", "correct"))
    table = questions.with_columns(
        pl.Series(name, statistics.pass_at_k(n, correct, size), nan_to_null=True)
        for name, size in zip(names, sizes, strict=True)
    )
    return _result(frame, epochs, table, names, "Scores are estimated from")


def _in_rows(frame: Any, columns: str | Sequence[str]) -> tuple[Any, str]:
    """Return a frame with a row for each answer, which may be in columns or in lists, and its column."""
    names = [columns] if isinstance(columns, str) else list(columns)
    if any(not isinstance(name, str) for name in names) or len(names) > len(set(names)) or not names:
        raise ValueError(f"the columns of answers must be different names, got {columns!r}")
    known = column_names(frame)
    if len(names) == 1:
        (name,) = names
        if name not in known:
            return frame, name
        dtype = in_polars(frame, [name]).lazy().select(cs.by_name(name)).collect_schema()[name]
        if not isinstance(dtype, pl.List | pl.Array):
            return frame, name
        rows = in_polars(frame).lazy().with_columns(cs.by_name(name).cast(pl.List(dtype.inner)))
        return origins.like(rows.explode(cs.by_name(name), empty_as_null=True, keep_nulls=True), frame), name
    for name in names:
        check_columns(known, [name], names)
    made = free_name("answer", known)
    lazy = in_polars(frame).lazy()
    parts = [lazy.with_columns(cs.by_name(name).as_expr().alias(made)) for name in names]
    return origins.like(pl.concat(parts, how="vertical_relaxed"), frame), made


def only(epochs: RepeatedAnswers) -> Metric:
    """Return the metric; raise an error if there are several."""
    first, *others = epochs.scores.values()
    if others:
        raise ValueError(f"metrics must be one metric, got {[metric.name for metric in (first, *others)]}")
    return first


NUMBERS = (1, 2, 4, 8, 16, math.inf)
"""Numbers of epochs for which the standard error is predicted."""


@dataclass(frozen=True, eq=False)
class VarianceComponents(Generic[Table_co]):
    """
    Variance components of a score (documents, questions, epochs), and the effect of more epochs.

    Returned by `variance_components`. It prints as two lines for each slice.

    Parameters
    ----------
    components
        A row for each slice and `level` ("cluster", "question" and "epoch"): the keys, `n` (the number of
        documents, of questions, or of scored rows), `variance`, its `share` of the sum, and `truncated`,
        whether a negative estimate was set to 0. Null if nothing is repeated at a level.
    standard_errors
        A row for each slice and number of `epochs` per question (infinity is the limit); `now` is true for
        the harmonic mean of the present numbers. `standard_error` is that of the mean over all questions.
        `equivalent_size` is the factor by which the number of documents (or questions, without clusters)
        would have to grow, with each question answered once, for the same standard error.
    account
        How many rows were given and used, and why others were left out or changed. It is printed, too, unless
        all rows were used as they are.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"id": [1, 1, 2, 2, 3, 3, 4, 4], "score": [1.0, 1, 1, 0, 0, 0, 1, 1]})
    >>> result = af.repeats.variance_components(df, id="id", metrics="score")
    >>> result.components
    shape: (2, 5)
    ┌──────────┬─────┬──────────┬──────────┬───────────┐
    │ level    ┆ n   ┆ variance ┆ share    ┆ truncated │
    │ ---      ┆ --- ┆ ---      ┆ ---      ┆ ---       │
    │ str      ┆ i64 ┆ f64      ┆ f64      ┆ bool      │
    ╞══════════╪═════╪══════════╪══════════╪═══════════╡
    │ question ┆ 4   ┆ 0.166667 ┆ 0.571429 ┆ false     │
    │ epoch    ┆ 8   ┆ 0.125    ┆ 0.428571 ┆ false     │
    └──────────┴─────┴──────────┴──────────┴───────────┘
    """

    components: Table_co
    standard_errors: Table_co
    text: str
    account: Account[Table_co]

    def __repr__(self) -> str:
        return Message.joined("\n", [self.text, *self.account.notes])

    def _repr_html_(self) -> str:
        """Return the text as HTML for notebooks."""
        return f"<pre>{escape(str(self))}</pre>"


_on_frames: ByFrame[VarianceComponents[pd.DataFrame], VarianceComponents[pl.DataFrame]] = declared


@_on_frames
@takes_names
def variance_components(
    frame: Any,
    prediction: str | None = None,
    answers: str | None = None,
    *,
    id: str | Sequence[str],  # noqa: A002 - what users call it
    cluster: str | None = None,
    by: str | Sequence[str] | None = None,
    metrics: str | pl.Expr | Metric = "anls",
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
) -> VarianceComponents:
    """
    Split the variance of a score into documents, questions and epochs, to judge how many epochs pay off.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame, a pandas DataFrame, or any object with the Arrow PyCapsule interface,
        with a row for each question and epoch of one system.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers; without them,
        `metrics` names a column of existing scores.
    id
        One or several columns that identify a question.
    cluster
        Column that identifies the document of each question; without it, questions are treated as
        independent.
    by
        Columns that define the slices. A row with a list counts once in the slice of each entry; null, an
        empty list and a list of nulls all belong to the slice null.
    metrics
        The score, as for `mean_over_epochs`.
    protocol
        How texts are scored, as in `anls_frame.score`: the name of a preset or a `ScoreProtocol`, such as
        ``PROTOCOLS["rrc"].replace(threshold=0.3, errors="jiwer")``.
    missing
        `"empty"`, the default, scores a null prediction as an empty string; `"drop"` leaves such rows out.
        Rows with a null score are always left out.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts); a row of
        `fields` counts, as wrong, if something was predicted there. `"empty"` treats the empty text as their
        answer: such a row is right if its prediction is null or empty, whatever `missing` says, and wrong
        otherwise.

    Returns
    -------
    VarianceComponents
        An object with `components` and `standard_errors`, which are pandas frames for a pandas frame, pyarrow
        Tables for other Arrow frames, and otherwise Polars frames. It prints as two lines for each slice.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    DuplicateColumnError
        If a `by` column has the name of a column of the result.
    ValueError
        If no question has two scored rows, rows of a question differ in their cluster or accepted answers, or
        an error of `mean_over_epochs` occurs.

    See Also
    --------
    anls_frame.statistics.nested_anova : the components from arrays, with the reference.

    Notes
    -----
    The components are those of the analysis of variance of question means (`nested_anova`). They are
    unbiased, except that negative estimates are set to 0, even if hard questions have more epochs. The
    present standard error is that of `ratio_variance` for the means of questions, in clusters. With k epochs
    per question, the variance of the mean changes by σ² · (1/k - 1/h) / n, where σ² is the component of
    epochs, h the harmonic mean of the present numbers and n the number of questions. It is at least σ² / kn,
    at present as well: less than that would mean a negative variance between questions.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame(
    ...     {
    ...         "id": [number // 2 for number in range(16)],
    ...         "doc": [number // 4 for number in range(16)],
    ...         "prediction": [*"aaaaabaabbabbbbb"],
    ...         "answer": ["a"] * 16,
    ...     }
    ... )
    >>> result = af.repeats.variance_components(df, "prediction", "answer", id="id", cluster="doc")
    >>> result.standard_errors.select("epochs", "now", pl.col("standard_error", "equivalent_size").round(3))
    shape: (6, 4)
    ┌────────┬───────┬────────────────┬─────────────────┐
    │ epochs ┆ now   ┆ standard_error ┆ equivalent_size │
    │ ---    ┆ ---   ┆ ---            ┆ ---             │
    │ f64    ┆ bool  ┆ f64            ┆ f64             │
    ╞════════╪═══════╪════════════════╪═════════════════╡
    │ 1.0    ┆ false ┆ 0.245          ┆ 1.0             │
    │ 2.0    ┆ true  ┆ 0.228          ┆ 1.15            │
    │ 4.0    ┆ false ┆ 0.219          ┆ 1.243           │
    │ 8.0    ┆ false ┆ 0.215          ┆ 1.296           │
    │ 16.0   ┆ false ┆ 0.213          ┆ 1.324           │
    │ inf    ┆ false ┆ 0.21           ┆ 1.353           │
    └────────┴───────┴────────────────┴─────────────────┘
    >>> print(result)
    ANLS: variance 59 % between documents (doc), 0 % between questions, 41 % between epochs
      standard error 0.245 with 1, 0.228 with 2 (now), 0.219 with 4, 0.210 with any number of epochs
    """
    columns = check_by(by)
    frame = at_hand(frame)
    epochs = scored_epochs(
        frame,
        prediction,
        answers,
        id=id,
        keep=optional(cluster),
        metrics=metrics,
        protocol=protocol,
        missing=missing,
        unanswerable=unanswerable,
        by=columns,
        cluster=cluster,
    )
    metric = only(epochs)
    keys = list(key_names(columns, None))
    rows = canonical(epochs.frame.filter(pl.col("score_0_0").is_not_null()))
    check_slices(rows, keys, columns)
    rows = explode_lists(rows, keys)
    score = pl.col("score_0_0")
    mean = score.mean()
    document = pl.lit(None, pl.UInt32) if cluster is None else pl.col(CLUSTER).first().hash()
    squares = ((score - mean) ** 2).sum()
    questions = by_question(
        dataclasses.replace(epochs, frame=rows),
        [pl.len().alias("n"), mean.alias("mean"), squares.alias("squares"), document.alias(CLUSTER)],
        keys,
    )
    if not questions.filter(pl.col("n") > 1).height:
        found = "no row has a score"
        if questions.height:
            found = "each has one; id= must name the columns that identify a question, without the epoch"
        raise ValueError(f"variance between epochs needs questions with several scored rows, but {found}")
    # The order of equal questions does not matter, so neither does that of the rows.
    questions = questions.select(*keys, "n", "mean", "squares", pl.col(CLUSTER).rank("dense")).sort(
        *keys, CLUSTER, "mean", "squares", "n", nulls_last=True
    )
    groups = questions.partition_by(keys, maintain_order=True) if keys else [questions]
    slices = [_components(group, keys, columns, metric, cluster) for group in groups]
    *every, texts = zip(*slices, strict=True)
    variances, errors = (
        as_kind_of(frame, with_column_names(pl.concat(parts), keys, columns)) for parts in every
    )
    return VarianceComponents(variances, errors, "\n".join(texts), epochs.account)


def _components(
    questions: pl.DataFrame, keys: Sequence[str], columns: Sequence[str], metric: Metric, cluster: str | None
) -> tuple[pl.DataFrame, pl.DataFrame, str]:
    """Return the components and standard errors of a slice, from the sums of its questions."""
    of = None if cluster is None else questions["cluster"].to_numpy()
    n, mean, squares = (questions[name].to_numpy() for name in ("n", "mean", "squares"))
    anova = statistics.nested_anova(n, mean, squares, of)
    sizes = {"question": questions.height, "epoch": int(questions["n"].sum())}
    if cluster is not None:
        sizes = {"cluster": questions["cluster"].n_unique(), **sizes}
    raw = pl.Series([getattr(anova, level) for level in sizes], dtype=pl.Float64).fill_nan(None)
    variance = raw.clip(lower_bound=0)
    total = variance.sum()
    components = pl.DataFrame(
        {
            "level": [*sizes],
            "n": pl.Series([*sizes.values()], dtype=pl.Int64),
            "variance": variance,
            "share": variance / total if total > 0 else pl.Series([None] * len(sizes), dtype=pl.Float64),
            "truncated": raw < 0,
        }
    )
    errors = standard_errors(questions, max(anova.epoch, 0.0))
    slice_key = questions.head(1).select(keys)
    values = slice_key.row(0) if keys else ()
    what = [metric.label, *(f"{name} = {label(value)}" for name, value in zip(columns, values, strict=True))]
    kind = shown_as("difference", percent=is_in_percent(metric, [metric]))
    text = _lines(components, errors, ", ".join(what), cluster, kind)
    both = [slice_key.join(table, how="cross") if keys else table for table in (components, errors)]
    return both[0], both[1], text


def standard_errors(questions: pl.DataFrame, epoch: float) -> pl.DataFrame:
    """Return the standard error of the mean over questions, at present and with other numbers of epochs."""
    units = questions.group_by("cluster", maintain_order=True).agg(x=pl.col("mean").sum(), y=pl.len())
    if questions["cluster"].null_count():
        units = questions.select(x="mean", y=pl.lit(1))
    x, y = (units[name].to_numpy().astype(float) for name in ("x", "y"))
    sums = (x.sum(), y.sum(), (x * x).sum(), (x * y).sum(), (y * y).sum())
    bracket = ((x - x.sum() / y.sum() * y) ** 2).sum()
    count = statistics.effective_units(y.sum(), (y * y).sum())
    present = float(statistics.ratio_variance(count, *sums, bracket=bracket))
    n = questions.height
    # Rounded, so that three times three epochs are three.
    repeats = round(n / float((1 / questions["n"]).sum()), 9)
    # Epochs alone contribute this much; what is below it is a negative estimate of the other levels.
    alone = epoch / (repeats * n)
    present = max(present, alone)
    every = {k: max(present + epoch / (k * n) - alone, 0.0) for k in map(float, NUMBERS)}
    every[repeats] = present
    table = pl.DataFrame([*every.items()], schema=["epochs", "variance"], orient="row")
    variance = pl.col("variance").fill_nan(None)
    return table.select(
        "epochs",
        (pl.col("epochs") == repeats).alias("now"),
        variance.sqrt().alias("standard_error"),
        pl.when(variance > 0).then(every[1.0] / variance).alias("equivalent_size"),
    ).sort("epochs")


def _lines(shares: pl.DataFrame, errors: pl.DataFrame, what: str, cluster: str | None, kind: Kind) -> str:
    names = {"cluster": cluster and called(cluster), "question": "questions", "epoch": "epochs"}
    parts = [
        f"{'unknown' if share is None else f'{100 * share:.0f} %'} between {names[level]}"
        f"{' (estimated below 0)' if truncated else ''}"
        for level, share, truncated in shares.select("level", "share", "truncated").iter_rows()
    ]
    shown = errors.filter(pl.col("now") | pl.col("epochs").is_in([1.0, 4.0, math.inf]))
    ends = [
        f"{'unknown' if error is None else spelled(error, (), kind).removeprefix('+')} with "
        f"{'any number of epochs' if k == math.inf else f'{k:.3g}'}{' (now)' if now else ''}"
        for k, now, error in shown.select("epochs", "now", "standard_error").iter_rows()
    ]
    return f"{what}: variance {', '.join(parts)}\n  standard error {', '.join(ends)}"
