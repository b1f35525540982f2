"""Differences between two corpus rates (total errors divided by total length) by slice, with tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from anls_frame.reports.differences import (
    LEAST_UNITS,
    RATE_PARTS,
    carriers,
    named_columns,
    size_powers,
)
from anls_frame.reports.signs import of_clusters, of_rows, sizes
from anls_frame.summary.keys import explode_lists

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from anls_frame.reports.differences import Differences
    from anls_frame.statistics.step_down import Units
    from anls_frame.statistics.student import FloatArray

_SWAPPED = ["errors", "length"]


def slices(
    differences: Differences, keys: Sequence[str], *, confidence: float, draws: int, seed: int
) -> pl.DataFrame:
    """Return one row per slice: rates, difference with interval and p-values, counts."""
    import numpy as np  # noqa: PLC0415 - only to compare

    from anls_frame import statistics  # noqa: PLC0415 - imports numpy

    grouped, units, signs = _rolled_up(differences, keys)
    errors_1, length_1, errors_2, length_2 = (_floats(grouped[name]) for name in RATE_PARTS)
    first, second = (
        np.divide(errors, length, out=np.full_like(errors, np.nan), where=length > 0)
        for errors, length in ((errors_1, length_1), (errors_2, length_2))
    )
    # Units are sorted by slice.
    place = np.repeat(np.arange(grouped.height), sizes(units, keys))
    count, e_1, l_1, e_2, l_2 = (_floats(units[name]) for name in ("count", *RATE_PARTS))

    def total(values: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(place, weights=count * values, minlength=grouped.height), np.float64)

    with np.errstate(invalid="ignore", divide="ignore"):
        # The contribution of a unit to the difference of the rates, to first order.
        share = (e_2 - second[place] * l_2) / length_2[place] - (e_1 - first[place] * l_1) / length_1[place]
        size = (e_2 + second[place] * l_2) / length_2[place] + (e_1 + first[place] * l_1) / length_1[place]
        carrying = carriers(share, size, place, grouped.height)
        both = l_1 + l_2
        effective = statistics.effective_units(total(both), total(both * both))
        variance = total(share * share) * effective / (effective - 1)
        low, high = statistics.t_interval(second - first, variance, effective, confidence)
    low, high = (np.clip(end, -differences.largest, differences.largest) for end in (low, high))
    with np.errstate(invalid="ignore", divide="ignore"):
        errors, length = errors_1 + errors_2, length_1 + length_2
        residual = (e_2 - e_1) - (errors / length)[place] * (l_2 - l_1)
    swap = Swap(errors, length, np.sqrt(total(residual * residual)), total(np.abs(residual)))
    tested = np.isfinite(second - first) & (_floats(grouped["units"]) >= LEAST_UNITS)
    p_values, adjusted = np.full((2, grouped.height), np.nan)
    for slice_ in np.nonzero(tested)[0]:
        p_values[slice_] = swap.p_value(signs, int(slice_), draws, seed)
    adjusted[tested] = swap.adjusted(signs, tested, p_values[tested], draws, seed)
    figures = {
        "first": first,
        "second": second,
        "difference": second - first,
        "difference_low": low,
        "difference_high": high,
        "p_value": p_values,
        "p_adjusted": adjusted,
    }
    return named_columns(grouped, keys, figures, carrying, has_clusters=differences.has_clusters)


def _rolled_up(differences: Differences, keys: Sequence[str]) -> tuple[pl.DataFrame, pl.DataFrame, Units]:
    """
    Return the sums of each slice in key order, its units, and the differences of the units.

    A unit is a cluster with its sums, or rows with equal errors and lengths, counted in `n`.
    """
    swapped = {
        "errors": pl.col("second_errors") - pl.col("first_errors"),
        "length": pl.col("second_length") - pl.col("first_length"),
    }
    cells = explode_lists(differences.cells, keys)
    if differences.has_clusters:
        parts = pl.col(RATE_PARTS).sum()
        units = cells.group_by(*keys, "unit").agg(pl.col("n").sum(), parts).sort(*keys, "unit")
        units = units.with_columns(count=pl.lit(1, pl.Int64), **swapped)
        signs = of_clusters(units, keys, _SWAPPED)
    else:
        parts = (pl.col(RATE_PARTS) * pl.col("n")).sum()
        units = cells.group_by(*keys, *RATE_PARTS).agg(pl.col("n").sum()).sort(*keys, *RATE_PARTS)
        units = units.with_columns(count="n", **swapped)
        lines = differences.cells.select(*keys, "n", **swapped)
        signs = of_rows(lines, keys, _SWAPPED)
    powers = size_powers(has_clusters=differences.has_clusters)
    sums = [pl.col("n").sum(), pl.col("count").sum().alias("units"), parts, *powers]
    grouped = units.group_by(keys).agg(sums).sort(keys) if keys else units.select(sums)
    return grouped.hstack(differences.voted(keys)), units, signs


@dataclass(frozen=True)
class Swap:
    """
    The test statistic if the two systems are swapped in units, errors together with lengths.

    Parameters
    ----------
    errors, length
        Totals of both systems by slice; swaps do not change them.
    norm, sizes
        √Σz² and Σ|z| over the units; swaps do not change them either. z is the difference of a unit's errors
        minus the pooled rate times the difference of its lengths.
    """

    errors: FloatArray
    length: FloatArray
    norm: FloatArray
    sizes: FloatArray

    def __call__(self, sums: FloatArray) -> FloatArray:
        """Return T by slice and draw: the difference of the rates divided by its size to first order."""
        import numpy as np  # noqa: PLC0415 - only to compare

        # The sums of the second system minus those of the first, for errors and for lengths.
        errors, length = sums[: len(self.errors)], sums[len(self.errors) :]
        of_both, long = self.errors[:, None], self.length[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            difference = (of_both + errors) / (long + length) - (of_both - errors) / (long - length)
            drawn = np.abs(difference) * long / (2 * np.where(self.norm > 0, self.norm, 1.0)[:, None])
        # A swap that leaves one system without any length is as extreme as possible.
        return np.where(np.isfinite(drawn), drawn, np.inf)

    def of(self, chosen: npt.NDArray[np.bool_]) -> Swap:
        """Return the statistic of some slices."""
        return Swap(self.errors[chosen], self.length[chosen], self.norm[chosen], self.sizes[chosen])

    def ties(self) -> FloatArray:
        """Return by how much statistics may differ through rounding."""
        import numpy as np  # noqa: PLC0415 - only to compare

        from anls_frame.statistics.significance import TIE  # noqa: PLC0415 - imports numpy

        return TIE * np.divide(self.sizes, self.norm, out=np.zeros_like(self.norm), where=self.norm > 0)

    def p_value(self, signs: Units, slice_: int, draws: int, seed: int) -> float:
        """Return the unadjusted p-value of a slice; for equal lengths, from a sign-flip test of errors."""
        import numpy as np  # noqa: PLC0415 - only to compare

        from anls_frame import statistics  # noqa: PLC0415 - import numpy
        from anls_frame.statistics import step_down  # noqa: PLC0415 - import numpy

        alone = np.arange(len(self.errors)) == slice_
        units = signs.of_columns(np.tile(alone, 2)).tidied()
        if (units.column == 0).all():
            # Every unit then has one entry. Count the units of either sign, not the lines.
            ups = (units.counts + units.net) // 2
            values, counts = [units.value, -units.value], [ups, units.counts - ups]
            return statistics.sign_flip_counts(
                np.concatenate([*values, [0.0]]), np.concatenate([*counts, [1]]), draws=draws, seed=seed
            )
        one = self.of(alone)
        return float(step_down.single(units, one, one.ties(), draws=draws, seed=seed)[0])

    def adjusted(
        self,
        signs: Units,
        tested: npt.NDArray[np.bool_],
        p_values: FloatArray,
        draws: int,
        seed: int,
    ) -> FloatArray:
        """Adjust the p-values of the tested slices for their number."""
        import numpy as np  # noqa: PLC0415 - only to compare

        from anls_frame.statistics import step_down  # noqa: PLC0415 - imports numpy

        chosen = self.of(tested)
        units = signs.of_columns(np.tile(tested, 2)).tidied()
        return step_down.step_down(units, chosen, chosen.ties(), p_values, draws=draws, seed=seed)


def _floats(values: pl.Series) -> FloatArray:
    return values.cast(pl.Float64).to_numpy().copy()
