"""
Checks of the tables that the file of a summary holds, before anything is computed from it.

A file may be damaged, or made by somebody who wants other figures. What passes has the columns that its
settings ask for, and counts and sums that do not contradict each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame.metrics.errors import ERROR_TYPES
from anls_frame.summary import comparison_sums, details, fixed_point, transitions
from anls_frame.summary.catalogue import TEXT_METRICS
from anls_frame.summary.cell_sums import ALL
from anls_frame.summary.fixed_point import SCALE
from anls_frame.summary.keys import CLUSTER, key_names
from anls_frame.summary.measures import COUNTS
from anls_frame.summary.rows import ROW_SCORES
from anls_frame.summary.saved_header import add_up, check_counts, expect
from anls_frame.summary.system_rows import all_columns, scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from anls_frame.summary.measures import Metric
    from anls_frame.summary.predictions import Predictions
    from anls_frame.summary.settings import Settings

_TWO = 2
_ROWS_OF_ALL = "cells"
_ROUNDING = 1e-6
"""By how much two sums of the same scores may differ, relative to the largest score in every row."""
_FLOATS = ("score_min", "score_max", *ROW_SCORES[:3])
_TEXTS = (
    "prediction",
    "answers",
    "error_type",
    "op",
    "reference_char",
    "predicted_char",
    *transitions.PAIR,
)


# The frames


def check_frames(frames: Mapping[str, pl.DataFrame], header: Mapping[str, Any]) -> None:
    """Raise an error unless the frames have the columns of the settings, and sums that agree."""
    settings, rows = header["settings"], sum(header["parts"].values())
    are_several = len(header["systems"]) > 1
    expected = _columns_of_systems(settings, header["systems"]) if are_several else _columns_of_one(settings)
    expect(frames.keys() == expected.keys(), f"its tables must be {', '.join(expected)}")
    for kind, frame in frames.items():
        _check_columns(kind, frame, expected[kind], settings)
    _check_keys(frames, settings)
    if are_several:
        check_counts(header["sums"], settings, rows)
        for metric in settings.metrics:
            _check_sums_of_systems(frames, metric, header)
        others = [frame for kind, frame in frames.items() if kind.startswith("transitions ")]
        for frame in others:
            expect(_sum(frame, "n") <= rows, "the transitions are more than the rows")
    else:
        (predictions,) = header["predictions"].values()
        _check_sums_of_one(frames, settings, rows, predictions)


def _check_columns(kind: str, frame: pl.DataFrame, expected: Iterable[str], settings: Settings) -> None:
    """Raise an error unless a frame has these columns, with numbers where sums and counts are."""
    where = f"the table {kind!r}"
    expect({*frame.columns} == {*expected}, f"{where} must have the columns {', '.join(expected)}")
    keys = {*key_names(settings.by, settings.cluster)}
    for name, dtype in frame.schema.items():
        if name in keys or name.startswith(("slice_key_", "keep_", "own_")):
            continue
        if name in _TEXTS:
            expect(_is_of_texts(dtype), f"column {name!r} of {where} must hold texts, got {dtype}")
        elif name in _FLOATS or (kind == _ROWS_OF_ALL and name.startswith("score_")):
            expect(dtype == pl.Float64, f"column {name!r} of {where} must hold numbers, got {dtype}")
            expect(frame[name].is_not_nan().all(), f"column {name!r} of {where} must not hold NaN")
        elif kind != "worst":
            is_part = kind == _ROWS_OF_ALL and name.startswith(("x_", "y_"))
            expect(
                dtype == pl.Float64 if is_part else dtype.is_integer(),
                f"columns must hold integers: {name} ({dtype})",
            )
            may_be_null = is_part or name == "grid_threshold"
            expect(
                may_be_null or not frame[name].null_count(), f"column {name!r} of {where} must not be null"
            )
        if name in {"error_type", *transitions.PAIR}:
            expect(frame[name].is_in(ERROR_TYPES).all(), f"{where} has an unknown error type")


def _check_keys(frames: Mapping[str, pl.DataFrame], settings: Settings) -> None:
    """Raise an error unless all tables are about the same cells, each of which is there once."""
    keys = list(key_names(settings.by, None))
    for kind, frame in frames.items():
        own = [*keys, *([CLUSTER] if CLUSTER in frame.columns else [])]
        cells = frames.get(_ROWS_OF_ALL, frames.get(f"cells {kind.partition(' ')[2]}"))
        # Transitions also count rows that another system leaves out.
        is_apart = kind == "worst" or kind.startswith("transitions ")
        if cells is None or is_apart or not own or not {*own} <= {*frame.columns}:
            continue
        found, known = (_combinations(one, own) for one in (frame, cells))
        are_cells = kind.partition(" ")[0] == "cells"
        expect(
            found.is_in(known.implode()).all() and (not are_cells or len(found) == len(known)),
            f"the table {kind!r} is about other slices than the cells",
        )
        if kind == _ROWS_OF_ALL and "rows" in cells.columns:
            expect(len(found) == frame.height, "a cell is there twice")


def _combinations(frame: pl.DataFrame, keys: Sequence[str]) -> pl.Series:
    """Return a number for each combination of keys."""
    return frame.select(pl.struct(keys).hash()).to_series().unique()


def _is_of_texts(dtype: pl.DataType) -> bool:
    if isinstance(dtype, pl.List | pl.Array):
        return _is_of_texts(dtype.inner)  # type: ignore[arg-type] # of a schema: an instance
    return dtype in (pl.String, pl.Null) or isinstance(dtype, pl.Categorical | pl.Enum)


def _columns_of_one(settings: Settings) -> dict[str, list[str]]:
    """Return the columns of each frame of a summary of one system."""
    keys = list(key_names(settings.by, None))
    has_clusters = settings.cluster is not None
    units = [*keys, *([CLUSTER] if has_clusters else [])]
    groups: dict[str | None, tuple[Metric, ...]] = {ALL: TEXT_METRICS if settings.has_texts else ()}
    groups |= {metric.name: (metric,) for metric in settings.own}
    own = [f"own_{place}" for place, _ in enumerate(settings.own)]
    kept = [f"keep_{place}" for place, _ in enumerate(settings.keep)]
    texts = ["prediction", "answers", *ROW_SCORES] if settings.has_texts else []
    bins = [*keys, "grid_threshold", "n", "nls_units"] if settings.has_texts else []
    found = {
        _ROWS_OF_ALL if name is ALL else f"cells {name}": _columns_of_cells(units, metrics)
        for name, metrics in groups.items()
    }
    found["bins"] = bins
    found["worst"] = [*units, *texts, *own, *kept, "row_digest"]
    if settings.details:
        found["details errors"] = [*keys, "error_type", "n"]
        found["details confusions"] = [*keys, *details.KEYS["confusions"], "count"]
        found["details lengths"] = [*keys, "bits", *details.SUMS]
    return found


def _columns_of_cells(keys: Sequence[str], metrics: Sequence[Metric]) -> list[str]:
    columns = [*keys, *COUNTS, *(column for metric in metrics for column in metric.columns)]
    for metric in metrics:
        columns += [] if metric.is_built_in else ["score_min", "score_max"]
        columns += [SCALE, "score_square_rest"] if metric.has_scales else []
    return list(dict.fromkeys(columns))


def _columns_of_systems(settings: Settings, systems: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns of each frame of a summary of several systems."""
    keys = list(key_names(settings.by, None))
    numbers = range(len(systems))
    found: dict[str, list[str]] = {}
    if settings.cluster is None:
        every = [all_columns(place, one, len(systems)) for place, one in enumerate(settings.metrics)]
        found[_ROWS_OF_ALL] = [*keys, "n", *(name for names in every for name in names)]
    for metric in settings.metrics:
        if settings.cluster is not None:
            found[f"cells {metric.name}"] = [*keys, CLUSTER, *_sums_of_systems(metric, len(systems))]
        found[f"votes {metric.name}"] = [*keys, "pair", "wins", "ties", "losses"]
        sums = [f"{name}_{system}" for name in ("sum", "square") for system in numbers]
        found[f"slices {metric.name}"] = [*keys, SCALE, "n", *sums]
    if settings.details:
        found |= {f"transitions {name}": [*keys, *transitions.PAIR, "n"] for name in [*systems][1:]}
    return found


def _sums_of_systems(metric: Metric, systems: int) -> list[str]:
    sides = ["wins", "losses"] if systems == _TWO else []
    if metric.is_ratio:
        return ["n", *sides, *(f"{name}_{system}" for name in "xy" for system in range(systems))]
    changes = comparison_sums.CHANGES if sides else ()
    return [SCALE, "n", *sides, *(f"x_{system}" for system in range(systems)), *changes]


# Sums of one system


def _check_sums_of_one(
    frames: Mapping[str, pl.DataFrame], settings: Settings, rows: int, predictions: Predictions
) -> None:
    cells = frames[_ROWS_OF_ALL]
    found = _sum(cells, "rows")
    expect(found == rows, f"the rows do not add up: {rows:,} read, {found:,} in cells")
    expect(frames["worst"].height <= settings.worst, "the worst rows are more than were asked for")
    for kind, frame in frames.items():
        if "rows" in frame.columns:
            _check_counts(kind, frame)
    add_up("of missing predictions", predictions.n_missing, _sum(cells, "n_missing"))
    n = _sum(cells, "n")
    if settings.has_texts:
        _check_shares(cells)
        dropped = _sum(cells, "n_missing") if settings.missing == "drop" else 0
        add_up("of rows with and without a score", rows, n + _sum(cells, "n_unanswerable") + dropped)
    for name in ("n", "nls_units") if settings.has_texts else ():
        add_up(f"of {name!r} in bins", _sum(cells, name), _sum(frames["bins"], name))
    for metric in settings.own:
        add_up(f"of {metric.name!r}", rows, _sum(frames[f"cells {metric.name}"], "rows"))
        if metric.has_scales:
            _check_means(metric.name, frames[f"cells {metric.name}"])
    if settings.details:
        add_up("by length", n, _sum(frames["details lengths"], "n"))
        expect(_sum(frames["details errors"], "n") <= rows, "the error types are more than the rows")


def _check_counts(kind: str, cells: pl.DataFrame) -> None:
    """Raise an error unless the counts of each cell are possible."""
    parts = pl.col("n", "n_missing", "n_unanswerable", "n_empty_reference")
    within = [parts.is_between(0, pl.col("rows")), pl.col("n_empty_reference") <= pl.col("n")]
    expect(cells.select(pl.all_horizontal(within).all()).item(), f"counts of {kind!r} contradict each other")


def _check_shares(cells: pl.DataFrame) -> None:
    """Raise an error unless sums of scores from 0 to 1 are at most the number of rows."""
    n = pl.col("n").cast(pl.Int128)
    for metric in TEXT_METRICS:
        x, squares = (pl.col(metric.columns[place]).cast(pl.Int128) for place in (0, 2))
        if metric.is_ratio:
            continue
        one = pl.lit(1 << metric.bits, pl.Int128)
        wide = x.cast(pl.Float64) * 2.0 ** (metric.square_bits - metric.bits)
        right = [x >= 0, squares >= 0]
        if metric.bounds == (0, 1):
            right += [x <= n * one, squares.cast(pl.Float64) <= wide * (1 + _ROUNDING)]
        expect(
            cells.select(pl.all_horizontal(right).all()).item(),
            f"the sums of {metric.name!r} are not those of so many scores",
        )


def _check_means(name: str, cells: pl.DataFrame) -> None:
    """Raise an error unless each sum lies between as many times the lowest and the highest score."""
    for (scale,), of_scale in cells.partition_by(SCALE, as_dict=True).items():
        size = fixed_point.size(scale)
        n = pl.col("n").cast(pl.Float64)
        total = fixed_point.floats(pl.col("score_units"), fixed_point.SCALED_BITS)
        low, high = pl.col("score_min") / size, pl.col("score_max") / size
        largest = pl.max_horizontal(low.abs(), high.abs())
        margin = n * largest * _ROUNDING
        squares = fixed_point.floats(pl.col("score_square_units"), fixed_point.SCALED_BITS)
        right = pl.all_horizontal(
            low <= high,
            total.is_between(n * low - margin, n * high + margin),
            squares.is_between(0, n * largest * largest * (1 + _ROUNDING)),
        )
        empty = (pl.col("n") == 0) & (pl.col("score_units") == 0)
        are_right = of_scale.select((right.fill_null(value=False) | empty).all()).item()
        expect(are_right, f"the sums of {name!r} are not those of so many scores")


# Sums of several systems


def _check_sums_of_systems(
    frames: Mapping[str, pl.DataFrame], metric: Metric, header: Mapping[str, Any]
) -> None:
    settings: Settings = header["settings"]
    sums, name = header["sums"], metric.name
    systems, n = len(header["systems"]), sums["counts"][name]["n"]
    slices, votes = frames[f"slices {name}"], frames[f"votes {name}"]
    add_up(f"of {name!r} in slices", n, _sum(slices, "n"))
    _check_votes(votes, name, systems, n)
    place = settings.metrics.index(metric)
    if settings.cluster is None:
        cells = frames[_ROWS_OF_ALL]
        expect((cells["n"] >= 0).all(), "numbers of rows are negative")
        scored = cells.drop_nulls(scores(place, systems))
        totals = [float((scored[score] * scored["n"]).sum()) for score in scores(place, systems)]
    else:
        scored = frames[f"cells {name}"]
        _check_cells_of_systems(scored, votes, name)
        totals = (
            [] if metric.is_ratio else _totals(scored, "x", comparison_sums.bits(metric, systems), systems)
        )
    add_up(f"of {name!r} in cells", n, _sum(scored, "n"))
    _check_slices(name, scored, slices, votes, list(key_names(settings.by, None)))
    ends = [abs(end) for end in sums["ends"][name] if end is not None]
    exact = _totals(slices, "sum", comparison_sums.EXACT_BITS, systems)
    largest = max(ends, default=0.0) * n
    for total, other in zip(totals, exact, strict=False):
        expect(abs(total - other) <= largest * _ROUNDING, f"the sums of {name!r} in cells and slices differ")
    if not metric.is_ratio:
        expect(
            all(abs(total) <= largest * (1 + _ROUNDING) for total in exact),
            f"the sums of {name!r} are not those of so many scores",
        )


def _check_votes(votes: pl.DataFrame, name: str, systems: int, n: int) -> None:
    sides = ("wins", "ties", "losses")
    pairs = len(comparison_sums.pairs(systems))
    expect(all((votes[side] >= 0).all() for side in sides), f"votes of {name!r} are negative")
    added = votes.group_by("pair").agg(pl.sum_horizontal(pl.col(sides).cast(pl.Int128).sum()).alias("n"))
    numbers = added["pair"].to_list()
    expect(all(number < pairs for number in numbers), f"votes of {name!r} are of an unknown pair")
    for total in added["n"].to_list() if n or numbers else []:
        add_up(f"of {name!r} in votes", n, total)
    expect(not n or len(numbers) == pairs, f"votes of {name!r} lack a pair")


def _check_slices(
    name: str, cells: pl.DataFrame, slices: pl.DataFrame, votes: pl.DataFrame, keys: Sequence[str]
) -> None:
    """Raise an error unless each slice has as many rows everywhere."""
    if not keys:
        return
    slice_ = pl.struct(keys).hash().alias("slice")
    rows = pl.col("n").sum()
    known = cells.group_by(slice_).agg(rows).sort("slice")
    expect(
        slices.group_by(slice_).agg(rows).sort("slice").equals(known),
        f"cells and slices of {name!r} differ in the rows of a slice",
    )
    cast = pl.sum_horizontal("wins", "ties", "losses").cast(pl.Int64).alias("n")
    # Lists that are the same slice, such as an empty one and null, can have a line each.
    voted = votes.select(slice_, "pair", cast).group_by("slice", "pair").agg(rows)
    for of_pair in voted.partition_by("pair", include_key=False):
        expect(
            of_pair.sort("slice").equals(known), f"cells and votes of {name!r} differ in the rows of a slice"
        )


def _check_cells_of_systems(cells: pl.DataFrame, votes: pl.DataFrame, name: str) -> None:
    if "wins" not in cells.columns:
        expect((cells["n"] >= 0).all(), f"numbers of rows of {name!r} are negative")
        return
    sides = [pl.col(side).is_between(0, pl.col("n")) for side in ("wins", "losses")]
    right = [*sides, pl.col("wins") + pl.col("losses") <= pl.col("n")]
    expect(cells.select(pl.all_horizontal(right).all()).item(), f"counts of {name!r} contradict each other")
    for side in ("wins", "losses"):
        add_up(f"of {side} in {name!r}", _sum(votes, side), _sum(cells, side))


def _totals(frame: pl.DataFrame, sums: str, bits: int, systems: int) -> list[float]:
    """Return the sum of each system's scores, from sums of units in scales."""
    scales = fixed_point.scales(frame)
    columns = [f"{sums}_{system}" for system in range(systems)]
    # The sum of all cells may be too large for the integers of one.
    totals = frame.with_columns(pl.col(columns).cast(pl.Int128)).select(
        fixed_point.scaled_floats(name, scales, bits).alias(name) for name in columns
    )
    return list(totals.row(0))


# Numbers


def _sum(frame: pl.DataFrame, column: str) -> int:
    return int(frame[column].cast(pl.Int128).sum())
