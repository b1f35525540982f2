"""Counts and sums of rows with the scores of several systems, which comparisons are computed from."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from anls_frame.summary import fixed_point, own_metrics, pair_votes, transitions
from anls_frame.summary.buckets import Buckets
from anls_frame.summary.cell_sums import ALL, CellSums, of_kind, stored
from anls_frame.summary.cluster_groups import in_groups
from anls_frame.summary.fixed_point import FINE_BITS, ROWS_OF_A_SUM, SCALE, SCORE_BITS
from anls_frame.summary.keys import CLUSTER, canonical, key_names
from anls_frame.summary.predictions import Predictions, digest_of
from anls_frame.summary.rows import is_missing
from anls_frame.summary.system_rows import all_columns, columns, missing, noted, scores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from anls_frame.summary.cell_sums import Cells
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Settings
    from anls_frame.summary.system_rows import SystemRows

_TWO = 2

_FACTOR = "factor"

_VALUES_OF_A_BATCH = 1 << 22
"""Maximum number of values in a batch of rows."""

_FEW_SYSTEMS = 8
"""Scores of more systems are computed batch by batch."""

_SCALE_OF_SHARES = 63
_BITS_OF_SHARES = SCORE_BITS - 15
"""Shares have one scale, in which units of 2**-38 are 2**-53."""

_SQUARE_BITS_OF_SHARES = SCORE_BITS - 30
"""In its square, units of 2**-23 are 2**-53, so that sums of squares fit where sums of shares do."""

EXACT_BITS = 64
"""Other scores of two systems are integer multiples of 2**-64 of the scale of the row's larger one."""

_BITS_OF_MANY = 40
"""
Those of more systems are truncated below 2**-40 of the scale, so that the sums of a cluster fit into 64 bits.

They still do not depend on the order of the rows, and lose less than 1e-12 of the row's largest score.
"""

_BITS_OF_A_SCALED = 16


@dataclass(frozen=True, kw_only=True)
class ComparisonSums(CellSums):
    """
    Counts and sums of rows with the scores of several systems, which add up over parts.

    Parameters
    ----------
    cells
        With clusters, for each metric by its name, the sums of its scores by keys and cluster: `n`, and
        `x_0`, `x_1`, ... of the systems, of rates also `y_0`, ..., and of two systems `wins` and `losses`. Of
        means there is one line for each `scale`, that of the row's score with the largest absolute value,
        and of two systems `lost`, the sum of what rows lost, and `squares`, that of their squared changes.
        Without clusters, a single frame: one line for each combination of keys and scores, with its number
        of rows, `n`.
    votes
        For each metric, by keys and pair of systems: in how many rows the second is better (`wins`), the same
        (`ties`) and worse (`losses`).
    slices
        For each metric, by keys and `scale`: `n`, the exact sums of the scores and the sums of their squares.
    transitions
        If details were asked for, the counts of rows by the error type of the first system and that of each
        other one, by its name.
    counts
        Numbers of rows, for each metric by its name.
    ends
        The lowest and the highest score in each metric.
    """

    cells: Cells
    votes: Mapping[str, pl.DataFrame]
    slices: Mapping[str, pl.DataFrame]
    counts: Mapping[str, Mapping[str, int]]
    ends: Mapping[str, tuple[float | None, float | None]]
    transitions: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of rows that were read."""
        return next(iter(self.counts.values()))["rows"]

    def frames(self) -> dict[str, pl.DataFrame]:
        """Return all frames, each by its kind and name."""
        return {name: frame for kind in _KINDS for name, frame in stored(kind, getattr(self, kind)).items()}

    def header(self) -> dict[str, Any]:
        """Return the counts and the ends of each metric."""
        return {"counts": self.counts, "ends": self.ends}

    @classmethod
    def of_frames(cls, frames: Mapping[str, pl.DataFrame], header: Mapping[str, Any]) -> ComparisonSums:
        """Return the sums with these frames, counts and ends."""
        ends = {name: (low, high) for name, (low, high) in header["ends"].items()}
        return cls(**{kind: of_kind(kind, frames) for kind in _KINDS}, counts=header["counts"], ends=ends)

    @classmethod
    def added(cls, parts: Sequence[ComparisonSums], settings: Settings) -> ComparisonSums:
        """Add up the sums of parts."""
        return _add_up(parts, key_names(settings.by, None), settings.metrics)

    def folded(self, settings: Settings) -> ComparisonSums:
        """Return the sums with groups in place of clusters; the votes and slices stay."""
        keys = key_names(settings.by, None)
        cells = {
            metric.name: _added_cells([in_groups(self.cells[metric.name])], keys, metric)
            for metric in settings.metrics
        }
        return dataclasses.replace(self, cells=cells)

    def sliced(self, cells: Cells, settings: Settings) -> ComparisonSums:
        """Return sums with other cells of two systems, and the votes and slices that follow from them."""
        keys = key_names(settings.by, None)
        slices = {
            metric.name: _slices_of_two(cells[metric.name], keys, metric)
            for metric in settings.metrics
            if not metric.is_ratio
        }
        votes = {name: _votes_of_two(own, keys) for name, own in cells.items()}
        return dataclasses.replace(self, cells=cells, votes=votes, slices=slices, transitions={})

    def groups(self, settings: Settings) -> Iterator[tuple[str | None, pl.DataFrame, tuple[Metric, ...]]]:
        """Return the cells of each metric; without clusters, those of all together."""
        metrics = [metric.within(*self.ends[metric.name]) for metric in settings.metrics]
        if settings.cluster is None:
            yield ALL, self.cells[ALL], tuple(metrics)
        else:
            for metric in metrics:
                yield metric.name, self.cells[metric.name], (metric,)


_KINDS = ("cells", "votes", "slices", "transitions")
_COUNTS = ("n", "wins", "losses")
LOST, SQUARES = CHANGES = ("lost", "squares")
"""Sums over the changes of rows, which searches for slices need besides the scores."""
_SUMS = ("x_", "y_", *CHANGES)
"""What the names of sums start with."""


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
    return EXACT_BITS if systems == _TWO else _BITS_OF_MANY


def square_bits(metric: Metric) -> int:
    """Return the exponent of the units of sums of squared changes, relative to their squared scale."""
    # Squares of changes are far below 1 where the systems are alike, so they get as many bits as fit.
    return _SQUARE_BITS_OF_SHARES if are_shares(metric) else EXACT_BITS


def _rows_in_64_bits(metric: Metric, systems: int) -> int:
    """Return the number of rows whose sums surely fit into 64 bits."""
    if metric.is_ratio:
        return 1 << 62  # they are 64-bit numbers already
    bits_of_row = bits(metric, systems) + (_BITS_OF_A_SCALED - 1 if are_shares(metric) else _BITS_OF_A_SCALED)
    return 1 << max(63 - bits_of_row, 0)


def collect(rows: SystemRows) -> tuple[ComparisonSums, list[Predictions]]:
    """
    Score the rows in one pass and add them up, in batches, so that there may be any number of them.

    There are `Predictions` of each system.
    """
    of_rows = [
        name for place, one in enumerate(rows.metrics) for name in all_columns(place, one, rows.systems)
    ]
    digests = [f"digest_{system}" for system in range(rows.systems)]
    of_predictions = [*missing(rows.systems), *noted(rows.systems)]
    needed = (*rows.keys, *of_predictions, "answerable", "length", *digests, *of_rows)
    size = max(1024, min(ROWS_OF_A_SUM, _VALUES_OF_A_BATCH // len(needed)))
    tally = _Tally(rows)
    # Polars holds many rows at once, of the scores of many systems too many: these follow batch by batch.
    later = rows.systems > _FEW_SYSTEMS
    source = rows.inputs if later else rows.frame.select(needed)
    # Sums of integers do not depend on the order of the batches.
    for batch in source.collect_batches(chunk_size=size, maintain_order=False, engine="streaming"):
        for part in batch.iter_slices(ROWS_OF_A_SUM):
            tally.add(rows.scored(part.lazy()).select(needed).collect() if later else part)
    if tally.has_wrong:
        rows.raise_wrong()
    return tally.sums()


def _add_up(
    parts: Sequence[ComparisonSums], keys: Sequence[str], metrics: Sequence[Metric]
) -> ComparisonSums:
    by_name = {metric.name: metric for metric in metrics}
    first = parts[0]
    return ComparisonSums(
        cells={
            name: _added_cells([part.cells[name] for part in parts], keys, by_name.get(name))
            for name in first.cells
        },
        votes={name: _added([part.votes[name] for part in parts], [*keys, "pair"]) for name in first.votes},
        slices={name: _added([part.slices[name] for part in parts], [*keys, SCALE]) for name in first.slices},
        transitions={
            name: transitions.added([part.transitions[name] for part in parts], keys)
            for name in first.transitions
        },
        counts={
            name: {count: sum(part.counts[name][count] for part in parts) for count in of_metric}
            for name, of_metric in first.counts.items()
        },
        ends={name: _ends([part.ends[name] for part in parts]) for name in first.ends},
    )


def _added_cells(parts: Sequence[pl.DataFrame], keys: Sequence[str], metric: Metric | None) -> pl.DataFrame:
    """Add cells with equal keys; those of all metrics have their scores as keys."""
    whole = pl.concat(parts, how="vertical_relaxed")
    if metric is None:
        return whole.group_by(pl.exclude("n")).agg(pl.col("n").sum())
    groups = whole.group_by(*keys, CLUSTER, *([] if metric.is_ratio else [SCALE]))
    counts = [pl.col("n").sum(), cs.by_name("wins", "losses", require_all=False).sum()]
    sums = cs.starts_with(*_SUMS)
    limit = _rows_in_64_bits(metric, sum(name.startswith("x_") for name in whole.columns))
    if limit > 1:
        # Sums that do not fit have wrapped, and are computed again.
        added = groups.agg(*counts, sums.cast(pl.Int64, wrap_numerical=True).sum())
        if int(added["n"].max() or 0) < limit:  # type: ignore[arg-type] # a number
            return added
    return groups.agg(*counts, sums.cast(pl.Int128).sum())


class _Tally:
    """Sums over the batches so far."""

    def __init__(self, rows: SystemRows) -> None:
        self.rows = rows
        self.keys = [key for key in rows.keys if key != CLUSTER]
        self.has_wrong = False
        self.rest: ComparisonSums | None = None
        self.predictions = [Predictions(digest=0, n_missing=0)] * rows.systems
        self.buckets: dict[str | None, Buckets] = {}

    def add(self, batch: pl.DataFrame) -> None:
        if self.has_wrong or self._is_wrong(batch):
            self.has_wrong = True
            return
        part = self._of_batch(batch)
        for name, cells in part.cells.items():
            if name not in self.buckets:
                keys = [
                    column
                    for column in cells.columns
                    if column not in _COUNTS and not column.startswith(_SUMS)
                ]
                self.buckets[name] = Buckets(keys, self._adder(name))
            self.buckets[name].add(cells)
        rest = dataclasses.replace(part, cells={})
        self.rest = rest if self.rest is None else _add_up([self.rest, rest], self.keys, self.rows.metrics)
        of_batch = _predictions(batch, self.rows.systems)
        self.predictions = [one + other for one, other in zip(self.predictions, of_batch, strict=True)]

    def sums(self) -> tuple[ComparisonSums, list[Predictions]]:
        if self.rest is None:
            self.add(self.rows.frame.head(0).collect())
        cells = {name: self.buckets.pop(name).whole() for name in list(self.buckets)}
        assert self.rest is not None  # noqa: S101 - for mypy
        sums = dataclasses.replace(self.rest, cells=cells)
        return self._with_votes_and_slices(sums) if ALL in cells else sums, self.predictions

    def _adder(self, name: str | None) -> Callable[[Sequence[pl.DataFrame]], pl.DataFrame]:
        metric = next((metric for metric in self.rows.metrics if metric.name == name), None)
        return lambda parts: _added_cells(parts, self.keys, metric)

    def _is_wrong(self, batch: pl.DataFrame) -> bool:
        wrong = self.rows.wrong()
        return bool(wrong) and batch.select(pl.any_horizontal(pl.Expr.any(one) for one in wrong)).item()

    def _of_batch(self, batch: pl.DataFrame) -> ComparisonSums:
        rows = self.rows
        votes, slices, counts, ends = {}, {}, {}, {}
        cells: dict[str | None, pl.DataFrame] = {}
        absent = [is_missing(name) for name in missing(rows.systems)]
        drops = rows.missing == "drop"
        found = batch.select(
            rows=pl.len(),
            n_dropped=pl.any_horizontal(absent).sum() if drops else pl.lit(0),
            n_unanswerable=(~pl.col("answerable")).sum(),
        ).row(0, named=True)
        for place, metric in enumerate(rows.metrics):
            scored = batch.drop_nulls(all_columns(place, metric, rows.systems))
            named = scores(place, rows.systems)
            counts[metric.name] = {
                **found,
                "n": scored.height,
                "n_empty_reference": int((scored["length"] == 0).sum()),
            }
            found_ends = scored.select(_ends_of(place, metric, rows.systems)).row(0)
            ends[metric.name] = _ends(list(zip(found_ends[::2], found_ends[1::2], strict=True)))
            if CLUSTER in rows.keys:
                scored = _with_scale(scored, named)
                cells[metric.name] = _cells(scored, rows.keys, place, metric, rows.systems)
                voted = cells[metric.name] if rows.systems == _TWO else scored
                votes[metric.name] = _votes(voted, self.keys, named, metric)
                slices[metric.name] = _exact(scored, self.keys, named, metric)
        if CLUSTER not in rows.keys:
            # Votes and slices follow at the end, from the cells, because these can be far fewer than rows.
            values = [
                name
                for place, one in enumerate(rows.metrics)
                for name in all_columns(place, one, rows.systems)
            ]
            kept = batch.filter(pl.any_horizontal(pl.col(values).is_not_null()))
            grouped = kept.group_by(*self.keys, *values).agg(pl.len().cast(pl.Int64).alias("n"))
            cells[ALL] = canonical(grouped)
        return ComparisonSums(cells=cells, votes=votes, slices=slices, counts=counts, ends=ends)

    def _with_votes_and_slices(self, sums: ComparisonSums) -> ComparisonSums:
        """Add the votes and slices, where the cells are combinations of scores."""
        rows, cells = self.rows, sums.cells[ALL]
        size = max(1, min(ROWS_OF_A_SUM, _VALUES_OF_A_BATCH // cells.width))
        votes, slices = {}, {}
        for place, metric in enumerate(rows.metrics):
            named = scores(place, rows.systems)
            parts = list(cells.drop_nulls(named).iter_slices(size)) or [cells.head(0)]
            of_parts = [_votes(part, self.keys, named, metric) for part in parts]
            votes[metric.name] = _added(of_parts, [*self.keys, "pair"])
            exact = [_exact(_with_scale(part, named), self.keys, named, metric) for part in parts]
            slices[metric.name] = _added(exact, [*self.keys, SCALE])
        return dataclasses.replace(sums, votes=votes, slices=slices)


def _predictions(batch: pl.DataFrame, systems: int) -> list[Predictions]:
    """Return the digests of the rows of each system, and what is counted of its predictions."""
    absent = [is_missing(name).alias(name) for name in missing(systems)]
    marked = batch.select(pl.col(noted(systems)).sum()).row(0)
    low, high = pl.col("^digest_.*$") & 0xFFFF_FFFF, pl.col("^digest_.*$") // (1 << 32)
    every = zip(
        *(batch.select(half.sum()).row(0) for half in (low, high)),
        batch.select(absent).sum().row(0),
        marked[:systems],
        marked[systems:],
        strict=True,
    )
    return [
        Predictions(
            digest=digest_of(low, high),
            n_missing=n_missing,
            n_invented=n_invented,
            n_placeholders=n_placeholders,
        )
        for low, high, n_missing, n_invented, n_placeholders in every
    ]


def _ends_of(place: int, metric: Metric, systems: int) -> list[pl.Expr]:
    """Return the lowest and the highest score of each system, by which a metric without bounds gets them."""
    ends = []
    for system in range(systems):
        score, *parts = (pl.col(name) for name in columns(place, metric, system))
        least, most = own_metrics.ends_of_rates(*parts) if parts else (score.min(), score.max())
        ends += [least.alias(f"least_{system}"), most.alias(f"most_{system}")]
    return ends


def _cells(
    scored: pl.DataFrame, keys: Sequence[str], place: int, metric: Metric, systems: int
) -> pl.DataFrame:
    counts = [pl.len().cast(pl.Int64).alias("n")]
    if systems == _TWO:  # pairs of more are many
        counts += [side.sum().cast(pl.Int64) for side in _sides(scores(place, systems), metric)]
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
    factor = pl.col(_FACTOR)
    if are_shares(metric):
        scored = scored.with_columns(pl.lit(_SCALE_OF_SHARES, pl.UInt8).alias(SCALE))
        factor = pl.lit(1 / fixed_point.size(_SCALE_OF_SHARES))
    exponent, limit = bits(metric, systems), _rows_in_64_bits(metric, systems)
    scaled = [((pl.col(name) * factor).alias(f"x_{system}"), exponent) for system, name in enumerate(named)]
    squared = []
    if systems == _TWO:
        # A change can be twice as large as what `sum_of_units` takes; a loss has no sign and still fits.
        change = (pl.col(named[1]) - pl.col(named[0])) * factor
        lost = -change if metric.higher_is_better else change
        scaled.append((lost.clip(lower_bound=0).alias(LOST), exponent))
        squared.append(((change * change).alias(SQUARES), square_bits(metric)))
    groups = scored.group_by(*keys, SCALE)
    if limit > 1:
        units = [
            (value * 2.0**power).cast(pl.Int64, wrap_numerical=True).sum()
            for value, power in (*scaled, *squared)
        ]
        cells = groups.agg(*counts, *units)
        if int(cells["n"].max() or 0) < limit:  # type: ignore[arg-type] # a number
            return canonical(cells)
    sums = [fixed_point.sum_of_units(value, power) for value, power in scaled]
    # Squares are too large for the faster sum.
    sums += [fixed_point.units(value, power).sum() for value, power in squared]
    return canonical(groups.agg(*counts, *sums))


def _sides(named: Sequence[str], metric: Metric) -> list[pl.Expr]:
    """Return whether the second of two systems is better, and whether it is worse."""
    first, second = (pl.col(name) for name in named)
    higher, lower = second > first, second < first
    wins, losses = (higher, lower) if metric.higher_is_better else (lower, higher)
    return [wins.alias("wins"), losses.alias("losses")]


def _exact(scored: pl.DataFrame, keys: Sequence[str], named: Sequence[str], metric: Metric) -> pl.DataFrame:
    """
    Return exact sums of the scores, and the sums of the squares of scores that are brought to [0, 1].

    Lines may count several rows, `n`.
    """
    times, count = None, pl.len().cast(pl.Int64).alias("n")
    if "n" in scored.columns:
        times, count = pl.col("n"), pl.col("n").sum()
        if int(scored["n"].sum()) > ROWS_OF_A_SUM:
            times = times.cast(pl.Int128)
    sums = [
        fixed_point.sum_of_units(pl.col(name) * pl.col(_FACTOR), EXACT_BITS, times).alias(f"sum_{system}")
        for system, name in enumerate(named)
    ]
    # Only needed where there are bounds; scores without any may wrap, unless they are in [0, 1].
    in_unit = [metric.in_unit(pl.col(name)) for name in named]
    squares = [
        fixed_point.sum_of_units(score * score, FINE_BITS, times).alias(f"square_{system}")
        for system, score in enumerate(in_unit)
    ]
    return canonical(scored.group_by(*keys, SCALE).agg(count, *sums, *squares))


def _with_scale(scored: pl.DataFrame, named: Sequence[str]) -> pl.DataFrame:
    """Add the scale of each row, and the factor that its scores are multiplied by."""
    scale = fixed_point.scale_of(pl.max_horizontal(pl.col(named).abs()))
    return scored.with_columns(scale).with_columns(fixed_point.factor(pl.col(SCALE)).alias(_FACTOR))


def _votes(rows: pl.DataFrame, keys: Sequence[str], named: Sequence[str], metric: Metric) -> pl.DataFrame:
    """Count for each pair of systems in how many rows the second is better or worse; see `_exact` for `n`."""
    if len(named) == _TWO:
        if "wins" not in rows.columns:
            count = pl.col("n") if "n" in rows.columns else pl.lit(1, pl.Int64)
            rows = rows.with_columns(side * count for side in _sides(named, metric)).with_columns(n=count)
        return _votes_of_two(rows, keys)
    return pair_votes.votes(rows, keys, named, better=bool(metric.higher_is_better))


def _votes_of_two(cells: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Add up the wins, ties and losses of cells of two systems."""
    sums = [pl.col("wins").sum(), pl.col("n").sum().alias("ties"), pl.col("losses").sum()]
    added = cells.group_by(keys).agg(sums) if keys else cells.select(sums)
    ties = pl.col("ties") - pl.col("wins") - pl.col("losses")
    return added.select(*keys, pl.lit(0, pl.UInt32).alias("pair"), "wins", ties, "losses")


def _slices_of_two(cells: pl.DataFrame, keys: Sequence[str], metric: Metric) -> pl.DataFrame:
    """Add up the scores of cells of two systems in a mean; their squares are not known."""
    unit = pl.lit(1 << (EXACT_BITS - bits(metric, _TWO)), pl.Int128)
    sums = [
        (pl.col(f"x_{system}").cast(pl.Int128).sum() * unit).alias(f"sum_{system}") for system in range(_TWO)
    ]
    return cells.group_by(*keys, SCALE).agg(pl.col("n").sum(), *sums)


def _added(parts: Sequence[pl.DataFrame], keys: Sequence[str]) -> pl.DataFrame:
    whole = pl.concat(parts, how="vertical_relaxed")
    sums = pl.exclude(keys).sum() if keys else pl.all().sum()
    return whole.group_by(keys, maintain_order=True).agg(sums) if keys else whole.select(sums)


def _ends(found: Sequence[tuple[float | None, float | None]]) -> tuple[float | None, float | None]:
    lows, highs = ([one for one in side if one is not None] for side in zip(*found, strict=True))
    return min(lows, default=None), max(highs, default=None)
