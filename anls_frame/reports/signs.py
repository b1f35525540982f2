"""Turn cells of differences into the units whose signs are flipped jointly in all slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from anls_frame.summary.keys import explode_lists

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from anls_frame.statistics.step_down import Units


def of_clusters(clusters: pl.DataFrame, keys: Sequence[str], values: Sequence[str]) -> Units:
    """
    Return the units of sums by slice and cluster, with one column for each value and slice.

    The sums must be sorted by keys and cluster, so that the draws do not depend on the order of the rows.
    """
    places = (
        clusters.with_row_index("row")
        .group_by("unit", maintain_order=True)
        .agg("row")
        .with_row_index("place")
        .explode("row", empty_as_null=False)
        .sort("row")["place"]
    )
    entries = clusters.select(*keys, places, *values)
    ones = pl.Series([1], dtype=pl.Int64).new_from_index(0, places.n_unique())
    return _units(entries, keys, values, ones, ones)


def of_rows(rows: pl.DataFrame, keys: Sequence[str], values: Sequence[str]) -> Units:
    """
    Return the units of rows counted in `n` by keys and values; a list key belongs to several slices.

    Rows that differ only in the sign of their values share one line: both signs are equally likely, and the
    draws do not depend on which system comes first.
    """
    # The first nonzero value gives the sign.
    sign = pl.coalesce(pl.when(pl.col(value) != 0).then(pl.col(value).sign()) for value in values)
    lines = (
        rows.with_columns(sign=sign.fill_null(1).cast(pl.Int64), n=pl.col("n").cast(pl.Int64))
        .with_columns(pl.col(values) * pl.col("sign"))
        .group_by(*keys, *values)
        .agg(pl.col("n").sum(), net=(pl.col("n") * pl.col("sign")).sum())
        .sort(*keys, *values)
        .with_row_index("place")
    )
    entries = explode_lists(lines.select(*keys, "place", *values), keys).sort(*keys, "place")
    return _units(entries, keys, values, lines["n"], lines["net"])


def sizes(entries: pl.DataFrame, keys: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the number of lines of each slice, in the order of the slices."""
    if not keys:
        return pl.Series([entries.height]).to_numpy()
    return entries.group_by(keys, maintain_order=True).len()["len"].cast(pl.Int64).to_numpy()


def _units(
    entries: pl.DataFrame, keys: Sequence[str], values: Sequence[str], counts: pl.Series, net: pl.Series
) -> Units:
    import numpy as np  # noqa: PLC0415 - only to compare

    from anls_frame.statistics.step_down import Units  # noqa: PLC0415 - imports numpy

    lengths = sizes(entries, keys)
    slices = np.repeat(np.arange(len(lengths)), lengths)
    place = entries["place"].cast(pl.Int64).to_numpy()
    return Units(
        np.tile(place, len(values)),
        np.concatenate([slices + at * len(lengths) for at in range(len(values))]),
        np.concatenate([entries[value].cast(pl.Float64).to_numpy() for value in values]),
        counts.to_numpy(),
        net.to_numpy(),
        len(lengths) * len(values),
    )
