"""Counts and sums of rows with the scores of several systems, from which comparisons are computed."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

import polars as pl

from anls_frame.summary import own_metrics, pair_votes
from anls_frame.summary.buckets import Buckets
from anls_frame.summary.cell_sums import ALL, CellSums, keys_of_cells
from anls_frame.summary.cells import add_up
from anls_frame.summary.keys import CLUSTER, canonical
from anls_frame.summary.predictions import Predictions, digest_of
from anls_frame.summary.rows import is_missing
from anls_frame.summary.system_rows import all_columns, columns, missing, noted, scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Settings
    from anls_frame.summary.system_rows import SystemRows

_VALUES_OF_A_BATCH = 1 << 22
"""Maximum number of values in a batch of rows ..."""

_ROWS_OF_A_BATCH = 1 << 20
"""... and of rows."""

_FEW_SYSTEMS = 8
"""Scores of more systems are computed batch by batch."""


_COUNTS = pl.Schema(
    {
        **dict.fromkeys(("rows", "n_dropped", "n_unanswerable", "n", "n_empty_reference"), pl.Int64),
        **dict.fromkeys(("score_min", "score_max"), pl.Float64),
    }
)


MOST_WITH_CHANGES = 12
"""For more systems, cells have no sums of changes, which would take twice the memory of the scores."""


def pairs(systems: int) -> list[tuple[int, int]]:
    """Return all pairs of systems in the order of their numbers in `votes`."""
    return [(first, second) for first in range(systems) for second in range(first + 1, systems)]


def changes(system: int) -> tuple[str, str]:
    """
    Return the columns with the sums of a system's changes from the first system in the rows of a cell.

    These are the losses of rows and the squared changes, which searches for slices need besides the scores.
    """
    return f"lost_{system}", f"squares_{system}"


def collect(rows: SystemRows, settings: Settings) -> tuple[CellSums, list[Predictions]]:
    """
    Score the rows in one pass and add them up, in batches, so that there may be any number of them.

    The result includes the `Predictions` of each system.
    """
    row_columns = [
        name for index, metric in enumerate(rows.metrics) for name in all_columns(index, metric, rows.systems)
    ]
    digests = [f"digest_{system}" for system in range(rows.systems)]
    prediction_columns = [*missing(rows.systems), *noted(rows.systems)]
    needed = (*rows.keys, *prediction_columns, "answerable", "length", *digests, *row_columns)
    size = max(1024, min(_ROWS_OF_A_BATCH, _VALUES_OF_A_BATCH // len(needed)))
    tally = _Tally(rows, settings)
    # Polars holds many rows at once, too many with the scores of many systems, which therefore come in
    # batches.
    later = rows.systems > _FEW_SYSTEMS
    source = rows.inputs if later else rows.frame.select(needed)
    # In order, so that the same rows give the same floats.
    for batch in source.collect_batches(chunk_size=size, maintain_order=True, engine="streaming"):
        tally.add(rows.scored(batch.lazy()).select(needed).collect() if later else batch)
    if tally.has_wrong:
        rows.raise_wrong()
    return tally.sums()


class _Tally:
    """Sums over the batches so far."""

    def __init__(self, rows: SystemRows, settings: Settings) -> None:
        self.rows = rows
        self.settings = settings
        self.keys = [key for key in rows.keys if key != CLUSTER]
        self.has_wrong = False
        self.rest: CellSums | None = None
        self.predictions = [Predictions(digest=0, n_missing=0)] * rows.systems
        self.buckets: dict[str | None, Buckets] = {}

    def add(self, batch: pl.DataFrame) -> None:
        if self.has_wrong or self._is_wrong(batch):
            self.has_wrong = True
            return
        part = self._batch_sums(batch)
        for name, cells in part.cells.items():
            if name not in self.buckets:
                keys = keys_of_cells(cells, self.settings)
                self.buckets[name] = Buckets(keys, functools.partial(add_up, keys=keys))
            self.buckets[name].add(cells)
        rest = dataclasses.replace(part, cells={})
        self.rest = rest if self.rest is None else CellSums.added([self.rest, rest], self.settings)
        added = _predictions(batch, self.rows.systems)
        self.predictions = [before + other for before, other in zip(self.predictions, added, strict=True)]

    def sums(self) -> tuple[CellSums, list[Predictions]]:
        if self.rest is None:
            self.add(self.rows.frame.head(0).collect())
        cells = {name: self.buckets.pop(name).whole() for name in list(self.buckets)}
        assert self.rest is not None  # noqa: S101 - for mypy
        sums = dataclasses.replace(self.rest, cells=cells)
        return self._with_votes_and_squares(sums) if ALL in cells else sums, self.predictions

    def _is_wrong(self, batch: pl.DataFrame) -> bool:
        wrong = self.rows.wrong()
        return bool(wrong) and batch.select(pl.any_horizontal(pl.Expr.any(flag) for flag in wrong)).item()

    def _batch_sums(self, batch: pl.DataFrame) -> CellSums:
        rows = self.rows
        votes, squares, counts = {}, {}, {}
        cells: dict[str | None, pl.DataFrame] = {}
        absent = [is_missing(name) for name in missing(rows.systems)]
        dropped = pl.any_horizontal(absent).sum() if self.settings.missing == "drop" else pl.lit(0)
        whole = batch.select(rows=pl.len(), n_dropped=dropped, n_unanswerable=(~pl.col("answerable")).sum())
        for index, metric in enumerate(rows.metrics):
            scored = batch.drop_nulls(all_columns(index, metric, rows.systems))
            named, better = scores(index, rows.systems), bool(metric.higher_is_better)
            scored_counts = scored.select(
                n=pl.len(),
                n_empty_reference=(pl.col("length") == 0).sum(),
                **_ends_of(index, metric, rows.systems),
            )
            counts[metric.name] = whole.hstack(scored_counts).cast(_COUNTS)
            if CLUSTER in rows.keys:
                cells[metric.name] = _cells(scored, rows.keys, index, metric, rows.systems)
                votes[metric.name] = pair_votes.votes(scored, self.keys, named, better=better)
                if not metric.is_ratio:
                    squares[metric.name] = _squares(scored, self.keys, named, metric)
        if CLUSTER not in rows.keys:
            # Votes and squares follow at the end, from the cells, because these can be far fewer than rows.
            values = [
                name
                for index, metric in enumerate(rows.metrics)
                for name in all_columns(index, metric, rows.systems)
            ]
            kept = batch.filter(pl.any_horizontal(pl.col(values).is_not_null()))
            grouped = kept.group_by(*self.keys, *values, maintain_order=True).agg(
                pl.len().cast(pl.Int64).alias("n")
            )
            cells[ALL] = canonical(grouped)
        return CellSums(cells=cells, votes=votes, squares=squares, counts=counts)

    def _with_votes_and_squares(self, sums: CellSums) -> CellSums:
        """Add the votes and squares, where the cells are combinations of scores."""
        rows, cells = self.rows, sums.cells[ALL]
        size = max(1, min(_ROWS_OF_A_BATCH, _VALUES_OF_A_BATCH // cells.width))
        votes, squares = {}, {}
        for index, metric in enumerate(rows.metrics):
            named = scores(index, rows.systems)
            parts = list(cells.drop_nulls(named).iter_slices(size)) or [cells.head(0)]
            better = bool(metric.higher_is_better)
            added = [pair_votes.votes(part, self.keys, named, better=better) for part in parts]
            votes[metric.name] = add_up(added, [*self.keys, "pair"])
            if not metric.is_ratio:
                added = [_squares(part, self.keys, named, metric) for part in parts]
                squares[metric.name] = add_up(added, self.keys)
        return dataclasses.replace(sums, votes=votes, squares=squares)


def _predictions(batch: pl.DataFrame, systems: int) -> list[Predictions]:
    """Return the digests of the rows of each system, and the counts of its predictions."""
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


def _ends_of(index: int, metric: Metric, systems: int) -> dict[str, pl.Expr]:
    """Return the lowest and the highest score of all systems, from which a metric gets missing bounds."""
    ends = []
    for system in range(systems):
        score, *parts = (pl.col(name) for name in columns(index, metric, system))
        ends.append(own_metrics.ends_of_rates(*parts) if parts else [score.min(), score.max()])
    lows, highs = zip(*ends, strict=True)
    return {"score_min": pl.min_horizontal(lows), "score_max": pl.max_horizontal(highs)}


def _cells(
    scored: pl.DataFrame, keys: Sequence[str], index: int, metric: Metric, systems: int
) -> pl.DataFrame:
    """Return the sums of a metric by cluster."""
    sums = [pl.len().cast(pl.Int64).alias("n")]
    for system in range(systems):
        score, *parts = columns(index, metric, system)
        added = zip("xy", parts or [score], strict=False)
        sums += [pl.col(name).sum().alias(f"{which}_{system}") for which, name in added]
    if not metric.is_ratio and systems <= MOST_WITH_CHANGES:
        baseline, *others = (pl.col(name) for name in scores(index, systems))
        for system, other in enumerate(others, 1):
            loss = baseline - other if metric.higher_is_better else other - baseline
            lost, squares = changes(system)
            sums += [loss.clip(lower_bound=0).sum().alias(lost), (loss * loss).sum().alias(squares)]
    return canonical(scored.group_by(keys, maintain_order=True).agg(sums))


def _squares(rows: pl.DataFrame, keys: Sequence[str], named: Sequence[str], metric: Metric) -> pl.DataFrame:
    """Return the sums of squared scores, rescaled to [0, 1]; a line may stand for `n` rows."""
    times = pl.col("n") if "n" in rows.columns else pl.lit(1)
    in_unit = [metric.in_unit(pl.col(name)) for name in named]
    sums = [(score * score * times).sum().alias(f"square_{system}") for system, score in enumerate(in_unit)]
    return canonical(rows.group_by(keys, maintain_order=True).agg(sums) if keys else rows.select(sums))
