"""Counts and sums of rows with the scores of several systems, batch by batch."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl
import polars.selectors as cs

from anls_frame.summary import fixed_point
from anls_frame.summary.fixed_point import FINE_BITS, SCALE, SCORE_BITS
from anls_frame.summary.keys import CLUSTER, canonical
from anls_frame.summary.system_rows import all_columns, columns, scores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from anls_frame.summary.measures import Metric
    from anls_frame.summary.system_rows import SystemRows

_UINT64 = 1 << 64

ROWS = ""
"""Name of the cells of all metrics together, which there are without clusters."""

_CELLS_OF_A_BATCH = 1 << 21
"""Maximum number of values in a batch of rows."""

_MOST_ROWS = 1 << 17
_SCALE_OF_SHARES = 63
_BITS_OF_SHARES = SCORE_BITS - 15
"""Shares have one scale, in which units of 2**-38 are 2**-53."""

EXACT_BITS = 64
"""Other scores of two systems are integer multiples of 2**-64 of the scale of the row's larger one."""

_BITS_OF_MANY = 40
"""
Those of more systems are truncated below 2**-40 of the scale, so that the sums of a cluster fit into 64 bits.

They still do not depend on the order of the rows, and lose less than 1e-12 of the row's largest score.
"""

_BITS_OF_A_SCALED = 16


@dataclass(frozen=True, kw_only=True)
class SystemSums:
    """
    Counts and sums of rows with the scores of several systems, which add up over parts.

    Parameters
    ----------
    cells
        With clusters, for each metric by its name, the sums of its scores by keys and cluster: `n`, and
        `x_0`, `x_1`, ... of the systems, of rates also `y_0`, ..., and of two systems `wins` and `losses`. Of
        means there is one line for each `scale`, that of the row's score with the largest absolute value.
        Without clusters, a single frame: one line for each combination of keys and scores, with its number
        of rows, `n`.
    votes
        For each metric, by keys and pair of systems: in how many rows the second is better (`wins`), the same
        (`ties`) and worse (`losses`).
    slices
        For each metric, by keys and `scale`: `n`, the exact sums of the scores and the sums of their squares.
    counts
        Numbers of rows, for each metric by its name.
    digests
        Sum of the digests of each system's rows.
    ends
        The lowest and the highest score in each metric.
    """

    cells: Mapping[str, pl.DataFrame]
    votes: Mapping[str, pl.DataFrame]
    slices: Mapping[str, pl.DataFrame]
    counts: Mapping[str, Mapping[str, int]]
    digests: Sequence[int]
    ends: Mapping[str, tuple[float | None, float | None]]


_COUNTS = ("n", "wins", "losses")


def pairs(systems: int) -> list[tuple[int, int]]:
    """Return all pairs of systems in the order of their numbers in `votes`."""
    return [(first, second) for first in range(systems) for second in range(first + 1, systems)]


def are_shares(metric: Metric) -> bool:
    """Whether the scores are known to be multiples of 2**-53 from 0 to 1."""
    return metric.is_built_in and metric.bounds == (0, 1)


def bits(metric: Metric, systems: int) -> int:
    """Return the exponent of the units of sums, relative to their scale."""
    if are_shares(metric):
        return _BITS_OF_SHARES
    return EXACT_BITS if systems == 2 else _BITS_OF_MANY  # noqa: PLR2004


def _rows_in_64_bits(metric: Metric, systems: int) -> int:
    """Return the number of rows whose sums surely fit into 64 bits."""
    if metric.is_ratio:
        return 1 << 62  # they are 64-bit numbers already
    bits_of_row = bits(metric, systems) + (_BITS_OF_A_SCALED - 1 if are_shares(metric) else _BITS_OF_A_SCALED)
    return 1 << max(63 - bits_of_row, 0)


def collect(rows: SystemRows) -> SystemSums:
    """Score the rows in one pass and add them up, in batches, so that there may be any number of them."""
    of_rows = [
        name for place, one in enumerate(rows.metrics) for name in all_columns(place, one, rows.systems)
    ]
    digests = [f"digest_{system}" for system in range(rows.systems)]
    needed = (*rows.keys, "missing", "answerable", "length", *digests, *of_rows)
    size = max(1024, min(_MOST_ROWS, _CELLS_OF_A_BATCH // len(needed)))
    tally = _Tally(rows)
    # Sums of integers do not depend on the order of the batches.
    for batch in rows.frame.select(needed).collect_batches(
        chunk_size=size, maintain_order=False, engine="streaming"
    ):
        tally.add(batch)
    if tally.has_wrong:
        rows.raise_wrong()
    return tally.sums()


def add_up(parts: Sequence[SystemSums], keys: Sequence[str], metrics: Sequence[Metric]) -> SystemSums:
    """Add up the sums of parts."""
    by_name = {metric.name: metric for metric in metrics}
    first = parts[0]
    return SystemSums(
        cells={
            name: added_cells(
                [part.cells[name] for part in parts], keys, by_name.get(name), len(first.digests)
            )
            for name in first.cells
        },
        votes={name: _added([part.votes[name] for part in parts], [*keys, "pair"]) for name in first.votes},
        slices={name: _added([part.slices[name] for part in parts], [*keys, SCALE]) for name in first.slices},
        counts={
            name: {count: sum(part.counts[name][count] for part in parts) for count in of_metric}
            for name, of_metric in first.counts.items()
        },
        digests=[sum(every) % _UINT64 for every in zip(*(part.digests for part in parts), strict=True)],
        ends={name: _ends([part.ends[name] for part in parts]) for name in first.ends},
    )


def added_cells(
    parts: Sequence[pl.DataFrame], keys: Sequence[str], metric: Metric | None, systems: int
) -> pl.DataFrame:
    """Add cells with equal keys; those of all metrics have their scores as keys."""
    whole = pl.concat(parts, how="vertical_relaxed")
    if metric is None:
        by = [name for name in whole.columns if name != "n"]
        return whole.group_by(by, maintain_order=True).agg(pl.col("n").sum())
    by = [*keys, CLUSTER, *([] if metric.is_ratio else [SCALE])]
    largest = whole.select(*by, "n").group_by(by).agg(pl.col("n").sum())["n"].max()
    fit = int(largest or 0) < _rows_in_64_bits(metric, systems)  # type: ignore[arg-type] # a number
    sums = cs.starts_with("x_", "y_").cast(pl.Int64 if fit else pl.Int128).sum()
    return whole.group_by(by, maintain_order=True).agg(
        pl.col("n").sum(), cs.by_name("wins", "losses", require_all=False).sum(), sums
    )


_BUCKETS = 16
"""Into how many parts cells are split while they are added up; only one is in memory twice at a time."""


class _Bucket:
    """Cells that are added up whenever they have grown to twice their number."""

    def __init__(self) -> None:
        self.parts: list[pl.DataFrame] = []
        self.size = 0
        self.least = 1 << 14

    def add(self, part: pl.DataFrame, add: Callable[[Sequence[pl.DataFrame]], pl.DataFrame]) -> None:
        self.parts.append(part)
        self.size += part.height
        if self.size > self.least:
            self.settle(add)
            self.least = max(self.least, 2 * self.size)

    def settle(self, add: Callable[[Sequence[pl.DataFrame]], pl.DataFrame]) -> None:
        if self.parts:
            self.parts = [add(self.parts)]
            self.size = self.parts[0].height


class _Tally:
    """Sums over the batches so far."""

    def __init__(self, rows: SystemRows) -> None:
        self.rows = rows
        self.keys = [key for key in rows.keys if key != CLUSTER]
        self.has_wrong = False
        self.rest: SystemSums | None = None
        self.buckets: dict[str, list[_Bucket]] = {}

    def add(self, batch: pl.DataFrame) -> None:
        if self.has_wrong or self._is_wrong(batch):
            self.has_wrong = True
            return
        part = self._of_batch(batch)
        for name, cells in part.cells.items():
            buckets = self.buckets.setdefault(name, [_Bucket() for _ in range(_BUCKETS)])
            keys = [
                column
                for column in cells.columns
                if column not in _COUNTS and not column.startswith(("x_", "y_"))
            ]
            place = pl.struct(keys).hash() % _BUCKETS if keys else pl.lit(0, pl.UInt64)
            numbered = cells.with_columns(place.alias("bucket"))
            for (bucket,), own in numbered.partition_by("bucket", as_dict=True, include_key=False).items():
                buckets[bucket].add(own, self._adder(name))
        rest = dataclasses.replace(part, cells={})
        self.rest = rest if self.rest is None else add_up([self.rest, rest], self.keys, self.rows.metrics)

    def sums(self) -> SystemSums:
        if self.rest is None:
            self.add(self.rows.frame.head(0).collect())
        assert self.rest is not None  # noqa: S101 - for mypy
        return dataclasses.replace(self.rest, cells={name: self._whole(name) for name in self.buckets})

    def _whole(self, name: str) -> pl.DataFrame:
        for bucket in self.buckets[name]:
            bucket.settle(self._adder(name))
        parts = [part for bucket in self.buckets[name] for part in bucket.parts]
        if not parts:
            return self._of_batch(self.rows.frame.head(0).collect()).cells[name]
        return pl.concat(parts, how="vertical_relaxed")

    def _adder(self, name: str) -> Callable[[Sequence[pl.DataFrame]], pl.DataFrame]:
        metric = next((metric for metric in self.rows.metrics if name and metric.name == name), None)
        return lambda parts: added_cells(parts, self.keys, metric, self.rows.systems)

    def _is_wrong(self, batch: pl.DataFrame) -> bool:
        wrong = self.rows.wrong()
        return bool(wrong) and batch.select(pl.any_horizontal(pl.Expr.any(one) for one in wrong)).item()

    def _of_batch(self, batch: pl.DataFrame) -> SystemSums:
        rows = self.rows
        keys = [key for key in rows.keys if key != CLUSTER]
        votes, slices, cells, counts, ends = {}, {}, {}, {}, {}
        common = batch.select(
            rows=pl.len(),
            n_missing=(pl.col("missing") & pl.col("answerable")).sum(),
            n_unanswerable=(~pl.col("answerable")).sum(),
        ).row(0, named=True)
        for place, metric in enumerate(rows.metrics):
            of_all = all_columns(place, metric, rows.systems)
            scored = batch.drop_nulls(of_all).select(*rows.keys, "length", *of_all)
            named = scores(place, rows.systems)
            counts[metric.name] = {
                **common,
                "n": scored.height,
                "n_empty_reference": int((scored["length"] == 0).sum()),
            }
            ends[metric.name] = _ends(
                scored.select(
                    pl.min_horizontal(named).min().alias("a"), pl.max_horizontal(named).max().alias("b")
                ).rows()
            )
            votes[metric.name] = _votes(scored, keys, named, better=bool(metric.higher_is_better))
            slices[metric.name] = _exact(scored, keys, named)
            if CLUSTER in rows.keys:
                cells[metric.name] = _cells(scored, rows.keys, place, metric, rows.systems)
        if CLUSTER not in rows.keys:
            values = [
                name
                for place, one in enumerate(rows.metrics)
                for name in all_columns(place, one, rows.systems)
            ]
            kept = batch.filter(pl.any_horizontal(pl.col(values).is_not_null()))
            grouped = kept.group_by(*keys, *values).agg(pl.len().cast(pl.UInt64).alias("n"))
            cells[ROWS] = canonical(grouped)
        halves = batch.select(
            *(
                (pl.col(f"digest_{one}") & 0xFFFF_FFFF).sum().alias(f"low_{one}")
                for one in range(rows.systems)
            ),
            *(
                (pl.col(f"digest_{one}") // (1 << 32)).sum().alias(f"high_{one}")
                for one in range(rows.systems)
            ),
        ).row(0)
        low, high = halves[: rows.systems], halves[rows.systems :]
        digests = [(one + (other << 32)) % _UINT64 for one, other in zip(low, high, strict=True)]
        return SystemSums(cells=cells, votes=votes, slices=slices, counts=counts, digests=digests, ends=ends)


def _cells(
    scored: pl.DataFrame, keys: Sequence[str], place: int, metric: Metric, systems: int
) -> pl.DataFrame:
    counts = [pl.len().cast(pl.UInt64).alias("n")]
    if systems == 2:  # noqa: PLR2004 - only for two systems, because pairs are many
        first, second = (pl.col(name) for name in scores(place, systems))
        better, worse = (second > first, second < first)
        if not metric.higher_is_better:
            better, worse = worse, better
        counts += [better.sum().cast(pl.UInt64).alias("wins"), worse.sum().cast(pl.UInt64).alias("losses")]
    if metric.is_ratio:
        parts = [columns(place, metric, system)[1:] for system in range(systems)]
        sums = [
            pl.col(name).cast(pl.Int64, strict=False).sum().alias(f"{which}_{system}")
            for at, which in enumerate("xy")
            for system, names in enumerate(parts)
            for name in [names[at]]
        ]
        return canonical(scored.group_by(keys).agg(*counts, *sums))
    named = scores(place, systems)
    if are_shares(metric):
        scale = pl.lit(_SCALE_OF_SHARES, pl.UInt8).alias(SCALE)
    else:
        scale = fixed_point.scale_of(pl.max_horizontal(pl.col(named).abs()))
    sums = [
        fixed_point.units(fixed_point.scaled(pl.col(name), pl.col(SCALE)), bits(metric, systems))
        .sum()
        .alias(f"x_{system}")
        for system, name in enumerate(named)
    ]
    cells = scored.with_columns(scale).group_by(*keys, SCALE).agg(*counts, *sums)
    if int(cells["n"].max() or 0) < _rows_in_64_bits(metric, systems):  # type: ignore[arg-type] # a number
        cells = cells.with_columns(cs.starts_with("x_").cast(pl.Int64))
    return canonical(cells)


def _exact(scored: pl.DataFrame, keys: Sequence[str], named: Sequence[str]) -> pl.DataFrame:
    """Return exact sums of the scores, and the sums of their squares."""
    scale = fixed_point.scale_of(pl.max_horizontal(pl.col(named).abs()))
    sums = [
        fixed_point.units(fixed_point.scaled(pl.col(name), pl.col(SCALE)), EXACT_BITS)
        .sum()
        .alias(f"sum_{system}")
        for system, name in enumerate(named)
    ]
    # Only needed for scores within [0, 1]; others may wrap.
    squares = [
        fixed_point.units(pl.col(name) * pl.col(name), FINE_BITS).sum().alias(f"square_{system}")
        for system, name in enumerate(named)
    ]
    count = pl.len().cast(pl.UInt64).alias("n")
    return canonical(scored.with_columns(scale).group_by(*keys, SCALE).agg(count, *sums, *squares))


def _votes(scored: pl.DataFrame, keys: Sequence[str], named: Sequence[str], *, better: bool) -> pl.DataFrame:
    """Count for each pair of systems in how many rows the second is better or worse."""
    import numpy as np  # noqa: PLC0415 - only to compare

    if keys:
        groups = scored.with_row_index("row").group_by(keys, maintain_order=True).agg("row")
        order = groups.select(pl.col("row").explode(empty_as_null=False))["row"].to_numpy()
        sizes = groups["row"].list.len().to_numpy().astype(np.int64)
        table = scored.select(named).to_numpy()[order].T.copy()
        of_groups = canonical(groups.drop("row"))
    else:
        sizes = np.array([scored.height])
        table = scored.select(named).to_numpy().T.copy()
        of_groups = pl.DataFrame({"all": [0]})
    starts = np.cumsum(sizes) - sizes
    higher, lower = (
        np.concatenate([_counted(side, starts) for side in _compared(table, compare)], axis=0)
        for compare in (np.greater, np.less)
    )
    wins, losses = (higher, lower) if better else (lower, higher)
    count = len(higher)
    # One line for each slice and pair.
    return (
        of_groups.with_row_index("group")
        .join(
            pl.DataFrame(
                {
                    "group": pl.Series(np.repeat(np.arange(len(sizes)), count), dtype=pl.UInt32),
                    "pair": pl.Series(np.tile(np.arange(count), len(sizes)), dtype=pl.UInt32),
                    "wins": wins.T.ravel(),
                    "ties": (sizes.astype(np.uint64) - wins - losses).T.ravel(),
                    "losses": losses.T.ravel(),
                }
            ),
            on="group",
        )
        .drop("group", *([] if keys else ["all"]))
    )


def _compared(table: npt.NDArray[np.float64], compare: np.ufunc) -> Iterator[npt.NDArray[np.bool_]]:
    """Compare all later systems with each system but the last, row by row."""
    for first in range(len(table) - 1):
        yield compare(table[first + 1 :], table[first])


def _counted(holds: npt.NDArray[np.bool_], starts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    import numpy as np  # noqa: PLC0415 - only to compare

    if len(starts) == 1:
        return np.asarray(np.count_nonzero(holds, axis=1), np.uint64)[:, None]
    if not len(starts):
        return np.zeros((len(holds), 0), np.uint64)
    return np.asarray(np.add.reduceat(holds, starts, axis=1, dtype=np.uint64), np.uint64)


def _added(parts: Sequence[pl.DataFrame], keys: Sequence[str]) -> pl.DataFrame:
    whole = pl.concat(parts, how="vertical_relaxed")
    sums = pl.exclude(keys).sum() if keys else pl.all().sum()
    return whole.group_by(keys, maintain_order=True).agg(sums) if keys else whole.select(sums)


def _ends(found: Sequence[tuple[float | None, float | None]]) -> tuple[float | None, float | None]:
    lows, highs = ([one for one in side if one is not None] for side in zip(*found, strict=True))
    return min(lows, default=None), max(highs, default=None)
