"""The sums of a summary: cells, counts of predictions and other sums, which add up over parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import polars as pl

from anls_frame.summary.cells import ROUNDED, add_up, in_groups, rounded
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


class Predictions(NamedTuple):
    """The digest of a system's scored rows, and counts of its predictions; see `CellSums`."""

    digest: int
    n_missing: int
    n_invented: int
    n_placeholders: int
    n_other_case: int
    n_other_marks: int
    n_empty_answers: int


def hexadecimal(digest: int) -> str:
    """Return a digest as 16 hexadecimal digits."""
    return f"{digest % (1 << 64):016x}"


@dataclass(frozen=True)
class CellSums:
    """
    Counts and sums of scored rows, of one system or of several, as frames by name.

    A name is that of a kind or, if there are several frames of a kind, the kind, a space and the name of a
    metric, system or detail.

    Parameters
    ----------
    frames
        The frames of these kinds:

        - `cells`: of one system, a row for each combination of `by` values (columns `key_0`, `key_1`, ...)
          and cluster, for the scores of texts and for each custom metric. Sums of scores of texts are
          integers, so that they do not depend on the order of the rows: `anls_units` and `nls_units` are in
          units of 2**-53, `cer_units` and the sums of squares in units of 2**-62. Sums of custom ratios are
          integers, too. The sums of custom scores are floats: `score_sum`, and `score_spread`, the sum of the
          squared deviations from the mean of the cell.

          Of several systems with clusters, a frame for each metric, with sums by keys and cluster: `n`, and
          `x_0`, `x_1`, ... of the systems, and for rates also `y_0`, .... Means of up to 12 systems also have
          two sums over rows for each system after the first: `lost_1`, ..., its losses against the first
          system, and `squares_1`, ..., its squared changes. Without clusters, a single frame with a line for
          each combination of keys and scores, and its number of rows `n`.
        - `predictions`: for each `system`, the `digest` of its scored rows (the sum of their hashes, modulo
          2**64) and numbers of predictions: `n_missing` in rows with an answer (without texts, of missing
          scores), `n_invented` in rows without one, `n_placeholders` such as "N/A" that are scored as texts
          and are wrong; of error rates, `n_other_case` and `n_other_marks`, wrong ones with capitals or small
          letters that the nearest reference lacks, or without those that it has, and the same of punctuation;
          and `n_empty_answers`, of rows without an answer that are scored against the empty text.
        - `bins`: of one system, a row for each combination of `by` values and grid point, with the number of
          rows and the sum of `nls`, as in the cells. The grid point of a score is the strictest threshold
          k/200 that the score passes.
        - `worst`: of one system, the rows with the worst scores, up to the number in the settings; list keys
          are not exploded.
        - `details`: of one system, the counts of `errors` (error types), `causes`, `confusions` and `lengths`
          by cell; see the methods of `Report` with these names.
        - `votes`: of several systems, for each metric by keys and pair of systems: the numbers of rows in
          which the second system is better (`wins`), equal (`ties`) and worse (`losses`).
        - `squares`: of several systems, for each mean by keys: the sums of the squared scores of the systems,
          rescaled to [0, 1] if the metric has bounds.
        - `transitions`: of several systems, the counts of rows by the error types of the first system and of
          each other system, by the name of the latter.
        - `counts`: of several systems, for each metric a single line with numbers of rows and the lowest and
          the highest score.
    """

    frames: Mapping[str, pl.DataFrame]

    def of(self, kind: str) -> Frames:
        """Return the frames of a kind by the name of their metric, system or detail, or `ALL`."""
        every = [(*name.partition(" "), frame) for name, frame in self.frames.items()]
        return {own if space else ALL: frame for first, space, own, frame in every if first == kind}

    @property
    def cells(self) -> Frames:
        """The frames of cells."""
        return self.of("cells")

    @property
    def counted(self) -> Frames:
        """The frames that count rows: the counts of several systems, or the cells of one."""
        return self.of("counts") or self.cells

    @property
    def rows(self) -> int:
        """Number of rows that were read."""
        return int(next(iter(self.counted.values()))["rows"].sum())

    @classmethod
    def added(cls, parts: Sequence[CellSums], settings: Settings) -> CellSums:
        """Add up the sums of parts."""
        names = parts[0].frames
        return cls({name: _added(name, [part.frames[name] for part in parts], settings) for name in names})

    def folded(self, settings: Settings) -> CellSums:
        """Return the sums with groups in place of clusters."""
        keys = key_names(settings.by, settings.cluster)
        return CellSums({
            name: add_up([in_groups(frame)], keys) if name.startswith("cells") else frame
            for name, frame in self.frames.items()
        })  # fmt: skip


def _added(name: str, frames: Sequence[pl.DataFrame], settings: Settings) -> pl.DataFrame:
    """Add up the frames of parts that are stored under a name."""
    frames = _with_common_dtypes(frames, settings)
    if name == "worst":
        return worst_rows(pl.concat(frames, how="vertical_relaxed").lazy(), settings).collect()
    # Scores that are rounded in one part are rounded in all.
    parts = map(rounded, frames) if any(ROUNDED in frame.columns for frame in frames) else frames
    return add_up(parts, _keys(name, frames[0], settings))


def _with_common_dtypes(frames: Sequence[pl.DataFrame], settings: Settings) -> Sequence[pl.DataFrame]:
    """
    Return frames of parts, with the dtype that a column has in other parts where it has only nulls.

    Raise an error if the dtypes of values differ: as strings, 1 and "1" would be equal.
    """
    names = dict(zip(key_names(settings.by, None), settings.by, strict=True)) | {CLUSTER: settings.cluster}
    known: dict[str, pl.DataType] = {}
    nulls = [[column.name for column in part if column.null_count() == len(column)] for part in frames]
    for part, null in zip(frames, nulls, strict=True):
        for column, dtype in part.drop(null).schema.items():
            common = _common_dtype(known.get(column, dtype), dtype)
            if common is None:
                raise ValueError(
                    f"column {names.get(column, column)!r} has dtype {known[column]} in one part and "
                    f"{dtype} in another; cast it before summarizing"
                )
            known[column] = common
    # Without a value in any part, the dtype is that of the first one.
    return [
        part.with_columns(pl.lit(None, known.setdefault(name, part[name].dtype)).alias(name) for name in null)
        for part, null in zip(frames, nulls, strict=True)
    ]


def _common_dtype(first: pl.DataType, other: pl.DataType) -> pl.DataType | None:
    if other in (first, pl.Null):
        return first
    if first == pl.Null:
        return other
    if isinstance(first, pl.List) and isinstance(other, pl.List):
        inner = _common_dtype(first.inner, other.inner)  # type: ignore[arg-type] # of a schema: instances
        return None if inner is None else pl.List(inner)
    is_same_kind = first.is_signed_integer() == other.is_signed_integer()
    return first if first.is_integer() and other.is_integer() and is_same_kind else None


def _keys(name: str, frame: pl.DataFrame, settings: Settings) -> Sequence[str]:
    """Return the columns that identify a row of a frame that is stored under a name."""
    kind, _, own = name.partition(" ")
    keys = key_names(settings.by, None)
    if kind == "cells":
        return keys_of_cells(frame, settings)
    if kind in {"counts", "predictions"}:
        return ("system",) if kind == "predictions" else ()
    others = {"bins": (GRID_STEP,), "details": KEYS.get(own, ()), "votes": ("pair",), "transitions": PAIR}
    return (*keys, *others.get(kind, ()))


def keys_of_cells(cells: pl.DataFrame, settings: Settings) -> Sequence[str]:
    """Return the columns that identify a cell; those of several systems without clusters have scores too."""
    if CLUSTER in cells.columns or "rows" in cells.columns:
        return key_names(settings.by, settings.cluster)
    return [column for column in cells.columns if column != "n"]
