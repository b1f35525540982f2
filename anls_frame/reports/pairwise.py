"""Differences between all pairs of several systems, or in several metrics, by slice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame.reports import differences, rates
from anls_frame.reports.differences import VOTES, between, carriers_of_columns
from anls_frame.reports.estimates import are_few, where_several
from anls_frame.reports.lines import Line, Lines, lines
from anls_frame.summary.keys import explode_lists
from anls_frame.summary.system_sums import pairs as all_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from anls_frame.statistics import SystemSums
    from anls_frame.statistics.student import FloatArray
    from anls_frame.summary.systems_summary import SystemsSummary


_ROUNDING = 1e-13

GROUPS = 4096
"""Number of units beyond which the documents that carry a difference are counted in random groups."""


@dataclass(frozen=True, kw_only=True)
class Test:
    """How intervals and p-values are computed."""

    confidence: float
    draws: int
    seed: int


def table(
    summary: SystemsSummary, keys: Sequence[str], pairs: Sequence[tuple[int, int]], test: Test
) -> pl.DataFrame:
    """
    Return one line for each slice, metric and pair, in this order; the columns are those of `COLUMNS`.

    Two systems get the sign-flip tests of `differences` and `rates`, more systems those of
    `anls_frame.statistics.pairwise`; p-values are adjusted for all lines together.
    """
    if len(summary.systems) == 2:  # noqa: PLR2004
        return _of_two(summary, keys, pairs[0], test)
    every = lines(summary, keys)
    tested = _tested(every, pairs, test)
    tables = []
    start = 0
    for of_metric in every:
        end = start + of_metric.slices.height
        p_values = tuple(values[start:end] for values in tested)
        tables.append(_of_metric(summary, of_metric, pairs, p_values, test))
        start = end
    return pl.concat(tables)


def with_simultaneous(
    made: pl.DataFrame,
    summary: SystemsSummary,
    keys: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    test: Test,
) -> pl.DataFrame:
    """Add intervals that contain all differences of a table together: each at a higher level (Bonferroni)."""
    count = max(int(made["difference_low"].count()), 1)
    stricter = Test(confidence=1 - (1 - test.confidence) / count, draws=1, seed=test.seed)
    wider = table(summary, keys, pairs, stricter)
    ends = {f"simultaneous_{end}": wider[f"difference_{end}"] for end in ("low", "high")}
    place = made.columns.index("difference_high") + 1
    return made.select(
        *made.columns[:place], *(pl.Series(name, end) for name, end in ends.items()), *made.columns[place:]
    )


def _of_two(summary: SystemsSummary, keys: Sequence[str], pair: tuple[int, int], test: Test) -> pl.DataFrame:
    tables = []
    for metric in summary.metrics:
        of_metric = between(summary, metric, *pair)
        made = of_two_in_one(of_metric, keys, test)
        names = {"first": "first_score", "second": "second_score"}
        tables.append(made.rename(names).with_columns(_labels(summary, metric.name, pair)))
    whole = pl.concat(tables)
    if len(tables) > 1:
        whole = whole.with_columns(p_adjusted=_joint(lines(summary, keys), whole["p_value"], test))
    return whole.select(*keys, *COLUMNS)


def of_two_in_one(of_metric: differences.Differences, keys: Sequence[str], test: Test) -> pl.DataFrame:
    """Return the table of two systems in one metric, with their means in `first` and `second`."""
    slices = rates.slices if of_metric.is_corpus else differences.slices
    return slices(of_metric, keys, confidence=test.confidence, draws=test.draws, seed=test.seed)


COLUMNS = (
    "metric",
    "first",
    "second",
    "n",
    "first_score",
    "second_score",
    "difference",
    "difference_low",
    "difference_high",
    "p_value",
    "p_adjusted",
    *VOTES,
    "few_rows",
    "n_clusters",
)


def _labels(summary: SystemsSummary, metric: str, pair: tuple[int, int]) -> list[pl.Expr]:
    first, second = (list(summary.systems)[place] for place in pair)
    return [pl.lit(metric).alias("metric"), pl.lit(first).alias("first"), pl.lit(second).alias("second")]


def _joint(every: Sequence[Lines], p_values: pl.Series, test: Test) -> pl.Series:
    """Adjust the p-values of two systems in several metrics, by flipping signs in all of them jointly."""
    import numpy as np  # noqa: PLC0415 - only to compare

    from anls_frame.statistics.step_down import Units  # noqa: PLC0415 - imports numpy

    count = sum(of_metric.slices.height for of_metric in every)
    entries: list[tuple[npt.NDArray[Any], ...]] = []
    if not count:
        return p_values
    errors, length, norm, sizes = np.zeros((4, count))
    numbers: dict[str, list[npt.NDArray[np.int64]]] = {"unit": [], "counts": []}
    for place, line in enumerate(one for of_metric in every for one in of_metric):
        change = line.x[:, 1] - line.x[:, 0]
        longer = line.y[:, -1] - line.y[:, 0]
        errors[place] = (line.counts[:, None] * line.x).sum()
        length[place] = (line.counts * (line.y[:, -1] + line.y[:, 0])).sum()
        residual = change - (errors[place] / length[place] if length[place] else 0.0) * longer
        norm[place] = np.sqrt((line.counts * residual**2).sum())
        sizes[place] = (line.counts * np.abs(residual)).sum()
        entries.append((line.unit, np.full(len(change), place), change))
        entries.append((line.unit, np.full(len(change), count + place), longer))
        numbers["unit"].append(line.unit)
        numbers["counts"].append(line.counts)
    unit, column, value = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    places, first = np.unique(np.concatenate(numbers["unit"]), return_index=True)
    counts = np.concatenate(numbers["counts"])[first]
    units = Units(np.searchsorted(places, unit), column, value, counts, counts, 2 * count)
    swap = rates.Swap(errors, length, norm, sizes)
    p = p_values.to_numpy().astype(np.float64)
    tested = ~np.isnan(p)
    adjusted = np.full(count, np.nan)
    adjusted[tested] = swap.adjusted(units, tested, p[tested], test.draws, test.seed)
    return pl.Series(adjusted, nan_to_null=True)


def _of_metric(
    summary: SystemsSummary,
    of_metric: Lines,
    pairs: Sequence[tuple[int, int]],
    p_values: tuple[FloatArray, ...],
    test: Test,
) -> pl.DataFrame:
    """Return the lines of a metric for all pairs."""
    import numpy as np  # noqa: PLC0415 - only to compare

    from anls_frame import statistics  # noqa: PLC0415 - imports numpy

    keys, metric, names = of_metric.keys, of_metric.metric, list(summary.systems)
    has_clusters = summary.settings.cluster is not None
    first, second = np.array(pairs).T
    x, y = of_metric.totals()
    score = np.divide(x, y, out=np.full_like(x, np.nan), where=y > 0)
    shape = (of_metric.slices.height, len(pairs))
    variance, effective, carrying = np.full((3, *shape), np.nan)
    powers = np.zeros((4, shape[0]))
    clusters = np.zeros(shape[0], np.int64)
    for place, line in enumerate(of_metric):
        effective[place], variance[place] = _spread(line, score[place], y[place], pairs)
        if has_clusters:
            few_units = line if len(line.unit) <= GROUPS else line.in_groups(GROUPS, test.seed)
            carrying[place] = _carrying(few_units, score[place], y[place], pairs)
        powers[:, place] = [(line.counts * line.n**power).sum() for power in (1, 2, 3, 4)]
        clusters[place] = line.counts.sum()
    difference = score[:, second] - score[:, first]
    low, high = statistics.t_interval(difference, variance, effective, test.confidence)
    if metric.span is not None:
        _, width = metric.span
        low, high = np.clip(low, -width, width), np.clip(high, -width, width)
    several = where_several(powers[0], powers[1], carrying.T)
    few = are_few(powers[0], statistics.effective_units(*powers), several).T
    figures = {
        "first_score": score[:, first],
        "second_score": score[:, second],
        "difference": difference,
        "difference_low": low,
        "difference_high": high,
        "p_value": p_values[0],
        "p_adjusted": p_values[1],
    }
    rows = np.repeat(np.arange(shape[0]), len(pairs))
    of_pairs = pl.DataFrame(
        {"first": [names[place] for place in first], "second": [names[place] for place in second]}
    )
    made = (
        of_metric.slices.select(*keys, "n")[rows].hstack(pl.concat([of_pairs] * shape[0]))
        if shape[0]
        else (of_metric.slices.select(*keys, "n").hstack(of_pairs.head(0)))
    )
    return made.with_columns(
        pl.lit(metric.name).alias("metric"),
        *(pl.Series(name, values.ravel(), nan_to_null=True) for name, values in figures.items()),
        *_voted(summary, of_metric, pairs),
        pl.Series("few_rows", few.ravel()),
        n_clusters=pl.Series(clusters[rows], dtype=pl.Int64) if has_clusters else pl.lit(None, pl.Int64),
    ).select(*keys, *COLUMNS)


def _influence(line: Line, score: FloatArray, y: FloatArray) -> FloatArray:
    """Return the contribution of each unit to each system's score, to first order."""
    import numpy as np  # noqa: PLC0415 - only to compare

    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((line.x - score * line.y) / y)


def _spread(
    line: Line, score: FloatArray, y: FloatArray, pairs: Sequence[tuple[int, int]]
) -> tuple[FloatArray, FloatArray]:
    """Return each pair's effective number of units, and the variance of its difference."""
    import numpy as np  # noqa: PLC0415 - only to compare

    from anls_frame import statistics  # noqa: PLC0415 - imports numpy

    first, second = np.array(pairs).T
    influence = _influence(line, score, y)
    products = (influence * line.counts[:, None]).T @ influence
    squares = np.diag(products)
    bracket = squares[first] + squares[second] - 2 * products[first, second]
    # What is left of equal systems is rounding.
    bracket[bracket <= _ROUNDING * (squares[first] + squares[second])] = 0.0
    total = (line.counts[:, None] * line.y).sum(axis=0)
    lengths = (line.y * line.counts[:, None]).T @ line.y
    if len(total) > 1:
        both = np.diag(lengths)[first] + np.diag(lengths)[second] + 2 * lengths[first, second]
        effective = np.asarray(statistics.effective_units(total[first] + total[second], both))
    else:
        effective = np.full(len(pairs), statistics.effective_units(total[0], lengths[0, 0]))
    with np.errstate(invalid="ignore", divide="ignore"):
        return effective, bracket * effective / (effective - 1)


def _carrying(line: Line, score: FloatArray, y: FloatArray, pairs: Sequence[tuple[int, int]]) -> FloatArray:
    """Return the effective number of units that carry one side of each pair's difference."""
    import numpy as np  # noqa: PLC0415 - only to compare

    influence = _influence(line, score, y)
    with np.errstate(invalid="ignore", divide="ignore"):
        size = (np.abs(line.x) + np.abs(score) * line.y) / y
    carrying = np.empty(len(pairs))
    seconds: dict[int, list[int]] = {}
    for place, (first, _) in enumerate(pairs):
        seconds.setdefault(first, []).append(place)
    for first, places in seconds.items():
        others = [pairs[place][1] for place in places]
        apart = influence[:, others] - influence[:, [first]]
        carrying[places] = carriers_of_columns(apart, size[:, others] + size[:, [first]])
    return carrying


def _voted(summary: SystemsSummary, of_metric: Lines, pairs: Sequence[tuple[int, int]]) -> list[pl.Series]:
    """Return the counts of wins, ties and losses of all lines and pairs."""
    import numpy as np  # noqa: PLC0415 - only to compare

    keys, systems = of_metric.keys, len(summary.systems)
    votes = explode_lists(summary.sums.votes[of_metric.metric.name], keys)
    added = votes.group_by(*keys, "pair").agg(pl.col(VOTES).sum()).sort(*keys, "pair")
    numbers = {pair: number for number, pair in enumerate(all_pairs(systems))}
    shape = (of_metric.slices.height, len(numbers))
    wins, ties, losses = (
        added[name].to_numpy().reshape(shape) if added.height else np.zeros(shape, np.int64) for name in VOTES
    )
    places = [numbers[min(pair), max(pair)] for pair in pairs]
    turned = np.array([first > second for first, second in pairs])
    better = np.where(turned, losses[:, places], wins[:, places])
    worse = np.where(turned, wins[:, places], losses[:, places])
    found = (better, ties[:, places], worse)
    return [pl.Series(name, values.ravel()) for name, values in zip(VOTES, found, strict=True)]


def _tested(
    every: Sequence[Lines], pairs: Sequence[tuple[int, int]], test: Test
) -> tuple[FloatArray, FloatArray]:
    """Return p-values and adjusted ones, lines by pairs."""
    from anls_frame import statistics  # noqa: PLC0415 - imports numpy

    found = statistics.pairwise(system_sums(every, test.seed), pairs, draws=test.draws, seed=test.seed)
    return found.p_value, found.p_adjusted


def system_sums(every: Sequence[Lines], seed: int) -> SystemSums:
    """Return the sums of all lines by unit; very many units are added up in random groups."""
    import numpy as np  # noqa: PLC0415 - only to compare

    from anls_frame.statistics import SystemSums  # noqa: PLC0415 - imports numpy
    from anls_frame.statistics.system_sums import Groups  # noqa: PLC0415 - imports numpy

    numbers = pl.concat([of_metric.units() for of_metric in every]).unique("unit")
    counts = np.zeros(int(numbers["unit"].max() or 0) + 1, np.int64)  # type: ignore[arg-type]
    counts[numbers["unit"].to_numpy()] = numbers["count"].to_numpy()
    groups = Groups.of(counts, seed)
    wide = any(of_metric.metric.is_ratio for of_metric in every)
    systems = every[0].systems
    none = np.zeros(0, np.int64)
    parts = [(none, none, np.zeros((0, systems)), np.zeros((0, systems if wide else 1)))]
    for place, line in enumerate(one for of_metric in every for one in of_metric):
        unit, x, y = groups.added(line.unit, line.x, line.y)
        y = np.broadcast_to(y, x.shape) if wide else y
        parts.append((unit, np.full(len(unit), place), x, y))
    unit, line_of, x, y = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    places = sum(of_metric.slices.height for of_metric in every)
    return SystemSums(unit=unit, line=line_of, x=x, y=y, counts=groups.counts, lines=places)
