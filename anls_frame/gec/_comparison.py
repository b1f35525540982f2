"""Comparison of systems on the same sentences, by scores over all sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
import polars.selectors as cs

from anls_frame import statistics
from anls_frame._arguments import count, margin, number, refuse_columns, share, string
from anls_frame._text import numbered
from anls_frame._typing import IntoExprColumn
from anls_frame.exceptions import warn
from anls_frame.export.columns import TESTED, VOTES, interval, schema_of
from anls_frame.frames.conversion import as_kind_of, at_hand, column_names, in_polars
from anls_frame.gec._corpus_measures import Measure, MeasureName, measure_of
from anls_frame.statistics import sample_sizes, swaps
from anls_frame.statistics.arrays import FloatArray
from anls_frame.statistics.carriers import are_few, carriers
from anls_frame.statistics.differences import difference_interval
from anls_frame.statistics.sample_sizes import Changes
from anls_frame.statistics.significance import MOST_DRAWS

_UNIT = "unit"
_EQUAL = 1e-12
"""Scores of a sentence that differ by less are equal up to rounding."""
_LEAST_UNITS = 2
_POWER = 0.8
_MOST_LOST = 0.01
"""Share of sentences left out, above which a decision says so."""


def compare(
    systems: Mapping[str, IntoExprColumn] | Sequence[str],
    gold: Any,
    *,
    measure: MeasureName = "m2",
    cluster: str | None = None,
    confidence: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    within: float | None = None,
    alpha: float = 0.05,
    **options: Any,
) -> Any:
    """
    Compare two or more systems on the same sentences: scores, differences, intervals and p-values.

    Parameters
    ----------
    systems
        Mapping from the name of each system to the column with its corrected sentences, or, for ``"errant"``,
        with its edits; or a list of columns, whose names are then used. The first system is the baseline,
        with which the others are compared.
    gold
        Polars, pandas or Arrow frame with the column `source`, the gold `edits` and, so that annotators
        without edits count, `annotators`, as `read_m2` returns them. For ``"i_measure"``, `references` can
        replace `edits` and `annotators`.
    measure
        ``"m2"`` and ``"errant"`` compare F, ``"i_measure"`` the I-measure, of all sentences together.
    cluster
        Column of `gold` that identifies the document of each sentence, whose sentences are not independent.
    confidence
        Confidence level of the intervals; of several systems, that of all their intervals together.
    draws, seed
        Number of random draws of the swap test, at most 10 million, and their seed.
    within
        A margin in units of the score (a point is 0.01), to decide whether each system is worse than the
        baseline by more than this.
    alpha
        Upper bound on the probability of "fine", and of "regressed", if the true loss equals the margin.
    **options
        Options of the functions of the measure: `m2` and `m2_corpus`, `errant` and `errant_corpus`, or
        `i_measure` and `i_measure_corpus`, such as ``beta=1`` or ``mode="ds"``.

    Returns
    -------
    DataFrame
        One row per system in the given order: `system`, `n` (sentences; those without a source, without gold
        edits or without a correction of any system are left out), the fields of the measure's corpus
        function, and against the baseline: `difference`, its interval from `difference_low` to
        `difference_high`, `p_value`, `p_adjusted` (Holm's correction for several systems), the numbers of
        sentences with a better (`wins`), an equal (`ties`) and a worse score (`losses`), `few_rows`, which
        marks an interval that is only rough, as in reports (fewer than 100 sentences, fewer
        than 20 effective documents, or fewer than 10 documents or sentences that carry the difference), and
        `n_clusters`. With `within`, also the `answer` ("fine", "regressed" or "undecided"), the smallest
        margin that these documents (or sentences) decide in 80 % of samples if the systems are equally good
        (`detectable`), and the number of documents needed for the given margin (`needed`), the upper end of
        the range of `Comparison.decide`. These columns are null for the
        baseline. Interval and p-values are also null with fewer than two documents (or sentences, if there
        are no documents), and where a score is undefined. The frame is of the same kind as `gold`, in memory.

    Raises
    ------
    ValueError
        If there are fewer than two systems, an option has an invalid value, or a system lacks a sentence in a
        row in which another system has one.
    TypeError
        If an argument or an option has the wrong type, or is unknown.

    Warns
    -----
    InputWarning
        With `within`, if more than a hundredth of the sentences were left out: the answer is about the
        others.

    See Also
    --------
    read_m2 : with a mapping as `prediction`, read the sentences of several systems.

    Notes
    -----
    The score of all sentences is not a mean over sentences, so the test recomputes it. In each draw, the
    counts of the two systems are swapped in about half of the documents (or sentences), and both scores are
    computed from the new totals. p is the share of draws, the observed data included, in which the scores
    differ by at least as much as observed; for few documents, all combinations are enumerated. Yeh (2000)
    proposes this randomization test for F.

    The counts of a sentence stay those of the annotator (for the I-measure, the reference) chosen when the
    system was scored separately. `errant_corpus`, and `m2_corpus` with ``choose="greedy"``, choose by all
    preceding sentences, so the counts of two equally good systems are exchangeable only approximately;
    ``choose="best_sentence"`` makes the test of M² exact.

    The interval is that of `Comparison`: the difference ± t · s, where s is the standard error of the
    jackknife over documents (or sentences), with one more that wins and one more that loses, and the degrees
    of freedom of t are their effective number minus 1 (see `anls_frame.statistics.effective_units`). The
    interval is too short if the I-measure of a system is close to 0, where its formula has a kink.

    The answer is "fine" if the upper one-sided bound of the loss lies below the margin, "regressed" if the
    lower bound lies above it, and "undecided" otherwise. The bounds are those of `Comparison.decide`, from
    what each document or sentence adds to the difference (the jackknife). Where no document differs, they are
    -ln(alpha) / n from the difference, for n effective documents, because so large a share of documents that
    fail may be missing in the sample.

    Examples
    --------
    >>> import polars as pl
    >>> from anls_frame import gec
    >>> edit = {"start": 1, "end": 2, "type": "SVA", "corrections": ["goes"], "annotator": 0}
    >>> df = pl.DataFrame(
    ...     {
    ...         "source": ["He go home ."] * 8,
    ...         "edits": [[edit]] * 8,
    ...         "old": ["He go home ."] * 6 + ["He goes home ."] * 2,
    ...         "new": ["He go home ."] + ["He goes home ."] * 7,
    ...     }
    ... )
    >>> table = gec.compare(["old", "new"], df)
    >>> table.select("system", "f", "difference", "p_value", "wins", "ties", "losses")
    shape: (2, 7)
    ┌────────┬──────────┬────────────┬─────────┬──────┬──────┬────────┐
    │ system ┆ f        ┆ difference ┆ p_value ┆ wins ┆ ties ┆ losses │
    │ ---    ┆ ---      ┆ ---        ┆ ---     ┆ ---  ┆ ---  ┆ ---    │
    │ str    ┆ f64      ┆ f64        ┆ f64     ┆ i64  ┆ i64  ┆ i64    │
    ╞════════╪══════════╪════════════╪═════════╪══════╪══════╪════════╡
    │ old    ┆ 0.625    ┆ null       ┆ null    ┆ null ┆ null ┆ null   │
    │ new    ┆ 0.972222 ┆ 0.347222   ┆ 0.0625  ┆ 5    ┆ 3    ┆ 0      │
    └────────┴──────────┴────────────┴─────────┴──────┴──────┴────────┘
    """
    refuse_columns("cluster", cluster, "cluster=")
    named = _named(systems)
    scorer = measure_of(measure, options)
    confidence = share("confidence", confidence, ends=False)
    draws, seed = count("draws", draws, 1, MOST_DRAWS), count("seed", seed)
    alpha = number("alpha", alpha, 0, 0.5, ends=False)
    if within is not None:
        within = margin("within", within, scorer.bounds, scorer.score_name, in_points=True)
    gold = at_hand(gold)
    columns = column_names(gold)
    counts = [scorer.rows(column, columns) for column in named.values()]
    needed = [name for expression in counts for name in expression.meta.root_names()]
    unit = [] if cluster is None else [string("cluster", cluster, "the name of a column")]
    rows = (
        in_polars(gold, [*needed, *unit])
        .lazy()
        .select(
            *(expression.alias(str(index)) for index, expression in enumerate(counts)),
            *(cs.by_name(name).alias(_UNIT) for name in unit),
        )
        .collect()
    )
    is_scored = _scored(rows, list(named), scorer)
    n_lost = rows.height - int(is_scored.sum())
    if within is not None and n_lost > _MOST_LOST * rows.height:
        warn(
            f"{n_lost:,} of {numbered(rows.height, 'sentence')} left out for lack of a source, gold edits or "
            "corrections"
        )
    rows = rows.filter(is_scored)
    added = [scorer.added(rows[str(index)]) for index in range(len(named))]
    summed = [_by_unit(numbers, rows) for numbers in added]
    n = _by_unit(np.ones((rows.height, 1)), rows)[:, 0]
    base, first = added[0], summed[0]
    # Of several systems, the intervals apply together (Bonferroni), as their p-values are adjusted.
    level = 1 - (1 - confidence) / (len(named) - 1)
    lines: list[dict[str, Any]] = [{}]
    for own, second in zip(added[1:], summed[1:], strict=True):
        difference = float(
            np.subtract(*(scorer.score(sums.sum(axis=0)[:, None])[0] for sums in (second, first)))
        )
        size = scorer.size(first + second)
        units = statistics.effective_units(size.sum(), (size * size).sum())
        influence = swaps.jackknife(first, second, scorer.score)
        variance = swaps.jackknife_variance(influence)
        widest = scorer.bounds[1] - scorer.bounds[0]
        few = are_few(rows.height, units, carriers(influence))
        changed = np.count_nonzero((first != second).any(axis=1))
        ends = difference_interval(difference, variance, units, changed, level, unseen=widest)
        low, high = np.clip(ends, -widest, widest)
        p_value = np.nan
        if len(size) >= _LEAST_UNITS and not np.isnan(difference):
            p_value = swaps.p_value(first, second, scorer.score, draws=draws, seed=seed)
        changes = Changes(
            group=np.zeros(len(size), np.int64),
            groups=1,
            count=np.ones(len(size)),
            n=n,
            x=n * difference + n.sum() * influence,
            residual=n.sum() * influence,
            weight=size,
            unseen=widest,
        )
        gain = scorer.score(own.T) - scorer.score(base.T)
        wins, losses = np.count_nonzero(gain > _EQUAL), np.count_nonzero(gain < -_EQUAL)
        lines.append({
            **interval("difference", difference, float(low), float(high)),
            "p_value": p_value,
            "wins": wins,
            "ties": len(gain) - wins - losses,
            "losses": losses,
            "few_rows": bool(few),
            "n_clusters": len(size) if _UNIT in rows.columns else None,
            **({} if within is None else _answered(changes, within, alpha)),
        })  # fmt: skip
    adjusted = statistics.holm([line["p_value"] for line in lines[1:]])
    for line, p_value in zip(lines[1:], adjusted, strict=True):
        line["p_adjusted"] = p_value
    schema = _SCHEMA if within is None else _SCHEMA | _ANSWERS
    differences = pl.DataFrame(lines, schema=schema).with_columns(pl.col(pl.Float64).fill_nan(None))
    if within is not None:
        units_of = pl.coalesce("n_clusters", pl.lit(rows.height))
        differences = differences.with_columns((pl.col("needed") * units_of).ceil().cast(pl.Int64))
    return as_kind_of(gold, _scores(rows, list(named), scorer).hstack(differences))


def _named(systems: Any) -> dict[str, Any]:
    named = dict(systems) if isinstance(systems, Mapping) else {}
    if not named and isinstance(systems, list | tuple):
        named = {name: name for name in systems if isinstance(name, str)}
    if len(named) < 2 or len(named) < len(systems) or not all(isinstance(name, str) for name in named):  # noqa: PLR2004
        raise ValueError(
            "systems must name two or more different columns, such as {'old': 'a', 'new': 'b'}, got "
            f"{systems!r}"
        )
    return named


def _scored(rows: pl.DataFrame, names: Sequence[str], scorer: Measure) -> pl.Series:
    """Return which rows have counts; raise an error for rows with counts of some systems only."""
    has = rows.select(scorer.has_counts(pl.col(str(index))).alias(str(index)) for index in range(len(names)))
    every, any_system = has.select(every=pl.all_horizontal(pl.all()), any_system=pl.any_horizontal(pl.all()))
    for row in (any_system & ~every).arg_true().head(1):
        lacking = next(name for name, counted in zip(names, has.row(row), strict=True) if not counted)
        raise ValueError(
            f"system {lacking!r} has no correction in row {row}, but another one has; replace nulls, for "
            "example by the source"
        )
    return every


def _scores(rows: pl.DataFrame, names: Sequence[str], scorer: Measure) -> pl.DataFrame:
    """Return the scores of each system over all rows."""
    scores = [rows.select(scorer.corpus(str(index)).struct.unnest()) for index in range(len(names))]
    n = pl.lit(rows.height, pl.Int64).alias("n")
    return pl.concat(scores).select(pl.Series("system", names), n, pl.exclude("beta"))


def _answered(changes: Changes, within: float, alpha: float) -> dict[str, Any]:
    """Return whether a system is worse by more than the margin, by the bounds of all gates."""
    low, high = (float(end.item()) for end in sample_sizes.difference_bounds(changes, alpha))
    if math.isnan(low):
        return {"answer": "undecided"}
    answer = "fine" if low > -within else "regressed" if high < -within else "undecided"
    detectable = sample_sizes.decidable_margin(changes, _POWER, alpha).item()
    needed = sample_sizes.deciding_units(changes, within, _POWER, alpha).high.item()
    return {"answer": answer, "detectable": detectable, "needed": needed}


_ANSWERS = {"answer": pl.String(), "detectable": pl.Float64(), "needed": pl.Float64()}

_SCHEMA = schema_of(*TESTED, *VOTES, "few_rows", "n_clusters")


def _by_unit(numbers: FloatArray, rows: pl.DataFrame) -> FloatArray:
    """Add up the counts of each document, if documents are given."""
    if _UNIT not in rows.columns:
        return numbers
    table = pl.DataFrame(numbers).with_columns(rows[_UNIT])
    return table.group_by(_UNIT, maintain_order=True).agg(pl.all().sum()).drop(_UNIT).to_numpy()
