"""Scores by threshold and by text length, and histograms of scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import polars as pl

from anls_frame._arguments import takes_names
from anls_frame._typing import Missing, Table, table_of_frame
from anls_frame.frames.conversion import as_kind_of, at_hand, to_pandas
from anls_frame.frames.joins import joined
from anls_frame.protocol import ScoreProtocol
from anls_frame.summary import details, fixed_point
from anls_frame.summary.cell_sums import ALL
from anls_frame.summary.cells import grouped
from anls_frame.summary.keys import canonical, chosen_keys, explode_lists, with_column_names
from anls_frame.summary.labels import check_slices
from anls_frame.summary.rows import sums_of_texts
from anls_frame.summary.settings import Settings, Unanswerable, check_by, scoring
from anls_frame.summary.summary import Summary
from anls_frame.summary.system_rows import scored_rows, single

GRID = 200
"""Number of steps in the threshold grid of summaries."""

BARS = 40
"""Number of bins of a histogram."""


@takes_names
def threshold_curve(summary: Summary[Table], *, by: str | Sequence[str] | None = None) -> Table:
    """
    Return ANLS at every threshold from 0 to 1, from the score histogram of a summary.

    Parameters
    ----------
    summary
        A summary of texts, from `summarize`, `merge` or `Report.summary`.
    by
        Some of the summary's `by` columns; by default, all rows form one group.

    Returns
    -------
    DataFrame
        Pandas if the summary was made from pandas frames, otherwise Polars. It has 201 rows for each slice,
        with the columns of `by`, `threshold` (`Float64`, 0, 1/200, ..., 1), `anls` (`Float64`, the mean under
        this threshold), `kept` (`Float64`, the share of rows that pass the cut) and `n` (`Int64`, scored
        rows). Rows without a score are left out; the `account` of the summary counts them.

    Raises
    ------
    TypeError
        If `summary` is not a summary.
    ValueError
        If the summary is of existing scores, or a column is not one of its `by` columns.

    See Also
    --------
    anls_frame.plot.threshold_curve : a plot of the curve.
    anls_frame.ScoreProtocol : sets the threshold.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["CocaCola", "Cola"], "answer": ["Coca Cola", "Coca Cola"]})
    >>> curve = af.threshold_curve(af.summarize(df, "prediction", "answer"))
    >>> curve.filter(pl.col("threshold").is_in([0.1, 0.5, 1.0]))
    shape: (3, 4)
    ┌───────────┬──────────┬──────┬─────┐
    │ threshold ┆ anls     ┆ kept ┆ n   │
    │ ---       ┆ ---      ┆ ---  ┆ --- │
    │ f64       ┆ f64      ┆ f64  ┆ i64 │
    ╞═══════════╪══════════╪══════╪═════╡
    │ 0.1       ┆ 0.0      ┆ 0.0  ┆ 2   │
    │ 0.5       ┆ 0.444444 ┆ 0.5  ┆ 2   │
    │ 1.0       ┆ 0.666667 ┆ 1.0  ┆ 2   │
    └───────────┴──────────┴──────┴─────┘
    """
    if not isinstance(summary, Summary):
        raise TypeError(f"summary must be a Summary, got {type(summary).__name__}; make one with summarize")
    settings = summary.settings
    if not settings.has_texts:
        raise ValueError("a summary of existing scores has no thresholds; summarize the texts")
    columns = check_by(by)
    keys = chosen_keys(columns, settings.by, "summary")
    cells = explode_lists(summary.report_sums.cells[ALL], keys)
    rows = grouped(cells.lazy(), keys, [pl.col("n").sum().alias("rows")]).collect()
    rows = rows.sort(keys, nulls_last=True) if keys else rows
    bins = explode_lists(summary.report_sums.frames["bins"], keys).group_by(*keys, "grid_threshold")
    steps = pl.DataFrame(
        {"step": range(GRID + 1), "threshold": [step / GRID for step in range(GRID + 1)]},
        schema={"step": pl.UInt8, "threshold": pl.Float64},
    )
    every = rows.join(steps, how="cross", maintain_order="left_right")
    sums = bins.agg(pl.col("n", "nls_units").sum()).rename({"grid_threshold": "step"})
    curve = joined(every, sums, [*keys, "step"]).with_columns(pl.col("n", "nls_units").fill_null(0))
    # A distance cut keeps a row at its own grid step and above, a similarity cut at its step and below.
    reverse = settings.protocol.cut == "similarity"

    def kept(column: str) -> pl.Expr:
        cumulated = pl.col(column).cum_sum(reverse=reverse)
        return cumulated.over(keys) if keys else cumulated

    anls = fixed_point.floats(kept("nls_units"), fixed_point.SCORE_BITS)
    rows_of = pl.col("rows")
    result = curve.select(
        *keys,
        "threshold",
        (anls / rows_of).alias("anls"),
        (kept("n") / rows_of).alias("kept"),
        rows_of.alias("n"),
    )
    table = with_column_names(result, keys, columns)
    return cast("Table", to_pandas(table) if summary.from_pandas else table)


@table_of_frame
@takes_names
def length_scores(
    frame: Any,
    prediction: str,
    answers: str,
    *,
    by: str | Sequence[str] | None = None,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
) -> Any:
    """
    Return scores by reference length, to show whether longer texts have more errors.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame (read on the streaming engine), a pandas DataFrame, or any object
        with the Arrow PyCapsule interface.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers.
    by
        Columns that define the slices; in pandas, levels of the index too. A row with a list counts once in
        the slice of each entry; null, an empty list and a list of nulls all belong to the slice null.
    protocol
        How texts are scored, as in `anls_frame.score`: the name of a preset or a `ScoreProtocol`, such as
        ``PROTOCOLS["rrc"].replace(threshold=0.3, errors="jiwer")``. The length is the `reference_length` of
        `score`.
    missing
        `"empty"`, the default, scores a null prediction as an empty string; `"drop"` leaves it out.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts); a row of
        `fields` counts, as wrong, if something was predicted there. `"empty"` treats the empty text as their
        answer: such a row is right if its prediction is null or empty, whatever `missing` says, and wrong
        otherwise.

    Returns
    -------
    Frame
        Polars for Polars, pandas for pandas, a pyarrow Table for other Arrow frames: one row for each slice
        and length range that occurs, from short to long, with the columns of `by`, `length_from`, `length_to`
        (`Int64`, in code points, both inclusive: 0, 1, 2 to 3, 4 to 7 and so on), `n` (`Int64`), the means
        `anls`, `nls`, `exact_match` and `cer_mean`, and `cer_corpus`, total edits divided by total reference
        length (`Float64`, null for references without characters). The ranges do not depend on the data, so
        tables of different data can be compared.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    DuplicateColumnError
        If a `by` column has the name of a column of the result.
    ValueError
        If an option has an invalid value.

    See Also
    --------
    anls_frame.plot.curve : a plot of the scores.
    anls_frame.report : with `details=True`, the same table for each slice.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame(
    ...     {"prediction": ["cat", "dog", "hippopotamos"], "answer": ["cat", "god", "hippopotamus"]}
    ... )
    >>> af.length_scores(df, "prediction", "answer").select("length_from", "length_to", "n", "nls")
    shape: (2, 4)
    ┌─────────────┬───────────┬─────┬──────────┐
    │ length_from ┆ length_to ┆ n   ┆ nls      │
    │ ---         ┆ ---       ┆ --- ┆ ---      │
    │ i64         ┆ i64       ┆ i64 ┆ f64      │
    ╞═════════════╪═══════════╪═════╪══════════╡
    │ 2           ┆ 3         ┆ 2   ┆ 0.666667 │
    │ 8           ┆ 15        ┆ 1   ┆ 0.916667 │
    └─────────────┴───────────┴─────┴──────────┘
    """
    columns = check_by(by)
    frame = at_hand(frame)
    how = scoring(protocol, frame, has_texts=True, missing=missing, unanswerable=unanswerable)
    settings = Settings(by=columns, **how)
    rows = scored_rows(frame, {prediction: prediction}, answers, [], settings)
    scored = single(rows).filter(pl.col("row_digest").is_not_null())
    sums = scored.group_by(*rows.keys, "bits").agg(sums_of_texts())
    counted = canonical(sums.collect(engine="streaming"))
    check_slices(counted, rows.keys, columns)
    by_length = details.length_sums_of(counted, rows.keys)
    result = details.length_table(by_length, rows.keys)
    return as_kind_of(frame, with_column_names(result, rows.keys, columns))


class Histogram(NamedTuple):
    """Numbers of rows below the range, in bins of equal width, at its upper end or above, and those cut."""

    low: int
    bins: list[int]
    high: int
    cut: int = 0

    @property
    def n(self) -> int:
        """Total number of rows."""
        return self.low + sum(self.bins) + self.high


def score_histogram(summary: Summary, bars: int = BARS) -> Histogram:
    """
    Count the rows of a summary by NLS: at 0, between, and at 1, and those between that the cut sets to 0.

    The summary has a resolution of 1/200. If its protocol cuts by similarity, rows between 0 and 1/200 cannot
    be distinguished from those at 0 and are counted there.
    """
    settings = summary.settings
    cells = summary.report_sums.cells[ALL]
    exact, zeros = (int(cells[name].sum()) for name in ("exact_match_sum", "zeros_sum"))
    counts = [0] * GRID
    low = 0
    for step, n in (
        summary.report_sums.frames["bins"].group_by("grid_threshold").agg(pl.col("n").sum()).iter_rows()
    ):
        # The step is the first k with d / L < k / 200, or the last one with 1 - d / L >= k / 200.
        if step is None or (settings.protocol.cut == "similarity" and step == 0):
            low += n
            continue
        index = min(step, GRID - 1) if settings.protocol.cut == "similarity" else GRID - step
        counts[max(index, 0)] += n
    # The top step holds equal texts, and possibly texts of more than 200 characters with one error.
    counts[-1] -= exact
    width = GRID // bars
    bins = [sum(counts[at : at + width]) for at in range(0, GRID, width)]
    return Histogram(low, bins, exact, min(max(zeros - low, 0), sum(bins)))
