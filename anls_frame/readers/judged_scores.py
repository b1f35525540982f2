"""What verdicts say of scores: those that judged rows should have had, and whose the lost points are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import choice, takes_names
from anls_frame._text import listed, numbered, quoted
from anls_frame._typing import Missing, table_of_frame
from anls_frame.analysis.audit_samples import AUDIT
from anls_frame.exceptions import DuplicateColumnError
from anls_frame.export.page_verdicts import REPEATS
from anls_frame.frames.conversion import (
    as_kind_of,
    at_hand,
    column_names,
    in_memory,
    is_pandas,
    to_lazy,
    with_columns,
)
from anls_frame.metrics.scores import anls, cer, score
from anls_frame.protocol import ScoreProtocol, resolve_errors
from anls_frame.readers.verdicts import judged
from anls_frame.summary.keys import optional
from anls_frame.summary.rows import with_unanswerable
from anls_frame.summary.settings import Unanswerable
from anls_frame.summary.systems import prediction_of

Counted = Literal["given", "full"]

_ROW = "__anls_frame_row"
_NAMED = 5
"""Rows that a message names."""


@table_of_frame
@takes_names
def audited_scores(
    frame: Any,
    verdicts: Any,
    score: str | Mapping[str, str],
    *,
    prediction: str | Mapping[str, str] = "prediction",
    answers: str = "answers",
    id: str | None = None,  # noqa: A002 - as in `anls_frame.browse`
    repaired: str | None = None,
    format: Counted = "given",  # noqa: A002 - the name of the verdict
    ambiguous: Counted = "given",
    lower_is_better: bool = False,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
) -> Any:
    """
    Return the score that each judged row should have had, according to its verdict.

    Parameters
    ----------
    frame
        All rows, as `audit_sample` returns them: a Polars DataFrame or LazyFrame (which is collected), a
        pandas DataFrame, or any object with the Arrow PyCapsule interface.
    verdicts
        The verdicts, from `anls_frame.readers.read_verdicts` or `RowsWidget.verdicts`.
    score
        Column with the given scores, from 0 to 1, or with error rates, which may exceed 1; for several
        systems, a mapping from their names to these columns.
    prediction, answers, id
        The columns passed to `browse` for the page, by which `anls_frame.readers.judged` finds the rows.
        `prediction` must name the same systems as `score`.
    repaired
        Column with the right answer or answers of rows whose accepted answers are wrong or incomplete; null
        elsewhere. These rows are scored against the repaired answers.
    format, ambiguous
        The score of rows with the verdicts `format` and `ambiguous_question`: `"given"` keeps their given
        score, `"full"` means the best score. These rows are never left out, because that would change the
        population whose score is estimated.
    lower_is_better
        Whether scores are error rates, of which 0 is the best; by default, 1 is the best score.
    protocol, missing
        How texts are scored against `repaired`, as for `add_scores`: by ANLS or, if lower is better, CER.

    Returns
    -------
    Frame
        All rows, in memory, as the same kind of frame with a new column `audited_score` (`Float64`), null for
        rows without a verdict; for several systems, `audited_score_NAME` for each. The verdicts `score_right`
        and `our_error` keep the given score. Without a repaired answer, the verdict `answer_wrong` reverses
        the score: it becomes 1 where points were lost, because the model may well have been right, and 0
        where none were lost; `answer_incomplete` gives 1. Without a repaired answer, both verdicts set an
        error rate to 0. With several systems, repair the answers, because only one of two texts that lost
        points may be right.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DuplicateColumnError
        If the frame has a column with the name of a new one.
    ValueError
        If a drawn row has no verdict, an undrawn row has one, a verdict does not match exactly one row, or an
        option has an invalid value.

    See Also
    --------
    anls_frame.audit_sample : the rows to be judged.
    anls_frame.corrected : the corrected score.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"id": [7, 8], "prediction": ["4", "c0w"], "answers": ["four", "cow"]})
    >>> df = df.with_columns(anls=pl.Series([0.0, 2 / 3]))
    >>> verdicts = pl.DataFrame(
    ...     {"id": [7], "row": [0], "verdict": ["answer_incomplete"], "digest": ["b5fff5139edef2af"]}
    ... )
    >>> af.audited_scores(df, verdicts, "anls", id="id")["audited_score"].to_list()
    [1.0, None]
    """
    choice("format", format, ("given", "full"))
    choice("ambiguous", ambiguous, ("given", "full"))
    scores = score if isinstance(score, Mapping) else {"": score}
    systems = prediction if isinstance(prediction, Mapping) else {"": prediction}
    if list(scores) != list(systems):
        raise ValueError(f"score and prediction must name the same systems, got {[*scores]} and {[*systems]}")
    new = {name: f"audited_score_{name}" if name else "audited_score" for name in scores}
    given = at_hand(frame)
    frame, names = in_memory(given), column_names(given)
    taken = [name for name in new.values() if name in names]
    if taken:
        raise DuplicateColumnError(
            f"the frame has the columns {taken} already; leave them out, or rename them"
        )
    texts = [*systems.values(), answers, *optional(repaired)]
    others = [*scores.values(), *optional(id), *(name for name in (*REPEATS, AUDIT) if name in names)]
    rows = to_lazy(frame, texts, others).with_row_index(_ROW).collect()
    judged_rows = judged(rows, verdicts, prediction_of(systems), answers, id=id)
    if AUDIT in names:
        _check_complete(rows, judged_rows, id)
    full = [
        name for name, counted in (("format", format), ("ambiguous_question", ambiguous)) if counted == "full"
    ]
    truths = [
        _truth(
            scores[name],
            text,
            repaired,
            full,
            lower_is_better=lower_is_better,
            protocol=protocol,
            missing=missing,
        ).alias(new[name])
        for name, text in systems.items()
    ]
    added = rows.select(_ROW).join(
        judged_rows.select(_ROW, *truths), on=_ROW, how="left", maintain_order="left"
    )
    columns = added.drop(_ROW)
    if is_pandas(frame):
        return with_columns(frame, columns)
    return as_kind_of(given, frame.with_columns(columns))


def _truth(
    score: str, text: str, repaired: str | None, full: list[str], *, lower_is_better: bool, **how: Any
) -> pl.Expr:
    """Return the score that a judged row should have had."""
    given, verdict = cs.by_name(score).cast(pl.Float64), pl.col("verdict").cast(pl.String)
    metric, best = (cer, 0.0) if lower_is_better else (anls, 1.0)
    # Of a page that equals a wrong reference, nobody knows how much is wrong.
    turned = pl.lit(best) if lower_is_better else pl.when(given < 1).then(1.0).otherwise(0.0)
    known = pl.lit(None, pl.Float64)
    if repaired is not None:
        how["protocol"] = resolve_errors(how["protocol"]) if lower_is_better else how["protocol"]
        known = metric(cs.by_name(text), cs.by_name(repaired), **how)
    return (
        pl.when(verdict == "answer_wrong")
        .then(pl.coalesce(known, turned))
        .when(verdict == "answer_incomplete")
        .then(pl.coalesce(known, pl.lit(best)))
        .when(verdict.is_in(full))
        .then(best)
        .otherwise(given)
    )


def _check_complete(rows: pl.DataFrame, judged_rows: pl.DataFrame, id_column: str | None) -> None:
    """Raise an error unless the drawn rows have a verdict, and no others."""
    has_verdict = rows[_ROW].is_in(judged_rows[_ROW].implode())
    is_drawn = rows[AUDIT].fill_null(value=False)
    skipped = "have no verdict; judge them, too, because skipped rows are rarely typical"
    undrawn = "have a verdict, but were not drawn; leave these verdicts out"
    for wrong, what in ((is_drawn & ~has_verdict, skipped), (~is_drawn & has_verdict, undrawn)):
        ids = rows.filter(wrong)[id_column or _ROW].to_list()
        if ids:
            named = f"{id_column or 'row'} {listed(map(quoted, ids), _NAMED)}"
            raise ValueError(
                f"{numbered(len(ids), 'row')} ({named}) {what}; {int(is_drawn.sum()):,} rows were drawn"
            )


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
