"""The sums of a summary: cells, counts of predictions and other sums, which add up over parts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import polars as pl

from anls_frame.summary.cells import add_up, alike, in_groups
from anls_frame.summary.details import KEYS, PAIR
from anls_frame.summary.keys import CLUSTER, key_names
from anls_frame.summary.selection import worst_rows
from anls_frame.summary.settings import Settings

ALL = None
"""In place of a metric's name, the key of the cells that several metrics share."""

Frames: TypeAlias = Mapping[Any, pl.DataFrame]
"""Frames of a kind by the name of their metric, system or detail, or `ALL`."""

Kind: TypeAlias = Literal["report", "comparison"]
"""What is computed from a summary."""

GRID_STEP = "grid_threshold"

PREDICTION_COUNTS = ("n_missing", "n_invented", "n_placeholders", "n_other_case", "n_other_marks")

_KINDS = ("cells", "details", "votes", "squares", "transitions", "counts")


@dataclass(frozen=True, kw_only=True)
class Predictions:
    """
    The digest of a system's scored rows and counts of its predictions, which add up over parts.

    Parameters
    ----------
    digest
        Sum of the hashes of the scored rows, modulo 2**64.
    n_missing
        Number of missing predictions in rows with an answer; without texts, of missing scores.
    n_invented
        Number of predicted texts in rows without an answer.
    n_placeholders
        Number of predictions such as "N/A" that are scored as texts and are wrong.
    n_other_case, n_other_marks
        Of error rates, number of wrong predictions that have capitals or small letters that the nearest
        reference lacks, or lack those that it has; and the same of punctuation.
    n_empty_answers
        Number of rows without an answer that are scored against the empty text.
    """

    digest: int
    n_missing: int
    n_invented: int = 0
    n_placeholders: int = 0
    n_other_case: int = 0
    n_other_marks: int = 0
    n_empty_answers: int = 0

    def __add__(self, other: Predictions) -> Predictions:
        return Predictions(**{name: value + getattr(other, name) for name, value in vars(self).items()})


def hexadecimal(digest: int) -> str:
    """Return a digest as 16 hexadecimal digits."""
    return f"{digest % (1 << 64):016x}"


@dataclass(frozen=True, kw_only=True)
class CellSums:
    """
    Counts and sums of scored rows, of one system or of several.

    Parameters
    ----------
    cells
        Of one system, a row for each combination of `by` values (columns `key_0`, `key_1`, ...) and cluster,
        for the scores of texts and for each custom metric by name. Sums of scores of texts are integers, so
        that they do not depend on the order of the rows: `anls_units` and `nls_units` are in units of 2**-53,
        `cer_units` and the sums of squares in units of 2**-62. Sums of custom ratios, by name, are integers,
        too. The sums of custom scores are floats: `score_sum`, and `score_spread`, the sum of the squared
        deviations from the mean of the cell.

        Of several systems with clusters, a frame for each metric by name, with sums by keys and cluster: `n`,
        and `x_0`, `x_1`, ... of the systems, and for rates also `y_0`, .... Means of up to 12 systems also
        have two sums over rows for each system after the first: `lost_1`, ..., its losses against the first
        system, and `squares_1`, ..., its squared changes. Without clusters, a single frame with a line for
        each combination of keys and scores, and its number of rows `n`.
    bins
        Of one system, a row for each combination of `by` values and grid point, with the number of rows and
        the sum of `nls`, as in the cells. The grid point of a score is the strictest threshold k/200 that the
        score passes.
    worst_rows
        Of one system, the rows with the worst scores, up to the number in the settings; list keys are not
        exploded.
    details
        Of one system, the counts of `errors` (error types), `causes`, `confusions` and `lengths` by cell; see
        the methods of `Report` with these names.
    votes
        Of several systems, for each metric by keys and pair of systems: the numbers of rows in which the
        second system is better (`wins`), equal (`ties`) and worse (`losses`).
    squares
        Of several systems, for each mean by keys: the sums of the squared scores of the systems, rescaled to
        [0, 1] if the metric has bounds.
    transitions
        Of several systems, the counts of rows by the error types of the first system and of each other
        system, by the name of the latter.
    counts
        Of several systems, for each metric a single line with numbers of rows and the lowest and the highest
        score.
    """

    cells: Frames
    bins: pl.DataFrame = field(default_factory=pl.DataFrame)
    worst_rows: pl.DataFrame = field(default_factory=pl.DataFrame)
    details: Frames = field(default_factory=dict)
    votes: Frames = field(default_factory=dict)
    squares: Frames = field(default_factory=dict)
    transitions: Frames = field(default_factory=dict)
    counts: Frames = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of rows that were read."""
        return int(next(iter((self.counts or self.cells).values()))["rows"].sum())

    def frames(self) -> dict[str, pl.DataFrame]:
        """Return all frames by kind and, if a kind has several frames, by name."""
        named = {"bins": self.bins, "worst": self.worst_rows}
        for kind in _KINDS:
            frames: Frames = getattr(self, kind)
            named |= {kind if name is ALL else f"{kind} {name}": frame for name, frame in frames.items()}
        return {name: frame for name, frame in named.items() if frame.width}

    @classmethod
    def from_frames(cls, frames: Mapping[str, pl.DataFrame]) -> CellSums:
        """Return the sums with these frames."""
        kinds: dict[str, dict[Any, pl.DataFrame]] = {kind: {} for kind in _KINDS}
        for stored, frame in frames.items():
            kind, space, name = stored.partition(" ")
            if kind in kinds:
                kinds[kind][name if space else ALL] = frame
        none = pl.DataFrame()
        bins, worst = frames.get("bins", none), frames.get("worst", none)
        return cls(**kinds, bins=bins, worst_rows=worst)

    @classmethod
    def added(cls, parts: Sequence[CellSums], settings: Settings) -> CellSums:
        """Add up the sums of parts."""
        every = [part.frames() for part in parts]
        names = every[0]
        return cls.from_frames(
            {name: _added(name, [frames[name] for frames in every], settings) for name in names}
        )

    def folded(self, settings: Settings) -> CellSums:
        """Return the sums with groups in place of clusters."""
        keys = key_names(settings.by, settings.cluster)
        cells = {name: add_up([in_groups(own)], keys) for name, own in self.cells.items()}
        return dataclasses.replace(self, cells=cells)

    def sliced(self, cells: Frames) -> CellSums:
        """Return sums with other cells of some of these rows, and what can be computed from these cells."""
        return CellSums(cells=cells, counts=self.counts)


def _added(name: str, frames: Sequence[pl.DataFrame], settings: Settings) -> pl.DataFrame:
    """Add up the frames of parts that are stored under a name."""
    if name == "worst":
        return worst_rows(pl.concat(frames, how="vertical_relaxed").lazy(), settings).collect()
    return add_up(alike(frames), _keys(name, frames[0], settings))


def _keys(name: str, frame: pl.DataFrame, settings: Settings) -> Sequence[str]:
    """Return the columns that identify a row of a frame that is stored under a name."""
    kind, _, own = name.partition(" ")
    keys = key_names(settings.by, None)
    if kind == "cells":
        return keys_of_cells(frame, settings)
    others = {"bins": (GRID_STEP,), "details": KEYS.get(own, ()), "votes": ("pair",), "transitions": PAIR}
    return () if kind == "counts" else (*keys, *others.get(kind, ()))


def keys_of_cells(cells: pl.DataFrame, settings: Settings) -> Sequence[str]:
    """Return the columns that identify a cell; those of several systems without clusters have scores too."""
    if CLUSTER in cells.columns or "rows" in cells.columns:
        return key_names(settings.by, settings.cluster)
    return [column for column in cells.columns if column != "n"]
