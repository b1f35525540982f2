"""Scores by question, for frames with repeated answers to questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import polars.selectors as cs

from anls_frame import statistics
from anls_frame._arguments import count, takes_names
from anls_frame._text import numbered
from anls_frame._typing import Missing, table_of_frame
from anls_frame.exceptions import DuplicateColumnError
from anls_frame.frames import origins
from anls_frame.frames.conversion import as_kind_of, at_hand, column_names
from anls_frame.protocol import ScoreProtocol, described, resolve_errors, resolve_scoring
from anls_frame.reports.pairing import disagreeing, first_of
from anls_frame.summary import own_metrics
from anls_frame.summary.catalogue import Metrics, resolve
from anls_frame.summary.measures import Metric
from anls_frame.summary.settings import Settings, Unanswerable, are_texts, check_keep
from anls_frame.summary.system_rows import scored_rows
from anls_frame.summary.systems import systems_of


@dataclass(frozen=True)
class RepeatedAnswers:
    """Scored rows of repeatedly answered questions."""

    frame: pl.DataFrame
    """Columns `row`, keys `key_0`, ..., and under these names: `ids`, `kept` and `scores`."""
    ids: list[str]
    kept: list[str]
    """The columns that are the same in all rows of a question."""
    scores: list[str]
    metrics: tuple[Metric, ...]
    columns: list[str]
    """The names in the given frame of `ids` and `kept`."""
    settings: Settings
    """How rows were scored."""

    def of(self, column: str) -> str:
        """Return the name in these rows of a column of the given frame, one of `columns`."""
        return [*self.ids, *self.kept][self.columns.index(column)]


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
                f"metric {metric.name!r} {metric.kind} and has no mean over epochs; choose an epoch or, in a "
                "report of all rows with cluster=, every epoch counts by its length"
            )
    ids = [id] if isinstance(id, str) else list(id)
    columns = list(dict.fromkeys([*ids, *keep]))
    settings = Settings(
        by=by,
        metrics=chosen,
        has_texts=has_texts,
        protocol=resolve_scoring(protocol),
        missing=missing,
        unanswerable=unanswerable,
        keep=tuple(columns),
    )
    rows = scored_rows(frame, systems_of(prediction), answers, chosen, settings)
    names = [f"keep_{index}" for index in range(len(columns))]
    scores = [f"score_{index}" for index in range(len(chosen))]
    table = (
        rows.frame.select(
            *rows.keys,
            *names,
            *(["answers"] if has_texts else []),
            *(pl.col(f"{name}_0").alias(name) for name in scores),
        )
        .with_row_index("row")
        .collect(engine="streaming")
    )
    epochs = RepeatedAnswers(table, names[: len(ids)], names[len(ids) :], scores, chosen, columns, settings)
    _check(epochs, has_texts=has_texts)
    return epochs


def _check(epochs: RepeatedAnswers, *, has_texts: bool) -> None:
    table = epochs.frame
    for name, column in zip(epochs.columns, epochs.ids, strict=False):
        nulls = table[column].null_count()
        if nulls:
            raise ValueError(f"column {name!r} must not be null, but is in {numbered(nulls, 'row')}")
    for metric, score in zip(epochs.metrics, epochs.scores, strict=True):
        wrong = table.filter(own_metrics.is_wrong(metric, [score]))
        if wrong.height:
            raise ValueError(own_metrics.message(metric, wrong.height, wrong["row"][0], [wrong[score][0]]))
    first = table.select(pl.col("row").first().over(epochs.ids)).to_series()
    differing = [
        (name, table[column].hash().ne_missing(table[column].hash().gather(first)))
        for name, column in zip(epochs.columns[len(epochs.ids) :], epochs.kept, strict=True)
    ]
    if has_texts:
        differing.append(("answers", disagreeing(table["answers"], table["answers"].gather(first))))
    for name, differs in differing:
        questions = table.filter(differs).select(epochs.ids).unique(maintain_order=True)
        if questions.height:
            raise ValueError(
                f"the rows of a question must have the same {name!r}, but those of "
                f"{numbered(questions.height, 'question')} differ "
                f"({', '.join(epochs.columns[: len(epochs.ids)])}): {first_of(questions)}; choose an epoch, "
                "or name in id= all columns that identify a question"
            )


def by_question(
    epochs: RepeatedAnswers, figures: Sequence[pl.Expr], keys: Sequence[str] = ()
) -> pl.DataFrame:
    """Return a row for each question, with figures of its scores, which do not depend on their order."""
    names = [*keys, *epochs.ids]
    rows = epochs.frame.sort(epochs.scores)
    grouped = rows.group_by(names).agg(pl.col("row").min(), pl.col(epochs.kept).first(), *figures)
    return grouped.sort("row")


def _result(frame: Any, epochs: RepeatedAnswers, questions: pl.DataFrame, names: list[str], what: str) -> Any:
    """Return the table of questions, which remembers how their scores were computed."""
    n_epochs = questions["n_epochs"]
    counts = n_epochs.filter(n_epochs > 0).to_list() or [0]
    least, most = min(counts), max(counts)
    numbers = numbered(most, "epoch") if least == most else f"{least} to {numbered(most, 'epoch')}"
    settings = epochs.settings
    how, other = [], ""
    if any(metric.is_built_in or metric.is_function for metric in epochs.metrics):
        how = [f"protocol {described(settings.protocol)}", f"threshold {settings.protocol.threshold:g}"]
        if any(metric.row == "cer" for metric in epochs.metrics):
            how.append(f"CER protocol {described(resolve_errors(settings.protocol))}")
        other = origins.difference(origins.of(frame).protocol, settings.protocol)
        empty = settings.missing == "empty"
        how.append(f"missing predictions {'scored as the empty text' if empty else 'left out'}")
    scored = f" ({', '.join(how)})" if how else ""
    made = f"{what} {numbers} of" if most > 1 else "Scores are those of one answer to"
    sentence = f"{made} each question{scored}. {other}"
    is_read = any(isinstance(metric.numerator, str) and not metric.is_built_in for metric in epochs.metrics)
    figures = ["n_epochs", *names]
    taken = [name for index, name in enumerate(figures) if name in (*epochs.columns, *figures[:index])]
    if taken:
        raise DuplicateColumnError(f"columns {taken} would collide with columns of the result; rename them")
    columns = [*epochs.ids, *epochs.kept]
    table = questions.select(*columns, *map(cs.by_name, figures))
    return origins.remember(
        as_kind_of(frame, table.rename(dict(zip(columns, epochs.columns, strict=True)))),
        scores=sentence.rstrip() if how or most > 1 else None,
        of_systems=origins.of(frame).of_systems if is_read else {},
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
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts). `"empty"`
        treats the empty text as their answer: such a row is right if its prediction is null or empty,
        whatever `missing` says, and wrong otherwise.

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
        If a column of `id` or `keep` has the name of a column of the result.
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
        keep=check_keep(keep),
        metrics=metrics,
        protocol=protocol,
        missing=missing,
        unanswerable=unanswerable,
    )
    figures = {
        metric.name: pl.col(score).mean() for metric, score in zip(epochs.metrics, epochs.scores, strict=True)
    }
    every = [pl.col(epochs.scores[0]).count().cast(pl.Int64).alias("n_epochs")]
    every += [figure.alias(name) for name, figure in figures.items()]
    questions = by_question(epochs, every)
    return _result(frame, epochs, questions, list(figures), "Scores are means over")


@table_of_frame
@takes_names
def pass_at_k(
    frame: Any,
    k: int | Sequence[int],
    prediction: str | None = None,
    answers: str | None = None,
    *,
    id: str | Sequence[str],  # noqa: A002 - what users call it
    metrics: str | pl.Expr | Metric = "exact_match",
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
        with a row for each question and epoch.
    k
        A number of answers, or several numbers.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers; without them,
        `metrics` names a column of existing scores.
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
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts). `"empty"`
        treats the empty text as their answer: such a row is right if its prediction is null or empty,
        whatever `missing` says, and wrong otherwise.

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
    epochs = scored_epochs(
        frame,
        prediction,
        answers,
        id=id,
        keep=check_keep(keep),
        metrics=metrics,
        protocol=protocol,
        missing=missing,
        unanswerable=unanswerable,
    )
    metric = only(epochs)
    wrong = epochs.frame.filter(~pl.col("score_0").is_in([0.0, 1.0]))
    if wrong.height:
        raise ValueError(
            f"scores must be 0 or 1 to say which answers are right, but metric {metric.name!r} is "
            f"{wrong['score_0'][0]!r} in row {wrong['row'][0]:,} (counted from 0); pass a condition, such as "
            "a Metric of anls >= 0.9"
        )
    score = pl.col("score_0")
    figures = [score.count().cast(pl.Int64).alias("n_epochs"), score.sum().alias("correct")]
    questions = by_question(epochs, figures)
    lacking = questions.filter(pl.col("n_epochs").is_between(1, max(sizes, default=1) - 1))
    if lacking.height:
        raise ValueError(
            f"k must be at most the number of epochs, got {max(sizes)}, but "
            f"{numbered(lacking.height, 'question')} have fewer: {first_of(lacking.select(epochs.ids))}"
        )
    names = [f"pass_at_{size}" for size in sizes]
    n, correct = (questions[name].to_numpy() for name in ("n_epochs", "correct"))
    table = questions.with_columns(
        pl.Series(name, statistics.pass_at_k(n, correct, size), nan_to_null=True)
        for name, size in zip(names, sizes, strict=True)
    )
    return _result(frame, epochs, table, names, "Scores are estimated from")


def only(epochs: RepeatedAnswers) -> Metric:
    """Return the metric; raise an error if there are several."""
    if len(epochs.metrics) > 1:
        raise ValueError(f"metrics must be one metric, got {[metric.name for metric in epochs.metrics]}")
    return epochs.metrics[0]
