"""Counts and sums of rows with the scores of several systems, from which comparisons are computed."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame.summary import own_metrics, pair_votes, transitions
from anls_frame.summary.buckets import Buckets
from anls_frame.summary.cell_sums import ALL, CellSums, frames_of_kind, stored
from anls_frame.summary.cells import add_up
from anls_frame.summary.cluster_groups import in_groups
from anls_frame.summary.keys import CLUSTER, canonical, key_names
from anls_frame.summary.predictions import Predictions, digest_of
from anls_frame.summary.rows import is_missing
from anls_frame.summary.system_rows import all_columns, columns, missing, noted, scores

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from anls_frame.summary.cell_sums import Cells
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Settings
    from anls_frame.summary.system_rows import SystemRows

_VALUES_OF_A_BATCH = 1 << 22
"""Maximum number of values in a batch of rows ..."""

_ROWS_OF_A_BATCH = 1 << 20
"""... and of rows."""

_FEW_SYSTEMS = 8
"""Scores of more systems are computed batch by batch."""


@dataclass(frozen=True, kw_only=True)
class ComparisonSums(CellSums):
    """
    Counts and sums of rows with the scores of several systems, which add up over parts.

    Parameters
    ----------
    cells
        With clusters, a frame for each metric by name, with sums by keys and cluster: `n`, and `x_0`, `x_1`,
        ... of the systems, and for rates also `y_0`, .... Means of up to 12 systems also have two sums over
        rows for each system after the first: `lost_1`, ..., its losses against the first system, and
        `squares_1`, ..., its squared changes. Without clusters, a single frame with a line for each
        combination of keys and scores, and its number of rows `n`.
    votes
        For each metric, by keys and pair of systems: the numbers of rows in which the second system is better
        (`wins`), equal (`ties`) and worse (`losses`).
    squares
        For each mean, by keys: the sums of the squared scores of the systems, rescaled to [0, 1] if the
        metric has bounds.
    transitions
        With details, the counts of rows by the error types of the first system and of each other system, by
        the name of the latter.
    counts
        For each metric, a single line with numbers of rows and the lowest and the highest score.
    """

    kind = "comparison"

    cells: Cells
    votes: Mapping[str, pl.DataFrame]
    squares: Mapping[str, pl.DataFrame]
    counts: Mapping[str, pl.DataFrame]
    transitions: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of rows that were read."""
        return int(next(iter(self.counts.values()))["rows"].item())

    def frames(self) -> dict[str, pl.DataFrame]:
        """Return all frames, each by its kind and name."""
        return {name: frame for kind in _KINDS for name, frame in stored(kind, getattr(self, kind)).items()}

    @classmethod
    def from_frames(cls, frames: Mapping[str, pl.DataFrame]) -> ComparisonSums:
        """Return the sums with these frames."""
        return cls(**{kind: frames_of_kind(kind, frames) for kind in _KINDS})

    @classmethod
    def added(cls, parts: Sequence[ComparisonSums], settings: Settings) -> ComparisonSums:
        """Add up the sums of parts."""
        keys = key_names(settings.by, None)
        return cls(
            cells={name: _added_cells(own, keys, name) for name, own in _by_name(parts, "cells")},
            votes={name: add_up(own, [*keys, "pair"]) for name, own in _by_name(parts, "votes")},
            squares={name: add_up(own, keys) for name, own in _by_name(parts, "squares")},
            transitions={name: transitions.added(own, keys) for name, own in _by_name(parts, "transitions")},
            counts={name: add_up(own, []) for name, own in _by_name(parts, "counts")},
        )

    def folded(self, settings: Settings) -> ComparisonSums:
        """Return the sums with groups in place of clusters; the votes and squares stay."""
        keys = key_names(settings.by, None)
        cells = {name: _added_cells([in_groups(own)], keys, name) for name, own in self.cells.items()}
        return dataclasses.replace(self, cells=cells)

    def sliced(self, cells: Cells) -> ComparisonSums:
        """Return sums with other cells, without the frames that cannot be computed from them."""
        return dataclasses.replace(self, cells=cells, votes={}, squares={}, transitions={})

    def groups(self, settings: Settings) -> Iterator[tuple[str | None, pl.DataFrame, tuple[Metric, ...]]]:
        """Return the cells of each metric; without clusters, the cells of all metrics together."""
        ends = {name: counts.select("score_min", "score_max").row(0) for name, counts in self.counts.items()}
        metrics = [metric.within(*ends[metric.name]) for metric in settings.metrics]
        if settings.cluster is None:
            yield ALL, self.cells[ALL], tuple(metrics)
        else:
            for metric in metrics:
                yield metric.name, self.cells[metric.name], (metric,)


_KINDS = ("cells", "votes", "squares", "transitions", "counts")
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


def collect(rows: SystemRows, settings: Settings) -> tuple[ComparisonSums, list[Predictions]]:
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


def _by_name(parts: Sequence[ComparisonSums], kind: str) -> Iterator[tuple[Any, list[pl.DataFrame]]]:
    """Yield the name of each frame of a kind, with those of all parts."""
    for name in getattr(parts[0], kind):
        yield name, [getattr(part, kind)[name] for part in parts]


def _added_cells(parts: Sequence[pl.DataFrame], keys: Sequence[str], name: str | None) -> pl.DataFrame:
    """Add up the cells of a metric, or of all."""
    return add_up(parts, _keys_of_cells(parts[0], keys, name))


def _keys_of_cells(cells: pl.DataFrame, keys: Sequence[str], name: str | None) -> list[str]:
    """Return the columns that identify a cell; cells of all metrics together have scores as keys."""
    return [column for column in cells.columns if column != "n"] if name is ALL else [*keys, CLUSTER]


class _Tally:
    """Sums over the batches so far."""

    def __init__(self, rows: SystemRows, settings: Settings) -> None:
        self.rows = rows
        self.settings = settings
        self.keys = [key for key in rows.keys if key != CLUSTER]
        self.has_wrong = False
        self.rest: ComparisonSums | None = None
        self.predictions = [Predictions(digest=0, n_missing=0)] * rows.systems
        self.buckets: dict[str | None, Buckets] = {}

    def add(self, batch: pl.DataFrame) -> None:
        if self.has_wrong or self._is_wrong(batch):
            self.has_wrong = True
            return
        part = self._batch_sums(batch)
        for name, cells in part.cells.items():
            if name not in self.buckets:
                keys = _keys_of_cells(cells, self.keys, name)
                self.buckets[name] = Buckets(keys, functools.partial(_added_cells, keys=self.keys, name=name))
            self.buckets[name].add(cells)
        rest = dataclasses.replace(part, cells={})
        self.rest = rest if self.rest is None else ComparisonSums.added([self.rest, rest], self.settings)
        added = _predictions(batch, self.rows.systems)
        self.predictions = [before + other for before, other in zip(self.predictions, added, strict=True)]

    def sums(self) -> tuple[ComparisonSums, list[Predictions]]:
        if self.rest is None:
            self.add(self.rows.frame.head(0).collect())
        cells = {name: self.buckets.pop(name).whole() for name in list(self.buckets)}
        assert self.rest is not None  # noqa: S101 - for mypy
        sums = dataclasses.replace(self.rest, cells=cells)
        return self._with_votes_and_squares(sums) if ALL in cells else sums, self.predictions

    def _is_wrong(self, batch: pl.DataFrame) -> bool:
        wrong = self.rows.wrong()
        return bool(wrong) and batch.select(pl.any_horizontal(pl.Expr.any(flag) for flag in wrong)).item()

    def _batch_sums(self, batch: pl.DataFrame) -> ComparisonSums:
        rows = self.rows
        votes, squares, counts = {}, {}, {}
        cells: dict[str | None, pl.DataFrame] = {}
        absent = [is_missing(name) for name in missing(rows.systems)]
        drops = rows.missing == "drop"
        dropped = pl.any_horizontal(absent).sum() if drops else pl.lit(0)
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
        return ComparisonSums(cells=cells, votes=votes, squares=squares, counts=counts)

    def _with_votes_and_squares(self, sums: ComparisonSums) -> ComparisonSums:
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
