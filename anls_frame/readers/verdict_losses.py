"""The share of lost points that are the model's errors, according to verdicts on rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import polars as pl

from anls_frame._arguments import choice
from anls_frame._typing import Missing
from anls_frame.metrics.scores import anls, score
from anls_frame.protocol import ScoreProtocol
from anls_frame.summary.rows import with_unanswerable
from anls_frame.summary.settings import Unanswerable

NOT_THE_MODELS = ("answer_wrong", "answer_incomplete", "ambiguous_question")
"""The verdicts that say that a row's loss is not the model's error."""


class LostPoints(NamedTuple):
    """
    Losses of judged rows: a row loses 1 minus its ANLS or, in CER, its character errors.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["c0w", "4"], "answers": [["cow"], ["four"]]})
    >>> rows = df.tail(1).with_columns(verdict=pl.lit("answer_incomplete"))
    >>> af.readers.lost_points(rows, df, "prediction", "answers").by_system["score_without"].round(
    ...     3
    ... ).to_list()
    [0.667]
    """

    by_verdict: pl.DataFrame
    """For each `system` and `verdict`: `rows`, `lost_points`, and their share of all (`share_of_lost`)."""
    by_system: pl.DataFrame
    """
    For each `system`: how many rows are scored (`n`) and what they lost (`lost_points`); what judged rows
    lost (`lost_points_of_judged`), and of it what is not the model's error (`not_the_models`); the `score` of
    all rows; how many are left without the latter (`n_without`), and their score (`score_without`).
    """


def lost_points(
    judged: pl.DataFrame,
    frame: pl.DataFrame | pl.LazyFrame,
    prediction: str | Mapping[str, str],
    answers: str,
    *,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
    metric: Literal["anls", "cer"] = "anls",
) -> LostPoints:
    """
    Return the points lost by judged rows, by verdict and by system.

    Parameters
    ----------
    judged
        The rows with a verdict, from `anls_frame.readers.judged`.
    frame
        All rows.
    prediction, answers
        Name of the column with the predicted texts, or a mapping from the names of systems to their columns,
        and of the column with the accepted answer or answers.
    protocol
        How texts are scored: a preset's name or a `ScoreProtocol`.
    missing
        `"empty"`, the default, scores a null prediction as an empty string; `"drop"` leaves such rows out.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer; `"empty"` treats the empty text as their
        answer.
    metric
        `"anls"`, in which a row loses 1 minus its ANLS, or `"cer"`, in which it loses its character errors.
        The score is then the corpus rate, for which lower is better.

    Returns
    -------
    LostPoints
        A table by verdict and a table by system. The verdicts `answer_wrong`, `answer_incomplete` and
        `ambiguous_question` mean that a loss is not the model's error.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frames.
    ValueError
        If the metric is unknown, or the protocol has no threshold for ANLS.

    See Also
    --------
    anls_frame.readers.judged : the rows with a verdict.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["c0w", "4"], "answers": [["cow"], ["four"]]})
    >>> rows = df.tail(1).with_columns(verdict=pl.lit("answer_incomplete"))
    >>> af.readers.lost_points(rows, df, "prediction", "answers").by_verdict.drop("system").row(0)
    ('answer_incomplete', 1, 1.0, 0.75)
    """
    choice("metric", metric, ("anls", "cer"))
    systems = prediction if isinstance(prediction, Mapping) else {prediction: prediction}
    judged = with_unanswerable(judged.lazy(), systems.values(), answers, unanswerable).collect()
    rows = with_unanswerable(frame.lazy(), systems.values(), answers, unanswerable)
    by_verdict, by_system = [], []
    for name, column in systems.items():
        lost, size = _lost(metric, column, answers, protocol=protocol, missing=missing)
        own = judged.select("verdict", lost=lost, size=size)
        sums = rows.select(n=lost.count(), lost=lost.sum(), size=size.sum())
        n, total, whole = sums.collect(engine="streaming").row(0)
        table = own.group_by("verdict").agg(pl.len().alias("rows"), pl.col("lost").sum().alias("lost_points"))
        shares = table.sort("verdict").with_columns(share_of_lost=pl.col("lost_points") / total)
        by_verdict.append(shares.select(pl.lit(name).alias("system"), pl.all()))
        others = own.filter(pl.col("verdict").is_in(NOT_THE_MODELS))
        n_left = n - others["lost"].count()
        lost_by_others = others["lost"].sum()
        by_system.append(
            {
                "system": name,
                "n": n,
                "lost_points": total,
                "lost_points_of_judged": own["lost"].sum(),
                "not_the_models": lost_by_others,
                "score": _score(metric, total, whole),
                "n_without": n_left,
                "score_without": _score(metric, total - lost_by_others, whole - others["size"].sum()),
            }
        )
    return LostPoints(pl.concat(by_verdict), pl.DataFrame(by_system))


def _lost(metric: str, column: str, answers: str, **how: Any) -> tuple[pl.Expr, pl.Expr]:
    """Return the loss of each row, and the denominators of sums of losses; null for rows without a score."""
    if metric == "anls":
        lost = 1 - anls(column, answers, **how)
        return lost, pl.when(lost.is_not_null()).then(1)
    counts = score(column, answers, **how)
    return counts.struct.field("char_errors"), counts.struct.field("reference_length")


def _score(metric: str, lost: float, size: float) -> float | None:
    if not size:
        return None
    return 1 - lost / size if metric == "anls" else lost / size
