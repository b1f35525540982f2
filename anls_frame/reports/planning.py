"""What the rows and documents of a comparison can show, by slice."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame.reports.differences import RATE_PARTS, least_units
from anls_frame.reports.signs import sizes
from anls_frame.summary import fixed_point
from anls_frame.summary.keys import chosen_keys, explode_lists, in_order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anls_frame.reports.differences import Differences
    from anls_frame.statistics.planning import Changes
    from anls_frame.statistics.student import FloatArray
    from anls_frame.summary.measures import Metric


@dataclass(frozen=True)
class Planner:
    """
    What rows and documents can show, of all rows or, for the columns that methods take, of each slice.

    Parameters
    ----------
    differences
        Sums of the differences by cell.
    metric
        The compared metric.
    draws
        Number of draws of the sign-flip test, below whose smallest p-value nothing can be shown.
    by, orders
        The comparison's `by` columns, and the values of those that have an order.
    """

    differences: Differences
    metric: Metric
    draws: int
    by: Sequence[str]
    orders: Mapping[str, Sequence[str]]

    def detectable(
        self, columns: Sequence[str], *, power: float, alpha: float, balanced: bool = False
    ) -> pl.DataFrame:
        """Return the smallest difference that each slice can show; null if it can show none."""
        import numpy as np  # noqa: PLC0415 - only to compare

        from anls_frame.statistics import planning  # noqa: PLC0415 - imports numpy

        slices, changes = self.changes(columns, balanced=balanced)
        found = planning.detectable_difference(changes, power, alpha)
        found = np.where(found <= largest_difference(self.metric), found, np.nan)
        can = pl.coalesce("n_clusters", "n") >= least_units(alpha, self.draws)
        column = pl.Series(found, nan_to_null=True)
        return self.presented(slices.with_columns(detectable=pl.when(can).then(column)), columns)

    def sample_size(
        self, columns: Sequence[str], effect: float, *, power: float, alpha: float, balanced: bool = False
    ) -> pl.DataFrame:
        """Return how many rows and clusters it takes to show a difference; null if that is unknown."""
        from anls_frame.statistics import planning  # noqa: PLC0415 - imports numpy

        slices, changes = self.changes(columns, balanced=balanced)
        factor = pl.Series(planning.needed_units(changes, effect, power, alpha), nan_to_null=True)
        least = least_units(alpha, self.draws) / pl.coalesce("n_clusters", "n")
        sizes = slices.with_columns(factor=factor).with_columns(
            pl.when(pl.col("factor").is_not_null()).then(pl.max_horizontal("factor", least))
        )
        # Rounding must not add a document to a whole number of them.
        needed = {
            f"{name}_needed": (pl.col(name) * pl.col("factor") - 1e-6).ceil().cast(pl.Int64, strict=False)
            for name in ("n", "n_clusters")
        }
        return self.presented(sizes.select(*slices.columns, **needed), columns)

    def bounds(self, columns: Sequence[str], *, level: float, alpha: float) -> pl.DataFrame:
        """Return one-sided bounds of the difference; null where no p-value can be as small as alpha."""
        import numpy as np  # noqa: PLC0415 - only to compare

        from anls_frame.statistics import planning  # noqa: PLC0415 - imports numpy

        slices, changes = self.changes(columns)
        largest = largest_difference(self.metric)
        ends = [np.clip(end, -largest, largest) for end in planning.difference_bounds(changes, level)]
        figures = dict(zip(("difference", "low", "high"), (changes.difference, *ends), strict=True))
        made = slices.with_columns(
            **{name: pl.Series(values, nan_to_null=True) for name, values in figures.items()}
        )
        can = pl.coalesce("n_clusters", "n") >= least_units(alpha, self.draws)
        return self.presented(made.with_columns(pl.when(can).then(pl.col("low", "high"))), columns)

    def changes(self, columns: Sequence[str], *, balanced: bool = False) -> tuple[pl.DataFrame, Changes]:
        """
        Return the sizes of slices in the order of their keys, and what has changed in them.

        If they are balanced, no wins or losses are taken for what makes a difference: the systems may be
        equal. The largest difference that may occur is known for metrics with bounds; for rates, 1 is usual.
        """
        from anls_frame.statistics import planning  # noqa: PLC0415 - imports numpy

        keys = chosen_keys(columns, self.by, "comparison")
        unseen = largest_difference(self.metric)
        if math.isinf(unseen):
            unseen = 1.0 if self.metric.is_ratio or self.metric.row == "cer" else 0.0
        units, of_rates = (self._rates if self.differences.is_corpus else self._means)(keys)
        parts = planning.changes_of_units(
            *(units[name].to_numpy() for name in ("count", "n", "x", "ups", "downs"))
        )
        numbered = units.select(*keys, **{name: pl.Series(values) for name, values in parts.items()})
        added = fixed_point.float_sums(numbered, keys, list(parts))
        sums = {name: added[name].to_numpy() for name in parts}
        changes = planning.changes(sums, unseen=unseen, **of_rates)
        if balanced:
            changes = replace(changes, difference=0 * changes.difference)
        counted = pl.col("count").sum() if self.differences.has_clusters else pl.lit(None)
        counts = {
            "n": (pl.col("count") * pl.col("n")).sum().cast(pl.Int64),
            "n_clusters": counted.cast(pl.Int64),
        }
        slices = units.group_by(keys).agg(**counts).sort(keys) if keys else units.select(**counts)
        return slices, changes

    def _means(self, keys: Sequence[str]) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the rows, differences, rises and falls of units, of which `count` are alike."""
        cells = explode_lists(self.differences.cells, keys)
        if not self.differences.has_clusters:
            alike = cells.group_by(*keys, "unit").agg(count=pl.col("n").sum()).sort(*keys, "unit")
            x = pl.col("unit")
            return alike.with_columns(n=pl.lit(1), x=x, ups=x > 0, downs=x < 0), {}
        x = fixed_point.scaled_floats("difference", fixed_point.scales(cells), self.differences.bits)
        units = cells.group_by(*keys, "unit").agg(pl.col("n", "wins", "losses").sum(), x=x)
        return units.sort(*keys, "unit").with_columns(count=pl.lit(1), **self._directions()), {}

    def _rates(self, keys: Sequence[str]) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the same for rates, to first order, with the variance of their difference."""
        import numpy as np  # noqa: PLC0415 - only to compare

        from anls_frame import statistics  # noqa: PLC0415 - imports numpy

        cells = explode_lists(self.differences.cells, keys)
        counts = pl.col("n", "wins", "losses").sum()
        if self.differences.has_clusters:
            units = cells.group_by(*keys, "unit").agg(counts, pl.col(RATE_PARTS).sum()).sort(*keys, "unit")
            units = units.with_columns(count=pl.lit(1), **self._directions())
        else:
            units = cells.group_by(*keys, *RATE_PARTS).agg(counts).sort(*keys, *RATE_PARTS)
            alike = [(pl.col(name) > 0).alias(name) for name in ("wins", "losses")]
            units = units.with_columns(*alike, count="n", n=pl.lit(1)).with_columns(**self._directions())
        of_slice = sizes(units, keys)
        place = np.repeat(np.arange(len(of_slice)), of_slice)
        count, n, e_1, l_1, e_2, l_2 = (
            units[name].cast(pl.Float64).to_numpy() for name in ("count", "n", *RATE_PARTS)
        )

        def total(values: FloatArray) -> FloatArray:
            return np.asarray(np.bincount(place, count * values, len(of_slice)), np.float64)

        with np.errstate(invalid="ignore", divide="ignore"):
            first, second = e_1 / total(l_1)[place], e_2 / total(l_2)[place]
            rest = (
                second - first
                - (total(e_2) / total(l_2) ** 2)[place] * l_2 + (total(e_1) / total(l_1) ** 2)[place] * l_1
            )  # fmt: skip
            effective = statistics.effective_units(total(l_1 + l_2), total((l_1 + l_2) ** 2))
            variance = total(rest * rest) * effective / np.where(effective > 1, effective - 1, np.nan)
        x = pl.Series(total(n)[place] * (second - first))
        return units.with_columns(x=x), {"units": effective, "variance": variance}

    def _directions(self) -> dict[str, str]:
        """Return which columns count rises, and falls."""
        names = ("wins", "losses") if self.metric.higher_is_better else ("losses", "wins")
        return dict(zip(("ups", "downs"), names, strict=True))

    def presented(self, table: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
        """Return a table under the names of its columns, in the order in which comparisons show slices."""
        keys = chosen_keys(columns, self.by, "comparison")
        table = in_order(table, keys, columns, self.orders)
        is_ordered = len(columns) == 1 and columns[0] in self.orders
        order = keys if is_ordered else ["n", *keys]
        table = table.sort(*order, descending=[name == "n" for name in order] or False, nulls_last=True)
        return table.rename(dict(zip(keys, columns, strict=True)))


def largest_difference(metric: Metric) -> float:
    """Return the largest difference between two scores; infinite if the metric has no bounds."""
    least, most = metric.bounds or (None, None)
    return math.inf if least is None or most is None else most - least
