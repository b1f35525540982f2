"""Counts and sums of rows with the scores of several systems, from which comparisons are computed."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import polars as pl
import polars.selectors as cs

from anls_frame.summary import own_metrics
from anls_frame.summary.buckets import Buckets, batches
from anls_frame.summary.cell_sums import CellSums, keys_of_cells
from anls_frame.summary.cells import grouped
from anls_frame.summary.details import PAIR
from anls_frame.summary.keys import canonical, key_names
from anls_frame.summary.measures import Metric
from anls_frame.summary.rows import is_missing, prediction_counts
from anls_frame.summary.system_rows import (
    SystemRows,
    all_metric_columns,
    each,
    marks,
    metric_columns,
    score_columns,
)

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
    return list(itertools.combinations(range(systems), 2))


def change_columns(system: int) -> tuple[str, str]:
    """
    Return the columns with the sums of a system's changes from the first system in the rows of a cell.

    These are the losses of rows and the squared changes, which searches for slices need besides the scores.
    """
    return f"lost_{system}", f"squares_{system}"


def collect(rows: SystemRows) -> CellSums:
    """Score the rows in one pass and add them up, in batches, so that there may be any number of them."""
    settings = rows.settings
    types = each("error_type", rows.systems) if settings.details else []
    needed = [*rows.keys, *marks(rows.systems), "length"]
    needed += [*each("digest", rows.systems), *rows.values, *types]
    size = max(1024, min(_ROWS_OF_A_BATCH, _VALUES_OF_A_BATCH // len(needed)))
    # Polars holds many rows at once, too many with the scores of many systems, which therefore come in
    # batches.
    later = rows.systems > _FEW_SYSTEMS
    buckets: dict[str, Buckets] = {}
    rest: CellSums | None = None
    for batch in batches(rows.inputs if later else rows.frame.select(needed), size):
        scored = rows.scored(batch.lazy()).select(needed).collect() if later else batch
        rows.check(scored)
        sums = _batch_sums(scored, rows, types)
        for name in [name for name in sums if name.startswith("cells")]:
            cells = sums.pop(name)
            buckets.setdefault(name, Buckets(keys_of_cells(cells, settings))).add(cells)
        part = CellSums(sums)
        rest = part if rest is None else CellSums.added([rest, part], settings)
    assert rest is not None  # noqa: S101 - there is always a batch
    return CellSums({**{name: buckets.pop(name).whole() for name in list(buckets)}, **rest.frames})


def _batch_sums(batch: pl.DataFrame, rows: SystemRows, types: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Return the sums over a batch of rows by name, with the error types of the systems in these columns."""
    settings = rows.settings
    has_clusters, keys = settings.cluster is not None, key_names(settings.by, None)
    sums = _transitions(batch, rows.names, types, keys)
    sums["predictions"] = pl.concat(
        batch.lazy().select(
            pl.lit(name).alias("system"),
            *prediction_counts(number),
            n_missing=is_missing(f"missing_{number}").sum().cast(pl.Int64),
        )
        for number, name in enumerate(rows.names)
    ).collect(engine="in-memory")
    absent = [is_missing(name) for name in each("missing", rows.systems)]
    dropped = pl.any_horizontal(absent).sum() if settings.missing == "drop" else pl.lit(0)
    whole = batch.select(rows=pl.len(), n_dropped=dropped)
    if not has_clusters:
        kept = batch.filter(pl.any_horizontal(pl.col(rows.values).is_not_null()))
        lines = kept.group_by(*keys, *rows.values, maintain_order=True)
        sums["cells"] = canonical(lines.agg(pl.len().cast(pl.Int64).alias("n")))
    for index, metric in enumerate(rows.metrics):
        own = all_metric_columns(index, metric, rows.systems)
        scored = batch.drop_nulls(own)
        # Columns of scores may have some in rows without an answer.
        without = batch.filter(~pl.col("answerable"), pl.any_horizontal(pl.col(own).is_null()))
        named, better = score_columns(index, rows.systems), bool(metric.higher_is_better)
        scored_counts = scored.select(
            n=pl.len(),
            n_empty_reference=(pl.col("length") == 0).sum(),
            **_ends_of(index, metric, rows.systems),
        )
        counts = whole.with_columns(n_unanswerable=without.height).hstack(scored_counts)
        sums[f"counts {metric.name}"] = counts.cast({cs.integer(): pl.Int64})
        if has_clusters:
            sums[f"cells {metric.name}"] = _cells(scored, rows.keys, index, metric, rows.systems)
        # Combinations of scores can be far fewer than rows.
        compared = scored if has_clusters else sums["cells"].drop_nulls(named)
        sums[f"votes {metric.name}"] = pair_votes(compared, keys, named, better=better)
        if not metric.is_ratio or metric.has_fractions:
            sums[f"squares {metric.name}"] = _squares(compared, keys, named, metric)
    return sums


def _transitions(
    batch: pl.DataFrame, systems: Sequence[str], types: Sequence[str], keys: Sequence[str]
) -> dict[str, pl.DataFrame]:
    """Count the compared rows by the error types of the first system and of each other one, by its name."""
    counts = {}
    for system, kind in zip(systems[1:], types[1:], strict=False):
        typed = batch.drop_nulls(types).select(*keys, **{PAIR[0]: types[0], PAIR[1]: kind})
        lines = typed.group_by(*keys, *PAIR, maintain_order=True)
        counts[f"transitions {system}"] = canonical(lines.agg(pl.len().cast(pl.Int64).alias("n")))
    return counts


def _ends_of(index: int, metric: Metric, systems: int) -> dict[str, pl.Expr]:
    """Return the lowest and the highest score of all systems, from which a metric gets missing bounds."""
    ends = [own_metrics.score_range(metric_columns(index, metric, system)) for system in range(systems)]
    lows, highs = zip(*ends, strict=True)
    return {"score_min": pl.min_horizontal(lows), "score_max": pl.max_horizontal(highs)}


def _cells(
    scored: pl.DataFrame, keys: Sequence[str], index: int, metric: Metric, systems: int
) -> pl.DataFrame:
    """Return the sums of a metric by cluster."""
    sums = [pl.len().cast(pl.Int64).alias("n")]
    for system in range(systems):
        score, *parts = metric_columns(index, metric, system)
        added = zip("xy", parts or [score], strict=False)
        sums += [pl.col(name).sum().alias(f"{which}_{system}") for which, name in added]
    if not metric.is_ratio and systems <= MOST_WITH_CHANGES:
        baseline, *others = (pl.col(name) for name in score_columns(index, systems))
        for system, other in enumerate(others, 1):
            loss = baseline - other if metric.higher_is_better else other - baseline
            lost, squares = change_columns(system)
            sums += [loss.clip(lower_bound=0).sum().alias(lost), (loss * loss).sum().alias(squares)]
    return canonical(scored.group_by(keys, maintain_order=True).agg(sums))


def _squares(rows: pl.DataFrame, keys: Sequence[str], named: Sequence[str], metric: Metric) -> pl.DataFrame:
    """Return the sums of squared scores, rescaled to [0, 1]; a line may represent `n` rows."""
    times = pl.col("n") if "n" in rows.columns else pl.lit(1)
    in_unit = [metric.in_unit(pl.col(name)) for name in named]
    sums = [(score * score * times).sum().alias(f"square_{system}") for system, score in enumerate(in_unit)]
    return canonical(grouped(rows, keys, sums, in_order=True))


def pair_votes(
    rows: pl.DataFrame, keys: Sequence[str], named: Sequence[str], *, better: bool
) -> pl.DataFrame:
    """
    Count the rows in which the second system of each pair is better or worse, with a line for slice and pair.

    A line of the input may represent `n` rows.
    """
    groups = rows.with_row_index("row").group_by(keys or pl.col("row").alias("all") * 0).agg("row")
    rows = rows[groups["row"].explode(empty_as_null=False)]
    sizes = groups["row"].list.len().to_numpy().astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    times = rows["n"].to_numpy() if "n" in rows.columns else np.ones(rows.height, np.int64)
    # Many lines are of one row.
    are_single = bool((times == 1).all())
    table = np.ascontiguousarray(rows.select(named).to_numpy().T)
    counts: list[list[np.ndarray]] = [[], []]
    for first in range(len(named) - 1):
        for into, compare in zip(counts, (np.greater, np.less), strict=True):
            holds = compare(table[first + 1 :], table[first])
            into.append(
                np.add.reduceat(holds if are_single else holds * times, starts, axis=1, dtype=np.int64)
            )
    higher, lower = (np.concatenate(parts) for parts in counts)
    wins, losses = (higher, lower) if better else (lower, higher)
    total = np.add.reduceat(times, starts)
    count = len(wins)
    counted = pl.DataFrame(
        {
            "pair": pl.Series(np.tile(np.arange(count), len(sizes)), dtype=pl.UInt32),
            "wins": wins.T.ravel(),
            "ties": (total - wins - losses).T.ravel(),
            "losses": losses.T.ravel(),
        }
    )
    if not keys:
        return counted
    return canonical(groups.select(keys))[np.repeat(np.arange(len(sizes)), count)].hstack(counted)
