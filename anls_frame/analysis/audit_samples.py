"""Samples of rows to be judged, from which the score of the whole frame can be corrected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
import polars.selectors as cs

from anls_frame._arguments import count, string, takes_names
from anls_frame._messages import wrong
from anls_frame._text import numbered
from anls_frame._typing import table_of_frame
from anls_frame.exceptions import DTypeError
from anls_frame.export.display import plain_keys
from anls_frame.export.values import plain_frame
from anls_frame.frames.checks import check_columns, check_new_names
from anls_frame.frames.conversion import (
    at_hand,
    column_names,
    in_memory,
    to_lazy,
    with_columns_like,
)
from anls_frame.frames.documents import numbers
from anls_frame.frames.number_columns import with_numbers
from anls_frame.frames.reserved_columns import AUDIT, AUDIT_CLUSTER, AUDIT_PROBABILITY, AUDIT_STRATUM
from anls_frame.statistics.arrays import FloatArray
from anls_frame.statistics.audit_draws import allotted, probabilities, systematic
from anls_frame.summary.keys import check_objects, optional
from anls_frame.summary.settings import MOST_ROWS, check_by
from anls_frame.summary.slicing import check_values
from anls_frame.summary.systems import systems_of

SAME = "same"
"""The stratum of rows that need no verdict, because all systems say the same."""

_ALL, _ROW = "all", "__anls_frame_row"
_WEIGHTS = {_ALL: 1.0, "different": 1.0, "lowest": 0.3, "between": 0.5, "highest": 0.3}
"""For each kind of row the standard deviation that is expected of its truth, of scores as measured."""

_LEAST_OF_SCORES = 10
_LEANS = ("uniform", "differing", "score")


@table_of_frame
@takes_names
def audit_sample(
    frame: Any,
    n: int,
    *,
    lean: str = "uniform",
    score: str | None = None,
    prediction: Mapping[str, str] | Sequence[str] | None = None,
    cluster: str | None = None,
    by: str | Sequence[str] | None = None,
    per_slice: int = 0,
    seed: int = 0,
) -> Any:
    """
    Draw a sample of rows to be judged by people, whose verdicts correct the score of all rows.

    Parameters
    ----------
    frame
        All rows that are scored: a Polars DataFrame or LazyFrame (which is collected), a pandas DataFrame, or
        any object with the Arrow PyCapsule interface.
    n
        Number of rows to draw.
    lean
        Which rows are more likely to be drawn. `"uniform"`, the default, draws all rows with equal
        probability. `"differing"`, for comparing systems, draws only rows in which the texts of systems
        differ, because other rows cannot contribute to the difference. The difference then takes a third to
        a quarter of the verdicts, but they say nothing about the score of a single system. `"score"`
        prefers rows with partial scores, but draws at least ten rows with the lowest score and ten with the
        highest. Any other text is the name of a column of numbers of at least 0: half of a row's
        probability is proportional to its number.
    score
        Column with the score of each row, for ``lean="score"``.
    prediction
        Columns with the texts of systems, as a mapping or a list, two or more for ``lean="differing"``.
    cluster
        Column that identifies the document of each row, so that the drawn rows are spread over many
        documents. The result keeps it as `audit_cluster`, which `corrected` reads. Nulls form one document.
    by, per_slice
        Columns that define slices, with one value per row, and the minimum number of rows drawn from each
        slice, at least one; smaller slices are drawn completely. The remaining draws are shared in proportion
        to the rows of slices.
    seed
        Seed of the draw.

    Returns
    -------
    Frame
        All rows, in memory, as the same kind of frame with new columns: `audit` (`Boolean`), whether the row
        is drawn; `audit_probability` (`Float64`), the probability of being drawn, null for rows that need no
        verdict; `audit_stratum` (`String`), the group of rows within which it was drawn; and `audit_cluster`
        if `cluster` is given.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If a column of `by` holds lists, or the column of `lean` or `score` does not hold numbers.
    DuplicateColumnError
        If the frame has a column with the name of a new one.
    ValueError
        If the frame has too few rows, `lean` needs a column that is not given, or `n` is too small for the
        slices.
    TypeError
        If the frame is not one of the accepted kinds.

    See Also
    --------
    anls_frame.browse : with ``audit=True``, a page of the drawn rows, for giving verdicts.
    anls_frame.audited_scores : the verdicts as scores.
    anls_frame.corrected : the corrected score.

    Notes
    -----
    Systematic sampling (Madow 1949) draws exactly the requested number of rows from each stratum, each row
    with its probability, from documents and rows in random order. Verdicts must depend on the drawn rows
    alone, and all drawn rows must be judged, because skipped rows are rarely typical.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"doc": [1, 1, 2, 2, 3, 3], "anls": [1.0, 0.5, 1.0, 1.0, 0.0, 1.0]})
    >>> sample = af.audit_sample(df, 3, cluster="doc")
    >>> sample.filter("audit").select("doc", "audit_probability", "audit_stratum")
    shape: (3, 3)
    ┌─────┬───────────────────┬───────────────┐
    │ doc ┆ audit_probability ┆ audit_stratum │
    │ --- ┆ ---               ┆ ---           │
    │ i64 ┆ f64               ┆ str           │
    ╞═════╪═══════════════════╪═══════════════╡
    │ 1   ┆ 0.5               ┆ all           │
    │ 2   ┆ 0.5               ┆ all           │
    │ 3   ┆ 0.5               ┆ all           │
    └─────┴───────────────────┴───────────────┘
    """
    n, per_slice = count("n", n, 1), count("per_slice", per_slice, most=MOST_ROWS - 1)
    seed, slices = count("seed", seed), list(check_by(by))
    if per_slice and not slices:
        raise ValueError("per_slice needs by=, the columns of the slices")
    systems = {} if prediction is None else systems_of(prediction)
    given = at_hand(frame)
    names = column_names(given)
    check_new_names(names, (AUDIT, AUDIT_PROBABILITY, AUDIT_STRATUM, AUDIT_CLUSTER))
    frame = in_memory(given)
    needed = [*slices, *optional(cluster), *_lean_column(lean, score, systems, names)]
    rows = pl.DataFrame({_ROW: np.arange(len(frame))})
    rows = rows.hstack(to_lazy(frame, list(systems.values()), needed).collect())
    check_objects(rows.select(cs.by_name(*slices)).schema.items(), "slice rows")
    lists = [name for name in slices if isinstance(rows.schema[name], pl.List | pl.Array)]
    if lists:
        raise DTypeError(f"the columns {lists} of by= hold lists, but a row can be drawn in only one slice")
    check_values(rows, {name: name for name in slices})
    documents = numbers(None if cluster is None else rows[cluster], rows.height).astype(np.int64)
    kinds = _kinds(rows, lean, score, list(systems.values()))
    strata = plain_frame(plain_keys(rows.select(cs.by_name(*slices)), slices), "by")
    strata = strata.select(label=_labels(kinds, slices), kind=kinds)
    suspicion = _numbers(rows, lean, least=0.0) if lean not in _LEANS else np.zeros(rows.height)
    least = max(per_slice, _LEAST_OF_SCORES if lean == "score" else 1)
    random = np.random.default_rng(seed)
    is_drawn, probability = np.zeros(rows.height, bool), np.full(rows.height, np.nan)
    for label, share in _shared_out(strata, n, least).items():
        own = (strata["label"] == label).arg_true().to_numpy()
        probability[own] = probabilities(share, suspicion[own])
        is_drawn[own] = systematic(share, probability[own], documents[own], random)
    columns = pl.DataFrame({
        AUDIT: is_drawn,
        AUDIT_PROBABILITY: pl.Series(probability).fill_nan(None),
        AUDIT_STRATUM: strata["label"],
        **({} if cluster is None else {AUDIT_CLUSTER: rows[cluster]}),
    })  # fmt: skip
    return with_columns_like(given, frame, columns)


_NULL, _BETWEEN = "null", " / "
"""A missing value in the name of a stratum, and the separator between the values of several columns."""


def _lean_column(lean: str, score: str | None, systems: Mapping[str, str], names: Sequence[Any]) -> list[str]:
    """Return the column of numbers that a draw needs; raise an error if an argument is missing."""
    if string("lean", lean) == "differing" and len(systems) < 2:  # noqa: PLR2004
        raise ValueError(
            'lean="differing" needs prediction=, the columns with the texts of two or more systems'
        )
    if lean == "score" and score is None:
        raise ValueError('lean="score" needs score=, the column with the score of each row')
    if lean not in _LEANS:
        check_columns([*names, *_LEANS], [lean])
        return [lean]
    return [str(score)] if lean == "score" else []


def _kinds(rows: pl.DataFrame, lean: str, score: str | None, texts: Sequence[str]) -> pl.Series:
    """Return the kind of each row, by the expected uncertainty of its truth."""
    kind = pl.lit(_ALL)
    if lean == "differing":
        first, *others = (cs.by_name(name).cast(pl.String) for name in texts)
        is_same = pl.all_horizontal(first.eq_missing(other) for other in others)
        kind = pl.when(is_same).then(pl.lit(SAME)).otherwise(pl.lit("different"))
    elif lean == "score":
        values = pl.lit(pl.Series(_numbers(rows, str(score))))
        at_end = pl.when(values == values.max()).then(pl.lit("highest")).when(values == values.min())
        kind = at_end.then(pl.lit("lowest")).otherwise(pl.lit("between"))
    return rows.select(_ROW, kind=kind)["kind"]


def _labels(kinds: pl.Series, slices: Sequence[str]) -> pl.Expr:
    """Return the names of strata: kinds of rows, crossed with the values of slices."""
    values = [_spelled(cs.by_name(name).cast(pl.String)) for name in slices]
    is_alone = bool(slices) and kinds.n_unique() == 1
    return pl.concat_str([*([] if is_alone else [pl.lit(kinds)]), *values], separator=_BETWEEN)


def _spelled(value: pl.Expr) -> pl.Expr:
    """Return values so that joined ones are equal only if all of them are; most are written as they are."""
    is_ambiguous = (value == _NULL) | value.str.contains(_BETWEEN, literal=True) | value.str.starts_with('"')
    quoted_value = pl.concat_str([pl.lit('"'), value.str.replace_all('"', '""', literal=True), pl.lit('"')])
    return pl.when(is_ambiguous).then(quoted_value).otherwise(value).fill_null(_NULL)


def _shared_out(strata: pl.DataFrame, n: int, least: int) -> dict[str, int]:
    """Return the number of rows to draw from each stratum whose rows need a verdict."""
    wanted = strata.filter(pl.col("kind") != SAME).group_by("label").agg(pl.len(), pl.col("kind").first())
    wanted = wanted.sort("label")
    sizes = wanted["len"].cast(pl.Int64).to_numpy()
    weights = np.array([_WEIGHTS[kind] for kind in wanted["kind"]])
    fewest, most = int(np.minimum(sizes, least).sum()), int(sizes.sum())
    if n < fewest:
        raise wrong("n", f"must be at least {fewest:,}, the number of verdicts that strata need, got {n:,}")
    if n > most:
        raise wrong("n", f"must be at most {most:,}, the number of rows that need a verdict, got {n:,}")
    counts = allotted(n, sizes, weights, np.full(len(sizes), least))
    return dict(zip(wanted["label"], counts.tolist(), strict=True))


def _numbers(rows: pl.DataFrame, name: str, least: float = -np.inf) -> FloatArray:
    """Return a column of numbers of at least the given value."""
    rows = with_numbers(rows.lazy(), [name]).collect()
    if not (rows.schema[name].is_numeric() or rows.schema[name] == pl.Boolean):
        raise DTypeError(f"column {name!r} must hold numbers, but has dtype {rows.schema[name]}")
    values = rows[name].alias("values").cast(pl.Float64).fill_null(np.nan).to_numpy()
    wrong = int(np.count_nonzero(~(np.isfinite(values) & (values >= least))))
    if wrong:
        bound = "" if least < 0 else f" of at least {least:g}"
        raise ValueError(
            f"column {name!r} must hold numbers{bound}, but {numbered(wrong, 'value')} of {rows.height:,} "
            "cannot be used; leave these rows out before the draw, or fill them"
        )
    return values
