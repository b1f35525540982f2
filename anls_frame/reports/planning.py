"""Detectable differences and sample sizes of a comparison, by slice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from anls_frame._text import numbered
from anls_frame.exceptions import warn
from anls_frame.reports.lines import Lines, lines
from anls_frame.reports.pairwise import least_units
from anls_frame.statistics import sample_sizes
from anls_frame.statistics.carriers import FEW_UNITS
from anls_frame.statistics.sample_sizes import Changes, Needed
from anls_frame.statistics.student import FloatArray
from anls_frame.summary.measures import Metric
from anls_frame.summary.summary import Summary

PILOT = 60
"""Smallest number of documents of a pilot, or of rows without clusters, that makes a plan reliable."""

FEW_CHANGED = 3.0
"""Smallest number of documents with changes from which a pilot can tell how changes lie in documents."""


@dataclass(frozen=True, kw_only=True)
class Planner:
    """
    Detectable differences and sample sizes of the slices of a table, for a metric and two systems.

    Parameters
    ----------
    metric
        The compared metric.
    slices
        One row for each slice: its keys, what is compared, `n` and `n_clusters` (null without clusters).
    changes
        The changes from one system to the other in these slices.
    draws
        Number of draws of the sign-flip test, which limits the smallest possible p-value.
    """

    metric: Metric
    slices: pl.DataFrame
    changes: Changes
    draws: int

    def detectable(self, power: float, alpha: float) -> pl.DataFrame:
        """Return the smallest detectable difference of each slice; null if there is none."""
        differences = sample_sizes.detectable_difference(self.changes, power, alpha)
        return self.slices.with_columns(detectable=self._possible(differences, alpha))

    def sample_size(self, effect: float, power: float, alpha: float) -> pl.DataFrame:
        """Return the numbers of rows and clusters needed to detect a difference; null if unknown."""
        needed = sample_sizes.needed_units(self.changes, effect, power, alpha)
        return self.slices.with_columns(**self._numbers(needed, alpha))

    def decidable(self, margin: float, power: float, level: float) -> pl.DataFrame:
        """Return bounds, the margin that is decided if systems are equal, and the rows for a given margin."""
        smallest = sample_sizes.decidable_margin(self.changes, power, level)
        needed = sample_sizes.deciding_units(self.changes, margin, power, level)
        possible, numbers = self._possible(smallest, 2 * level), self._numbers(needed, 2 * level)
        return self.bounds(level, level).with_columns(detectable=possible, **numbers)

    def bounds(self, level: float, alpha: float) -> pl.DataFrame:
        """Return one-sided bounds of the difference; null where no p-value can be as low as alpha."""
        largest = self.metric.largest_difference
        bounds = sample_sizes.difference_bounds(self.changes, level)
        low, high = (pl.Series(np.clip(end, -largest, largest), nan_to_null=True) for end in bounds)
        can = pl.coalesce("n_clusters", "n") >= least_units(alpha, self.draws)
        return self.slices.with_columns(
            difference=pl.Series(self.changes.difference, nan_to_null=True),
            difference_low=pl.when(can).then(low),
            difference_high=pl.when(can).then(high),
        )

    def _possible(self, differences: FloatArray, alpha: float) -> pl.Expr:
        """Return differences, null where they are impossible, or not detectable by any p-value."""
        shown = pl.lit(pl.Series(differences, nan_to_null=True))
        can = pl.coalesce("n_clusters", "n") >= least_units(alpha, self.draws)
        return pl.when(can & (shown <= self.metric.largest_difference)).then(shown)

    def _numbers(self, needed: Needed, alpha: float) -> dict[str, pl.Expr]:
        """Return the numbers of rows and clusters at both ends of a range of factors."""
        least = least_units(alpha, self.draws) / pl.coalesce("n_clusters", "n")
        columns = {}
        for end, factor in zip(("_needed", "_needed_low"), (needed.high, needed.low), strict=True):
            known = pl.lit(pl.Series(factor, nan_to_null=True))
            times = pl.when(known.is_not_null()).then(pl.max_horizontal(known, least))
            for name in ("n", "n_clusters"):
                # Rounding must not add a document to an integer.
                number = (pl.col(name) * times - 1e-6).ceil()
                columns[f"{name}{end}"] = number.cast(pl.Int64, strict=False)
        return columns


def planners(
    summary: Summary, keys: Sequence[str], pairs: Sequence[tuple[int, int]], draws: int
) -> list[Planner]:
    """Return the planner of each metric and pair of systems, for a table with these keys."""
    names, made = list(summary.systems), []
    for metric_lines in lines(summary, keys):
        metric = metric_lines.metric
        for first, second in pairs:
            slices = metric_lines.slices.select(
                *keys,
                metric=pl.lit(metric.name),
                baseline=pl.lit(names[first]),
                system=pl.lit(names[second]),
                n="n",
                n_clusters="n_clusters",
            )
            changes = _changes(metric_lines, (first, second))
            made.append(Planner(metric=metric, slices=slices, changes=changes, draws=draws))
    return made


def warn_of_small_pilot(summary: Summary, pilots: Sequence[Planner]) -> None:
    """Warn once if all rows have too few, too unequal or too few changed documents for a plan."""
    unit = "document" if summary.settings.cluster is not None else "row"
    for pilot in pilots:
        documents = pilot.slices.select(pl.coalesce("n_clusters", "n")).item()
        worth, carrying = float(pilot.changes.units.item()), float(pilot.changes.carrying.item())
        if pilot.changes.nothing_changed.item():
            systems = " and ".join(map(repr, pilot.slices.select("baseline", "system").row(0)))
            warn(
                f"{systems} do not differ in {pilot.metric.label}, so this pilot cannot tell how many "
                f"{unit}s show a difference; take a pilot in which rows change"
            )
            return
        if documents < PILOT or worth < FEW_UNITS:
            equal = "" if worth > documents - 1 else f" (effective number: {worth:.0f})"
            warn(
                f"the plan comes from {numbered(documents, unit)}{equal}; it is unreliable with fewer than "
                f"{PILOT} {unit}s, or an effective number below {FEW_UNITS:g}"
            )
            return
        if carrying < FEW_CHANGED and not pilot.changes.nothing_differs.item():
            warn(
                f"most of the change lies in few {unit}s (effective number: {carrying:.1f}), so this pilot "
                f"cannot tell how many {unit}s are needed; take a larger one"
            )
            return


def _changes(metric_lines: Lines, pair: tuple[int, int]) -> Changes:
    """Return the changes of units, by the group that is their slice."""
    metric, group, units = metric_lines.metric, metric_lines.slice_of, metric_lines.units
    groups = metric_lines.slices.height
    unseen = metric.unseen_difference
    if not metric.is_ratio:
        first, second = pair
        change = units.x[:, second] - units.x[:, first]
        return sample_sizes.changes(group, groups, units.counts, units.n, change, unseen=unseen)
    # Changes of corpus rates, to first order.
    count = units.counts.astype(np.float64)
    (e_1, e_2), (l_1, l_2) = units.x[:, pair].T, units.y[:, pair].T

    def total(values: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(group, count * values, groups), np.float64)[group]

    with np.errstate(invalid="ignore", divide="ignore"):
        change = e_2 / total(l_2) - e_1 / total(l_1)
        expected = total(e_2) / total(l_2) ** 2 * l_2 - total(e_1) / total(l_1) ** 2 * l_1
    rows = total(units.n)
    return Changes(
        group, groups, count, units.n, rows * change, rows * (change - expected), l_1 + l_2, unseen
    )
