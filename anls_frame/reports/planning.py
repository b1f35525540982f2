"""Detectable differences and sample sizes of a comparison, by slice."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import polars as pl

from anls_frame._text import numbered
from anls_frame.exceptions import warn
from anls_frame.reports.estimates import FEW_UNITS
from anls_frame.reports.lines import Lines
from anls_frame.reports.pairwise import least_units
from anls_frame.statistics import sample_sizes
from anls_frame.statistics.sample_sizes import Changes, Needed
from anls_frame.statistics.student import FloatArray
from anls_frame.summary.measures import Metric
from anls_frame.summary.summary import Summary

COMPARED = ("metric", "baseline", "system")
"""The columns that say what is compared."""

PILOT = 60
"""Documents of a pilot, or rows without clusters, from which a plan is sure enough."""


@dataclass(frozen=True)
class Planner:
    """
    Detectable differences and sample sizes, for all rows or, with keys, for each slice.

    Parameters
    ----------
    summary
        Sums of the scores.
    lines
        A function that returns the slices with given keys, for each metric.
    metric_number
        Number of the compared metric in the summary.
    pair
        Numbers of the compared systems in the summary.
    draws
        Number of draws of the sign-flip test, which limits the smallest possible p-value.
    """

    summary: Summary
    lines: Callable[[tuple[str, ...]], Sequence[Lines]]
    metric_number: int
    pair: tuple[int, int]
    draws: int

    @property
    def metric(self) -> Metric:
        """The compared metric."""
        return self.summary.metrics[self.metric_number]

    @property
    def compared(self) -> tuple[str, ...]:
        """The names of the metric, the baseline and the system."""
        systems = list(self.summary.systems)
        return (self.metric.name, *(systems[number] for number in self.pair))

    @property
    def labels(self) -> list[pl.Expr]:
        """The names as columns."""
        return [pl.lit(name).alias(column) for column, name in zip(COMPARED, self.compared, strict=True)]

    def detectable(self, keys: tuple[str, ...], *, power: float, alpha: float) -> pl.DataFrame:
        """Return the smallest detectable difference of each slice; null if there is none."""
        slices, changes = self.changes(keys)
        shown = pl.Series(sample_sizes.detectable_difference(changes, power, alpha), nan_to_null=True)
        return self._possible(slices.with_columns(detectable=shown), alpha)

    def sample_size(
        self, keys: tuple[str, ...], effect: float, *, power: float, alpha: float
    ) -> pl.DataFrame:
        """Return the numbers of rows and clusters needed to detect a difference; null if unknown."""
        slices, changes = self.changes(keys)
        needed = sample_sizes.needed_units(changes, effect, power, alpha)
        return self._numbers(slices, needed, alpha)

    def decidable(self, margin: float, *, power: float, level: float) -> pl.DataFrame:
        """Return the margin that all rows decide if systems are equal, and the rows for a given margin."""
        slices, changes = self.changes(())
        smallest = pl.Series(sample_sizes.decidable_margin(changes, power, level), nan_to_null=True)
        needed = sample_sizes.deciding_units(changes, margin, power, level)
        table = self._numbers(slices.with_columns(detectable=smallest), needed, 2 * level)
        return self._possible(table, 2 * level)

    def bounds(self, keys: tuple[str, ...], *, level: float, alpha: float) -> pl.DataFrame:
        """Return one-sided bounds of the difference; null where no p-value can be as low as alpha."""
        slices, changes = self.changes(keys)
        largest = self.metric.largest_difference
        ends = [np.clip(end, -largest, largest) for end in sample_sizes.difference_bounds(changes, level)]
        low, high = (pl.Series(end, nan_to_null=True) for end in ends)
        can = pl.coalesce("n_clusters", "n") >= least_units(alpha, self.draws)
        return slices.with_columns(
            difference=pl.Series(changes.difference, nan_to_null=True),
            difference_low=pl.when(can).then(low),
            difference_high=pl.when(can).then(high),
        )

    def _possible(self, slices: pl.DataFrame, alpha: float) -> pl.DataFrame:
        """Replace differences that are impossible, or not detectable by any p-value, by null."""
        can = pl.coalesce("n_clusters", "n") >= least_units(alpha, self.draws)
        can &= pl.col("detectable") <= self.metric.largest_difference
        return slices.with_columns(detectable=pl.when(can).then("detectable"))

    def _numbers(self, slices: pl.DataFrame, needed: Needed, alpha: float) -> pl.DataFrame:
        """Add the numbers of rows and clusters at both ends of a range of factors."""
        least = least_units(alpha, self.draws) / pl.coalesce("n_clusters", "n")
        columns = {}
        for end, factor in zip(("_needed", "_needed_low"), (needed.high, needed.low), strict=True):
            known = pl.lit(pl.Series(factor, nan_to_null=True))
            times = pl.when(known.is_not_null()).then(pl.max_horizontal(known, least))
            for name in ("n", "n_clusters"):
                # Rounding must not add a document to an integer.
                number = (pl.col(name) * times - 1e-6).ceil()
                columns[f"{name}{end}"] = number.cast(pl.Int64, strict=False)
        return slices.with_columns(**columns)

    def warn_of_small_pilot(self) -> bool:
        """Warn if all rows have too few or too unequal documents for a plan, and return whether they do."""
        slices, changes = self.changes(())
        documents = slices.select(pl.coalesce("n_clusters", "n")).item()
        worth = float(changes.units.item())
        if documents >= PILOT and worth >= FEW_UNITS:
            return False
        unit = "document" if self.summary.settings.cluster is not None else "row"
        equal = "" if worth > documents - 1 else f", worth {worth:.0f} of equal size"
        warn(
            f"the plan comes from {numbered(documents, unit)}{equal}; it is unreliable with fewer than "
            f"{PILOT} "
            f"{unit}s, or {FEW_UNITS:g} of equal size"
        )
        return True

    def changes(self, keys: tuple[str, ...]) -> tuple[pl.DataFrame, Changes]:
        """
        Return the sizes of slices in the order of their keys, and the changes in them.

        The largest possible difference is known for metrics with bounds; for rates, 1 is assumed.
        """
        unseen = self.metric.largest_difference
        if math.isinf(unseen):
            unseen = 1.0 if self.metric.is_ratio or self.metric.row == "cer" else 0.0
        metric_lines = self.lines(keys)[self.metric_number]
        group, units = metric_lines.together()
        has_clusters = self.summary.settings.cluster is not None
        clusters = np.bincount(group, units.counts, metric_lines.slices.height).astype(np.int64)
        counted = pl.Series(clusters) if has_clusters else pl.lit(None, pl.Int64)
        slices = metric_lines.slices.with_columns(n_clusters=counted)
        if not self.metric.is_ratio:
            first, second = self.pair
            change = units.x[:, second] - units.x[:, first]
            return slices, sample_sizes.changes(
                group, slices.height, units.counts, units.n, change, unseen=unseen
            )
        # Changes of corpus rates, to first order.
        count = units.counts.astype(np.float64)
        (e_1, e_2), (l_1, l_2) = units.x[:, self.pair].T, units.y[:, self.pair].T

        def total(values: FloatArray) -> FloatArray:
            return np.asarray(np.bincount(group, count * values, slices.height), np.float64)[group]

        with np.errstate(invalid="ignore", divide="ignore"):
            change = e_2 / total(l_2) - e_1 / total(l_1)
            expected = total(e_2) / total(l_2) ** 2 * l_2 - total(e_1) / total(l_1) ** 2 * l_1
        rows = total(units.n)
        return slices, sample_sizes.Changes(
            group, slices.height, count, units.n, rows * change, rows * (change - expected), l_1 + l_2, unseen
        )


Figures: TypeAlias = "Callable[[Planner, tuple[str, ...]], pl.DataFrame]"
"""Returns figures of what a planner compares, a line for each slice with these keys."""
