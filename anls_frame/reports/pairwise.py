"""Scores, ranks and pairwise differences of several systems by slice, with intervals and tests."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from anls_frame import statistics
from anls_frame.export.columns import DIFFERENCE, RANK, SCORE, TESTED, VOTES, interval
from anls_frame.reports.estimates import system_scores
from anls_frame.reports.slice_units import SliceUnits, UnitSums, slice_units
from anls_frame.statistics import SystemSums
from anls_frame.statistics.arrays import BoolArray, FloatArray, IntArray
from anls_frame.statistics.carriers import FEW_CARRIERS, are_few, carriers
from anls_frame.statistics.differences import difference_interval
from anls_frame.summary.comparison_sums import pairs as all_pairs
from anls_frame.summary.keys import explode_lists
from anls_frame.summary.summary import Summary

COMPARED = ("metric", "baseline", "system")
COLUMNS = (*COMPARED, "n", *SCORE, "baseline_score", *TESTED, *VOTES, "few_rows", "n_clusters")
RANKED = ("metric", "system", "n", *SCORE, *RANK, "possibly_best", "few_rows", "n_clusters")
RATES = (*SCORE, "baseline_score", *DIFFERENCE)
"""Columns in the unit of the metric."""

LEAST_UNITS = 2
"""Smallest number of units for a p-value; a single unit shows no spread."""

NO_SPREAD = 1e-13
"""A sum of squared differences below this fraction of its terms is rounding error and set to 0."""

_ROUNDING = 1e-12
"""A deviation below this fraction of the numbers that were subtracted is rounding error and set to 0."""

_VALUES = 1 << 22
"""Maximum number of values in an array of units by pairs."""


@dataclass(frozen=True, kw_only=True)
class Test:
    """The parameters of intervals and p-values."""

    confidence: float
    draws: int
    seed: int


def tested_differences(
    summary: Summary, keys: Sequence[str], pairs: Sequence[tuple[int, int]], test: Test
) -> pl.DataFrame:
    """
    Return a row for each slice, metric and pair, in this order, with the columns `COLUMNS`.

    `anls_frame.statistics.pairwise` computes the p-values, which are adjusted for all of them together.
    """
    every = slice_units(summary, keys)
    tested = statistics.pairwise(system_sums(every), pairs, draws=test.draws, seed=test.seed)
    votes = pl.concat(_voted(summary, sliced, pairs) for sliced in every)
    p_values = [
        pl.Series("p_value", tested.p_value.ravel(), nan_to_null=True),
        pl.Series("p_adjusted", tested.p_adjusted.ravel(), nan_to_null=True),
    ]
    return differences(summary, every, pairs, test).hstack(votes).hstack(p_values).select(*keys, *COLUMNS)


def differences(
    summary: Summary, every: Sequence[SliceUnits], pairs: Sequence[tuple[int, int]], test: Test
) -> pl.DataFrame:
    """Return the rows of `tested_differences` without p-values, wins, ties and losses."""
    names, (first, second), tables = list(summary.systems), np.array(pairs).T, []
    identity = {
        "baseline": [names[system] for system in first],
        "system": [names[system] for system in second],
    }
    for sliced in every:
        _, y = sliced.totals
        scores, sums = system_scores(summary, sliced, test.confidence)
        score = scores.score
        shape = (sliced.slices.height, len(pairs))
        variance, effective, changed, carrying = np.full((4, *shape), np.nan)
        for index, units in enumerate(sliced):
            influence = _influence(units, score[index], y[index])
            effective[index], variance[index] = spread_of(influence, units.counts, units.y, pairs)
            with np.errstate(invalid="ignore", divide="ignore"):
                changed[index] = changed_units(units.x / y[index], units.counts, pairs)
            carrying[index] = _carrying(units, score[index], y[index], pairs)
        difference = score[:, second] - score[:, first]
        metric = sliced.metric
        low, high = difference_interval(
            difference,
            variance,
            effective,
            changed,
            test.confidence,
            unseen=metric.unseen_difference,
        )
        largest = metric.largest_difference
        low, high = np.clip(low, -largest, largest), np.clip(high, -largest, largest)
        # All systems have the same rows.
        n, *powers = (size[:, :1] for size in (sums.n, sums.n_squares, sums.n_cubes, sums.n_fourths))
        few = are_few(n, statistics.effective_units(n, *powers), carrying)
        values = {
            **interval("score", *(part[:, second] for part in (score, scores.low, scores.high))),
            "baseline_score": score[:, first],
            **interval("difference", difference, low, high),
        }
        tables.append(long_table(sliced, identity, values, few))
    return pl.concat(tables)


def long_table(
    sliced: SliceUnits,
    identity: Mapping[str, Sequence[str]],
    figures: Mapping[str, FloatArray],
    few: BoolArray,
) -> pl.DataFrame:
    """Return figures, arrays of slices by systems or pairs, with a row for each of both."""
    rows = np.repeat(np.arange(len(few)), few.shape[1])
    return sliced.slices[rows].with_columns(
        pl.lit(sliced.metric.name).alias("metric"),
        *(pl.Series(name, [*values] * len(few), pl.String) for name, values in identity.items()),
        *(pl.Series(name, values.ravel(), nan_to_null=True) for name, values in figures.items()),
        pl.Series("few_rows", few.ravel()),
    )


def is_significant(alpha: float) -> pl.Expr:
    """Return which lines are significant among all of their table."""
    return pl.col("p_adjusted") <= alpha


def least_units(alpha: float, draws: int) -> int:
    """Return the smallest number of units G whose smallest possible p-value, 2 / 2^G, is at most alpha."""
    if alpha * (1 + draws) < 1:  # p is at least 1 / (1 + draws) too
        return sys.maxsize
    return max(LEAST_UNITS, 1 + math.ceil(-math.log2(alpha) - 1e-12))


def untestable_slices(slices: pl.DataFrame, alpha: float, draws: int) -> pl.DataFrame:
    """Return the slices that have too few units to reach a p-value of alpha."""
    return slices.filter(pl.coalesce("n_clusters", "n") < least_units(alpha, draws))


def _influence(units: UnitSums, score: FloatArray, y: FloatArray) -> FloatArray:
    """Return the contribution of each unit to each system's score, to first order."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((units.x - score * units.y) / y)


def spread_of(
    influence: FloatArray, counts: IntArray | FloatArray, y: FloatArray, pairs: Sequence[tuple[int, int]]
) -> tuple[FloatArray, FloatArray]:
    """Return the effective number of units and the variance of differences, from units' contributions."""
    first, second = np.array(pairs).T
    squares = counts @ influence**2
    bracket = np.empty(len(pairs))
    for baseline, columns, others in _by_first(pairs, len(influence)):
        bracket[columns] = counts @ (influence[:, others] - influence[:, [baseline]]) ** 2
    # The rest for equal systems is due to rounding.
    bracket[bracket <= NO_SPREAD * (squares[first] + squares[second])] = 0.0
    total = (counts[:, None] * y).sum(axis=0)
    lengths = (y * counts[:, None]).T @ y
    if len(total) == 1:  # common to all systems
        first = second = 0 * first
    both = np.diag(lengths)[first] + np.diag(lengths)[second] + 2 * lengths[first, second]
    effective = np.asarray(statistics.effective_units(total[first] + total[second], both))
    with np.errstate(invalid="ignore", divide="ignore"):
        return effective, bracket * effective / (effective - 1)


def changed_units(
    added: FloatArray, counts: IntArray | FloatArray, pairs: Sequence[tuple[int, int]]
) -> FloatArray:
    """
    Return the number of units in which the systems of each pair differ.

    `added` is what each unit adds to each system's score, and `counts` the number of equal units.
    """
    changed = np.zeros(len(pairs))
    for columns, apart in _apart(added, np.abs(added), pairs):
        changed[columns] = counts @ (apart != 0)
    return changed


def _carrying(
    units: UnitSums, score: FloatArray, y: FloatArray, pairs: Sequence[tuple[int, int]]
) -> FloatArray:
    """
    Return the effective number of units that contribute gains or losses to each pair's difference.

    Of the units with gains and those with losses, the smaller number counts.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        size = (np.abs(units.x) + np.abs(score) * units.y) / y
    carrying = np.full(len(pairs), np.inf)
    for columns, apart in _apart(_influence(units, score, y), size, pairs):
        carrying[columns] = carriers(apart, units.counts)
    return carrying


def _apart(
    values: FloatArray, size: FloatArray, pairs: Sequence[tuple[int, int]]
) -> Iterator[tuple[list[int], FloatArray]]:
    """
    Yield the differences of units' values between the systems of pairs, with the columns of these pairs.

    A difference that is tiny in comparison with the size of what was subtracted is due to rounding.
    """
    for first, columns, others in _by_first(pairs, len(values)):
        apart = values[:, others] - values[:, [first]]
        apart[np.abs(apart) <= _ROUNDING * (size[:, others] + size[:, [first]])] = 0.0
        yield columns, apart


def _by_first(pairs: Sequence[tuple[int, int]], units: int) -> Iterator[tuple[int, list[int], list[int]]]:
    """
    Yield each first system of pairs, with the columns of its pairs and their second systems.

    With many units, its pairs come in several parts, so that arrays of units by pairs stay small.
    """
    most = max(1, _VALUES // max(units, 1))
    columns_of: dict[int, list[int]] = {}
    for index, (first, _) in enumerate(pairs):
        columns_of.setdefault(first, []).append(index)
    for first, columns in columns_of.items():
        for start in range(0, len(columns), most):
            part = columns[start : start + most]
            yield first, part, [pairs[index][1] for index in part]


def _voted(summary: Summary, sliced: SliceUnits, pairs: Sequence[tuple[int, int]]) -> pl.DataFrame:
    """Return the counts of wins, ties and losses of all slices and pairs."""
    keys, systems = sliced.keys, len(summary.systems)
    votes = explode_lists(summary.comparison_sums.frames[f"votes {sliced.metric.name}"], keys)
    added = votes.lazy().group_by(*keys, "pair").agg(pl.col(VOTES).sum()).sort(*keys, "pair").collect()
    numbers = {pair: number for number, pair in enumerate(all_pairs(systems))}
    shape = (sliced.slices.height, len(numbers))
    wins, ties, losses = (
        added[name].to_numpy().reshape(shape) if added.height else np.zeros(shape, np.int64) for name in VOTES
    )
    columns = [numbers[min(pair), max(pair)] for pair in pairs]
    turned = np.array([first > second for first, second in pairs])
    better = np.where(turned, losses[:, columns], wins[:, columns])
    worse = np.where(turned, wins[:, columns], losses[:, columns])
    return pl.DataFrame({"wins": better.ravel(), "ties": ties[:, columns].ravel(), "losses": worse.ravel()})


def system_sums(every: Sequence[SliceUnits]) -> SystemSums:
    """Return the sums of all slices and metrics by unit."""
    wide = any(sliced.metric.is_ratio for sliced in every)
    parts, height = [], 0
    for sliced in every:
        units = sliced.units
        y = np.broadcast_to(units.y, units.x.shape) if wide else units.y
        parts.append((units.unit, height + sliced.slice_of, units.x, y, units.counts))
        height += sliced.slices.height
    unit, group, x, y, numbers = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    # The number of rows of each unit, 1 for clusters.
    counts = np.zeros(int(unit.max(initial=0)) + 1, np.int64)
    counts[unit] = numbers
    metric = np.repeat(np.arange(len(every)), [sliced.slices.height for sliced in every])
    return SystemSums(unit=unit, group=group, x=x, y=y, counts=counts, groups=height, metric=metric)


def ranked(summary: Summary, keys: Sequence[str], test: Test) -> pl.DataFrame:
    """Return a row for each slice, metric and system, in this order."""
    every = slice_units(summary, keys)
    heights = [part.slices.height for part in every]
    better = np.repeat([bool(part.metric.higher_is_better) for part in every], heights)
    ranks = statistics.rank_sets(
        system_sums(every),
        better,
        confidence=test.confidence,
        draws=test.draws,
        seed=test.seed,
    )
    parts = zip(every, np.split(ranks.better, np.cumsum(heights)[:-1]), strict=True)
    scored = pl.concat(_scored(summary, part, is_better, test) for part, is_better in parts)
    # A system without a denominator has no rank.
    numbers = [
        pl.Series(name, values.ravel(), nan_to_null=True).cast(pl.Int64)
        for name, values in interval("rank", ranks.rank, ranks.rank_low, ranks.rank_high).items()
    ]
    ranked = scored.hstack(numbers).with_columns(possibly_best=pl.col("rank_low") == 1)
    return ranked.select(*keys, *RANKED)


def observed(summary: Summary, keys: Sequence[str], test: Test) -> pl.DataFrame:
    """Return the rows of `ranked` with observed ranks only, without ranges from tests."""
    tables = []
    for sliced in slice_units(summary, keys):
        shape = sliced.slices.height, len(summary.systems)
        better = np.zeros((*shape, len(summary.systems)), bool)
        scores = _scored(summary, sliced, better, test).with_row_index("line")
        rank = pl.col("score").rank("min", descending=bool(sliced.metric.higher_is_better))
        rank = rank.over(pl.col("line") // len(summary.systems)).cast(pl.Int64)
        tables.append(scores.select(*keys, "metric", "system", "n", *SCORE, "few_rows", rank=rank))
    return pl.concat(tables)


def _scored(summary: Summary, sliced: SliceUnits, better: BoolArray, test: Test) -> pl.DataFrame:
    """Return the scores and intervals of a metric; `better` says which differences are significant."""
    (score, low, high, effective, few), _ = system_scores(summary, sliced, test.confidence)
    _, width = sliced.metric.span or (0, 1)
    marked = with_ranks_on_few(few, better, score / width, effective)
    systems = {"system": list(summary.systems)}
    return long_table(sliced, systems, interval("score", score, low, high), marked)


def with_ranks_on_few(
    few: BoolArray, better: BoolArray, score: FloatArray, effective: FloatArray
) -> BoolArray:
    """
    Return which systems are marked: their scores have too few units, or their ranges of ranks rest on such.

    A range of ranks follows from the significant differences. A difference from a system with too few units
    is doubtful if fewer than ten units lost as a whole would cancel it, because a sample can miss that many.
    Scores are such that a unit can lose 1; all arrays are slices by systems.
    """
    marked = few.copy()
    for index in np.flatnonzero(few.any(axis=1) & ~few.all(axis=1)):
        apart = np.abs(score[index, :, None] - score[index]) * effective[index, :, None]
        shown = better[index] | better[index].T
        marked[index] |= (shown & (apart < FEW_CARRIERS) & few[index]).any(axis=1)
    return marked
