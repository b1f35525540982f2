"""Rows with the worst scores, with alignments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from anls_frame._arguments import count, takes_names
from anls_frame._typing import Missing, table_of_frame
from anls_frame.frames.conversion import at_hand, attach, column_names
from anls_frame.metrics.scores import nearest_answer
from anls_frame.pairs.alignments import Alignment
from anls_frame.protocol import PROTOCOLS, ScoreProtocol, resolve_errors
from anls_frame.summary.catalogue import resolve, row_metrics
from anls_frame.summary.keys import check_own_names, with_column_names
from anls_frame.summary.measures import Metric
from anls_frame.summary.rows import type_of
from anls_frame.summary.selection import ROW, Selection, mean
from anls_frame.summary.settings import MOST_ROWS, Settings, Unanswerable, scoring
from anls_frame.summary.slicing import By, crossed_keys
from anls_frame.summary.system_rows import scored_rows

_SYSTEM = "system"
_NEW = ("anls", "nls", "cer", "error_type", "nearest_answer", "alignment")
_CONTEXT = 20


@table_of_frame
@takes_names
def worst(
    frame: Any,
    prediction: str,
    answers: str,
    n: int = 10,
    *,
    metrics: str | pl.Expr | Metric = "anls",
    by: By | None = None,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
) -> Any:
    """
    Return the rows with the worst scores, each with its alignment.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame (read on the streaming engine), a pandas DataFrame, or any object
        with the Arrow PyCapsule interface.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers.
    n
        Maximum number of rows; with slices, the maximum of each slice.
    metrics
        The score by which rows are chosen: the name of a built-in score, a column of existing scores, an
        expression or a `Metric`. The worst rows have the lowest score or, if lower is better, the highest.
    by
        Columns that define the slices (in pandas, levels of the index too), or expressions, as for
        `anls_frame.report`; several are crossed. A row with a list belongs to the slice of each entry; null,
        an empty list and a list of nulls all belong to the slice null.
    protocol
        How texts are scored, as in `anls_frame.score`: the name of a preset or a `ScoreProtocol`, such as
        ``PROTOCOLS["rrc"].replace(threshold=0.3, errors="jiwer")``.
    missing
        `"empty"`, the default, scores a null prediction as an empty string, as reports do; `"drop"` leaves
        out such rows, which have no text to look at.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts); a row of
        `fields` counts, as wrong, if something was predicted there. `"empty"` treats the empty text as their
        answer: such a row is right if its prediction is null or empty, whatever `missing` says, and wrong
        otherwise.

    Returns
    -------
    Frame
        A frame of the same kind, in memory; pandas keeps the index. It contains the rows with the worst
        scores, sorted by slice, with the key of the slice in the columns of `by`. Ties are broken by the
        lowest `nls` and then by the texts, as in `Report.worst`. Rows without a score are left out. These
        columns are added to those of the given frame, or replace columns of the same name:

        - `anls`, `nls`, `cer` (`Float64`) and `error_type` (`String`);
        - the score of a custom metric under its name, unless it is a column;
        - `nearest_answer` (`String`);
        - `alignment` (`String`): the prediction aligned with that answer, both unprepared and with equal
          parts shortened, in the unit of the protocol (for character error rates, the unit of its `errors`);
          see `anls_frame.pairs.alignment`.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    DuplicateColumnError
        If a `by` column has the name of a column of the result.
    ValueError
        If an option has an invalid value, or a metric has a value outside its bounds.
    TypeError
        If the frame is not one of the accepted kinds, or `n` is not an integer.

    See Also
    --------
    anls_frame.browse : a page for sorting, filtering and reading rows.
    anls_frame.changes : the rows whose scores differ between systems.
    anls_frame.find_slices : what the bad rows have in common.
    anls_frame.summarize : with `worst=`, the worst rows of a table in several parts.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame(
    ...     {"id": [1, 2, 3], "prediction": ["cat", "c0w", None], "answer": ["cat", "cow", "a"]}
    ... )
    >>> rows = af.worst(df, "prediction", "answer", n=1, missing="drop")
    >>> rows.select("id", "nls", "error_type").row(0)
    (2, 0.6666666666666667, 'near')
    >>> print(rows["alignment"].item())
    REF: cow
    HYP: c0w
          S
    """
    n = count("n", n, most=MOST_ROWS - 1)
    slicing = crossed_keys(by)
    columns = slicing.names
    frame = at_hand(frame)
    resolved = resolve(metrics, column_names(frame), has_texts=True, protocol=protocol, are_of_rows=True)
    chosen = row_metrics(resolved, metrics)
    if len(chosen) > 1:
        raise ValueError(f"metrics must be one metric, got {[metric.name for metric in chosen]}")
    metric = chosen[0]
    new = _NEW if metric.is_built_in or isinstance(metric.numerator, str) else (*_NEW, metric.name)
    check_own_names(columns, new)
    how = scoring(protocol, frame, has_texts=True, missing=missing, unanswerable=unanswerable)
    settings = Settings(by=columns, metrics=(metric,), **how)
    rows = scored_rows(frame, {_SYSTEM: prediction}, answers, [metric], settings, slicing=slicing)
    selection = Selection(rows)
    ranks = selection.ranks(mean)
    scored = selection.scored().with_columns(**ranks)
    drawn = selection.first_of_slices(scored, list(ranks), n, where=pl.col("score_0_0").is_not_null())
    table = drawn.select(
        ROW,
        *rows.keys,
        anls="anls_0",
        nls="nls_0",
        cer="cer_0",
        error_type=type_of("text_0", settings),
        nearest_answer=nearest_answer("text_0", "answers", protocol=settings.protocol, missing="empty"),
        text=pl.col("text_0").fill_null(""),
        own="score_0_0",
    )
    compared = resolve_errors(settings.protocol) if metric.row == "cer" else settings.protocol
    # The texts are shown unprepared, so only the unit is that of the protocol.
    units = replace(PROTOCOLS["raw"].by(compared.unit), words=compared.words)
    alignments = [
        None if nearest is None else Alignment(shown, nearest, units).to_text(context=_CONTEXT)
        for shown, nearest in table.select("text", "nearest_answer").iter_rows()
    ]
    table = table.with_columns(pl.Series("alignment", alignments, dtype=pl.String))
    table = table.rename({"own": metric.name} if len(new) > len(_NEW) else {})
    return attach(frame, table[ROW], with_column_names(table.select(*rows.keys, *new), rows.keys, columns))
