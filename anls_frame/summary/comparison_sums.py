"""Counts and sums of rows with the scores of several systems, from which comparisons are computed."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence

import polars as pl
import polars.selectors as cs

from anls_frame.summary import own_metrics, pair_votes
from anls_frame.summary.buckets import Buckets
from anls_frame.summary.cell_sums import ALL, CellSums, keys_of_cells
from anls_frame.summary.cells import add_up
from anls_frame.summary.keys import canonical, key_names
from anls_frame.summary.measures import Metric
from anls_frame.summary.predictions import Predictions, digest_of
from anls_frame.summary.rows import is_missing
from anls_frame.summary.settings import Settings
from anls_frame.summary.system_rows import SystemRows, all_columns, columns, missing, noted, scores

_VALUES_OF_A_BATCH = 1 << 22
"""Maximum number of values in a batch of rows ..."""

_ROWS_OF_A_BATCH = 1 << 20
"""... and of rows."""

_FEW_SYSTEMS = 8
"""Scores of more systems are computed batch by batch."""


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
    wrong, has_wrong = rows.wrong(), False
    buckets: dict[str | None, Buckets] = {}
    rest = CellSums(cells={})
    predictions = [Predictions(digest=0, n_missing=0)] * rows.systems
    for batch in _batches(rows):
        has_wrong |= bool(wrong) and batch.select(pl.any_horizontal(flag.any() for flag in wrong)).item()
        if has_wrong:
            continue
        part = _batch_sums(batch, rows, settings)
        for name, cells in part.cells.items():
            keys = keys_of_cells(cells, settings)
            buckets.setdefault(name, Buckets(keys, functools.partial(add_up, keys=keys))).add(cells)
        part = dataclasses.replace(part, cells={})
        rest = CellSums.added([rest, part], settings) if rest.counts else part
        added = _predictions(batch, rows.systems)
        predictions = [before + other for before, other in zip(predictions, added, strict=True)]
    if has_wrong:
        rows.raise_wrong()
    whole = {name: buckets.pop(name).whole() for name in list(buckets)}
    return dataclasses.replace(rest, cells=whole), predictions


def _batches(rows: SystemRows) -> Iterator[pl.DataFrame]:
    """Yield the scored rows in batches, in order, so that the same rows give the same floats."""
    systems = rows.systems
    digests = [f"digest_{system}" for system in range(systems)]
    needed = (*rows.keys, *missing(systems), *noted(systems), "answerable", "length", *digests, *rows.values)
    size = max(1024, min(_ROWS_OF_A_BATCH, _VALUES_OF_A_BATCH // len(needed)))
    # Polars holds many rows at once, too many with the scores of many systems, which therefore come in
    # batches.
    later = systems > _FEW_SYSTEMS
    source = rows.inputs if later else rows.frame.select(needed)
    is_empty = True
    for batch in source.collect_batches(chunk_size=size, maintain_order=True, engine="streaming"):
        is_empty = False
        yield rows.scored(batch.lazy()).select(needed).collect() if later else batch
    if is_empty:
        yield rows.frame.select(needed).head(0).collect()


def _batch_sums(batch: pl.DataFrame, rows: SystemRows, settings: Settings) -> CellSums:
    """Return the sums over a batch of rows."""
    has_clusters, keys = settings.cluster is not None, key_names(settings.by, None)
    votes, squares, counts = {}, {}, {}
    cells: dict[str | None, pl.DataFrame] = {}
    absent = [is_missing(name) for name in missing(rows.systems)]
    dropped = pl.any_horizontal(absent).sum() if settings.missing == "drop" else pl.lit(0)
    whole = batch.select(rows=pl.len(), n_dropped=dropped, n_unanswerable=(~pl.col("answerable")).sum())
    if not has_clusters:
        kept = batch.filter(pl.any_horizontal(pl.col(rows.values).is_not_null()))
        lines = kept.group_by(*keys, *rows.values, maintain_order=True)
        cells[ALL] = canonical(lines.agg(pl.len().cast(pl.Int64).alias("n")))
    for index, metric in enumerate(rows.metrics):
        scored = batch.drop_nulls(all_columns(index, metric, rows.systems))
        named, better = scores(index, rows.systems), bool(metric.higher_is_better)
        scored_counts = scored.select(
            n=pl.len(),
            n_empty_reference=(pl.col("length") == 0).sum(),
            **_ends_of(index, metric, rows.systems),
        )
        counts[metric.name] = whole.hstack(scored_counts).cast({cs.integer(): pl.Int64})
        if has_clusters:
            cells[metric.name] = _cells(scored, rows.keys, index, metric, rows.systems)
        # Combinations of scores can be far fewer than rows.
        compared = scored if has_clusters else cells[ALL].drop_nulls(named)
        votes[metric.name] = pair_votes.votes(compared, keys, named, better=better)
        if not metric.is_ratio:
            squares[metric.name] = _squares(compared, keys, named, metric)
    return CellSums(cells=cells, votes=votes, squares=squares, counts=counts)


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
