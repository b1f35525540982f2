"""
Checks of what the file of a summary holds, before anything is computed from it.

A file may be damaged, or made by somebody who wants other figures. What passes has the columns that its
settings ask for, and counts and sums that do not contradict each other.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame.metrics.errors import ERROR_TYPES
from anls_frame.summary import details, fixed_point, system_sums, transitions
from anls_frame.summary.catalogue import TEXT_METRICS
from anls_frame.summary.fixed_point import SCALE
from anls_frame.summary.keys import CLUSTER, key_names
from anls_frame.summary.measures import COUNTS
from anls_frame.summary.moments import SIZES
from anls_frame.summary.rows import ROW_SCORES
from anls_frame.summary.settings import Settings
from anls_frame.summary.system_rows import all_columns, scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from anls_frame.summary.measures import Metric

SYSTEMS = "systems"
"""What the header of a summary of several systems holds besides."""

_UINT64 = 1 << 64
_MOST_ROWS = 1 << 62
_LEAST_SYSTEMS = 2
_ROUNDING = 1e-6
"""By how much two sums of the same scores may differ, relative to the largest score in every row."""
_COUNTS_OF_SYSTEMS = ("rows", "n_dropped", "n_unanswerable", "n", "n_empty_reference")
_FLOATS = ("score_min", "score_max", *ROW_SCORES[:3])
_TEXTS = (
    "prediction",
    "answers",
    "error_type",
    "op",
    "reference_char",
    "predicted_char",
    *transitions.PAIR,
    "keys",
)


# The header


def checked_header(header: Mapping[str, Any], systems: Any) -> dict[str, Any]:
    """Return the header with its settings; `systems` is None for a summary of one system."""
    settings = Settings.from_dict(header["settings"])
    _expect(_are_counts(header["parts"]) and "" not in header["parts"], "'parts' must name numbers of rows")
    for name in ("scored_by", "forgotten_documents"):
        _expect(header[name] is None or isinstance(header[name], str), f"{name!r} must be a text or null")
    checked = {**header, "settings": settings}
    if systems is None:
        is_digest = isinstance(header["digest"], str) and re.fullmatch("[0-9a-f]{16}", header["digest"])
        _expect(is_digest, "'digest' must be 16 hexadecimal digits")
        return checked
    _check_systems(systems, settings, sum(header["parts"].values()))
    return {**checked, SYSTEMS: systems}


def checked_columns(columns: Any) -> dict[str, dict[str, str]]:
    """Return the columns of each kind of frame, each with its name in the file."""
    are_names = isinstance(columns, dict) and all(
        isinstance(of_kind, dict) and all(isinstance(name, str) for name in of_kind.values())
        for of_kind in columns.values()
    )
    _expect(are_names, "'columns' must name the columns of frames")
    return dict(columns)


def _check_systems(systems: Any, settings: Settings, rows: int) -> None:
    names = {metric.name for metric in settings.metrics}
    columns, counts, ends = systems["columns"], systems["counts"], systems["ends"]
    _expect(
        isinstance(columns, dict)
        and len(columns) >= _LEAST_SYSTEMS
        and all(isinstance(column, str) for column in columns.values()),
        "'columns' of systems must name two systems or more",
    )
    groups = systems["groups"]
    _expect(
        groups is None or (_is_count(groups) and settings.cluster is not None), "'groups' must be a count"
    )
    for name, most in (("missing", rows), ("digests", _UINT64 - 1)):
        values = systems[name]
        are_right = isinstance(values, list) and len(values) == len(columns)
        _expect(
            are_right and all(_is_count(value, most) for value in values),
            f"{name!r} must be one number of at most {most:,} for each system",
        )
    for values in (counts, ends):
        _expect(isinstance(values, dict) and values.keys() == names, "the metrics differ from the settings")
    for name in names:
        _check_counts_of_metric(name, counts[name], rows)
        low, high = ends[name]
        are_numbers = all(isinstance(end, int | float) and not math.isnan(end) for end in (low, high))
        _expect(
            (low is None and high is None) or (are_numbers and low <= high),
            f"the lowest and the highest score in {name!r} must be two numbers or null",
        )


def _check_counts_of_metric(name: str, counts: Any, rows: int) -> None:
    _expect(
        _are_counts(counts) and counts.keys() == {*_COUNTS_OF_SYSTEMS},
        f"the counts of {name!r} are incomplete",
    )
    _add_up(f"in the counts of {name!r}", rows, counts["rows"])
    _expect(max(counts.values()) <= rows, f"counts of {name!r} are larger than the number of rows")
    _expect(counts["n_empty_reference"] <= counts["n"], f"empty references of {name!r} are too many")


# The frames


def check_frames(frames: Mapping[str, pl.DataFrame], header: Mapping[str, Any]) -> None:
    """Raise an error unless the frames have the columns of the settings, and sums that agree."""
    settings, rows = header["settings"], sum(header["parts"].values())
    expected = _columns_of_systems(header) if SYSTEMS in header else _columns_of_one(settings, {*frames})
    _expect(frames.keys() == expected.keys(), f"its tables must be {', '.join(expected)}")
    for kind, frame in frames.items():
        _check_columns(kind, frame, expected[kind], settings)
    if SYSTEMS in header:
        for metric in settings.metrics:
            _check_sums_of_systems(frames, metric, header)
        others = [frame for kind, frame in frames.items() if kind.startswith("transitions ")]
        for frame in others:
            _expect(_sum(frame, "n") <= rows, "the transitions are more than the rows")
    else:
        _check_sums_of_one(frames, settings, rows)


def _check_columns(kind: str, frame: pl.DataFrame, expected: Iterable[str], settings: Settings) -> None:
    """Raise an error unless a frame has these columns, with numbers where sums and counts are."""
    where = f"the table {kind!r}"
    _expect({*frame.columns} == {*expected}, f"{where} must have the columns {', '.join(expected)}")
    keys = {*key_names(settings.by, settings.cluster)}
    for name, dtype in frame.schema.items():
        if name in keys or name.startswith(("slice_key_", "keep_", "own_")):
            continue
        if name in _TEXTS:
            _expect(_is_of_texts(dtype), f"column {name!r} of {where} must hold texts, got {dtype}")
        elif name in _FLOATS or (kind == "cells " and name.startswith("score_")):
            _expect(dtype == pl.Float64, f"column {name!r} of {where} must hold numbers, got {dtype}")
            _expect(frame[name].is_not_nan().all(), f"column {name!r} of {where} must not hold NaN")
        elif kind != "worst":
            is_part = kind == "cells " and name.startswith(("x_", "y_"))
            _expect(
                dtype == pl.Float64 if is_part else dtype.is_integer(),
                f"columns must hold integers: {name} ({dtype})",
            )
            may_be_null = is_part or name == "grid_threshold"
            _expect(
                may_be_null or not frame[name].null_count(), f"column {name!r} of {where} must not be null"
            )
        if name in {"error_type", *transitions.PAIR}:
            _expect(frame[name].is_in(ERROR_TYPES).all(), f"{where} has an unknown error type")


def _is_of_texts(dtype: pl.DataType) -> bool:
    if isinstance(dtype, pl.List | pl.Array):
        return _is_of_texts(dtype.inner)  # type: ignore[arg-type] # of a schema: an instance
    return dtype in (pl.String, pl.Null) or isinstance(dtype, pl.Categorical | pl.Enum)


def _columns_of_one(settings: Settings, kinds: set[str]) -> dict[str, list[str]]:
    """Return the columns of each frame of a summary of one system."""
    keys = list(key_names(settings.by, None))
    is_folded = any(kind.startswith("folded ") for kind in kinds)
    has_clusters = settings.cluster is not None
    units = [*keys, *([CLUSTER] if has_clusters and not is_folded else [])]
    _expect(has_clusters or not is_folded, "there are no clusters to be folded")
    groups: dict[str, tuple[Metric, ...]] = {"": TEXT_METRICS if settings.has_texts else ()}
    groups |= {metric.name: (metric,) for metric in settings.own}
    own = [f"own_{place}" for place, _ in enumerate(settings.own)]
    kept = [f"keep_{place}" for place, _ in enumerate(settings.keep)]
    texts = ["prediction", "answers", *ROW_SCORES] if settings.has_texts else []
    bins = [*keys, "grid_threshold", "n", "nls_units"] if settings.has_texts else []
    cells = {name: _columns_of_cells(units, metrics) for name, metrics in groups.items()}
    found = {
        "cell": cells.pop(""),
        "bin": bins,
        "worst": [*keys, *([CLUSTER] if has_clusters else []), *texts, *own, *kept, "row_digest"],
        **{f"own {name}": columns for name, columns in cells.items()},
    }
    if settings.details:
        found["errors"] = [*keys, "error_type", "n"]
        found["confusions"] = [*keys, *details.KEYS["confusions"], "count"]
        found["lengths"] = [*keys, "bits", *details.SUMS]
    if is_folded:
        found |= {f"folded {name}": _columns_of_folded(keys, metrics) for name, metrics in groups.items()}
    return found


def _columns_of_cells(keys: Sequence[str], metrics: Sequence[Metric]) -> list[str]:
    columns = [*keys, *COUNTS, *(column for metric in metrics for column in metric.columns)]
    for metric in metrics:
        columns += [] if metric.is_built_in else ["score_min", "score_max"]
        columns += [SCALE, "score_square_rest"] if metric.has_scales else []
    return list(dict.fromkeys(columns))


def _columns_of_folded(keys: Sequence[str], metrics: Sequence[Metric]) -> list[str]:
    moments = [moment for metric in metrics for moment in metric.moments()]
    scaled = [name for metric in metrics if metric.has_scales for name in (SCALE, metric.rest)]
    return ["keys", *COUNTS, "units", *SIZES, *moments, *scaled, *(f"slice_{key}" for key in keys)]


def _columns_of_systems(header: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the columns of each frame of a summary of several systems."""
    settings: Settings = header["settings"]
    systems = [*header[SYSTEMS]["columns"]]
    keys = list(key_names(settings.by, None))
    numbers = range(len(systems))
    found: dict[str, list[str]] = {}
    if settings.cluster is None:
        every = [all_columns(place, one, len(systems)) for place, one in enumerate(settings.metrics)]
        found["cells "] = [*keys, "n", *(name for names in every for name in names)]
    for metric in settings.metrics:
        if settings.cluster is not None:
            found[f"cells {metric.name}"] = [*keys, CLUSTER, *_sums_of_systems(metric, len(systems))]
        found[f"votes {metric.name}"] = [*keys, "pair", "wins", "ties", "losses"]
        sums = [f"{name}_{system}" for name in ("sum", "square") for system in numbers]
        found[f"slices {metric.name}"] = [*keys, SCALE, "n", *sums]
    if settings.details:
        found |= {f"transitions {name}": [*keys, *transitions.PAIR, "n"] for name in systems[1:]}
    return found


def _sums_of_systems(metric: Metric, systems: int) -> list[str]:
    sides = ["wins", "losses"] if systems == _LEAST_SYSTEMS else []
    if metric.is_ratio:
        return ["n", *sides, *(f"{name}_{system}" for name in "xy" for system in range(systems))]
    changes = system_sums.CHANGES if sides else ()
    return [SCALE, "n", *sides, *(f"x_{system}" for system in range(systems)), *changes]


# Sums of one system


def _check_sums_of_one(frames: Mapping[str, pl.DataFrame], settings: Settings, rows: int) -> None:
    cells = frames["cell"]
    found = _sum(cells, "rows")
    _expect(found == rows, f"the rows do not add up: {rows:,} read, {found:,} in cells")
    _expect(frames["worst"].height <= settings.worst, "the worst rows are more than were asked for")
    for kind, frame in frames.items():
        if "rows" in frame.columns:
            _check_counts(kind, frame)
    n = _sum(cells, "n")
    if settings.has_texts:
        _check_shares(cells)
        dropped = _sum(cells, "n_missing") if settings.missing == "drop" else 0
        _add_up("of rows with and without a score", rows, n + _sum(cells, "n_unanswerable") + dropped)
    for name in ("n", "nls_units") if settings.has_texts else ():
        _add_up(f"of {name!r} in bins", _sum(cells, name), _sum(frames["bin"], name))
    for metric in settings.own:
        _add_up(f"of {metric.name!r}", rows, _sum(frames[f"own {metric.name}"], "rows"))
        if metric.has_scales:
            _check_means(metric.name, frames[f"own {metric.name}"])
    if settings.details:
        _add_up("by length", n, _sum(frames["lengths"], "n"))
        _expect(_sum(frames["errors"], "n") <= rows, "the error types are more than the rows")
    folded = {
        kind.removeprefix("folded "): frame for kind, frame in frames.items() if kind.startswith("folded ")
    }
    for name, frame in folded.items():
        unfolded, whole = frames[f"own {name}"] if name else cells, frame.filter(pl.col("keys") == "")
        for count in COUNTS:
            _add_up(f"of {count!r} in folded clusters", _sum(unfolded, count), _sum(whole, count))


def _check_counts(kind: str, cells: pl.DataFrame) -> None:
    """Raise an error unless the counts of each cell are possible."""
    parts = pl.col("n", "n_missing", "n_unanswerable", "n_empty_reference")
    within = [parts.is_between(0, pl.col("rows")), pl.col("n_empty_reference") <= pl.col("n")]
    _expect(cells.select(pl.all_horizontal(within).all()).item(), f"counts of {kind!r} contradict each other")


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
        _expect(
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
        _expect(are_right, f"the sums of {name!r} are not those of so many scores")


# Sums of several systems


def _check_sums_of_systems(
    frames: Mapping[str, pl.DataFrame], metric: Metric, header: Mapping[str, Any]
) -> None:
    settings: Settings = header["settings"]
    found, name = header[SYSTEMS], metric.name
    systems, n = len(found["columns"]), found["counts"][name]["n"]
    slices, votes = frames[f"slices {name}"], frames[f"votes {name}"]
    _add_up(f"of {name!r} in slices", n, _sum(slices, "n"))
    _check_votes(votes, name, systems, n)
    place = settings.metrics.index(metric)
    if settings.cluster is None:
        cells = frames["cells "]
        _expect((cells["n"] >= 0).all(), "numbers of rows are negative")
        scored = cells.drop_nulls(scores(place, systems))
        totals = [float((scored[score] * scored["n"]).sum()) for score in scores(place, systems)]
    else:
        scored = frames[f"cells {name}"]
        _check_cells_of_systems(scored, votes, name)
        totals = [] if metric.is_ratio else _totals(scored, "x", system_sums.bits(metric, systems), systems)
    _add_up(f"of {name!r} in cells", n, _sum(scored, "n"))
    ends = [abs(end) for end in found["ends"][name] if end is not None]
    exact = _totals(slices, "sum", system_sums.EXACT_BITS, systems)
    largest = max(ends, default=0.0) * n
    for total, other in zip(totals, exact, strict=False):
        _expect(abs(total - other) <= largest * _ROUNDING, f"the sums of {name!r} in cells and slices differ")
    if not metric.is_ratio:
        _expect(
            all(abs(total) <= largest * (1 + _ROUNDING) for total in exact),
            f"the sums of {name!r} are not those of so many scores",
        )


def _check_votes(votes: pl.DataFrame, name: str, systems: int, n: int) -> None:
    sides = ("wins", "ties", "losses")
    pairs = len(system_sums.pairs(systems))
    _expect(all((votes[side] >= 0).all() for side in sides), f"votes of {name!r} are negative")
    added = votes.group_by("pair").agg(pl.sum_horizontal(pl.col(sides).cast(pl.Int128).sum()).alias("n"))
    numbers = added["pair"].to_list()
    _expect(all(number < pairs for number in numbers), f"votes of {name!r} are of an unknown pair")
    for total in added["n"].to_list() if n or numbers else []:
        _add_up(f"of {name!r} in votes", n, total)
    _expect(not n or len(numbers) == pairs, f"votes of {name!r} lack a pair")


def _check_cells_of_systems(cells: pl.DataFrame, votes: pl.DataFrame, name: str) -> None:
    if "wins" not in cells.columns:
        _expect((cells["n"] >= 0).all(), f"numbers of rows of {name!r} are negative")
        return
    sides = [pl.col(side).is_between(0, pl.col("n")) for side in ("wins", "losses")]
    right = [*sides, pl.col("wins") + pl.col("losses") <= pl.col("n")]
    _expect(cells.select(pl.all_horizontal(right).all()).item(), f"counts of {name!r} contradict each other")
    for side in ("wins", "losses"):
        _add_up(f"of {side} in {name!r}", _sum(votes, side), _sum(cells, side))


def _totals(frame: pl.DataFrame, sums: str, bits: int, systems: int) -> list[float]:
    """Return the sum of each system's scores, from sums of units in scales."""
    scales = fixed_point.scales(frame)
    columns = [f"{sums}_{system}" for system in range(systems)]
    totals = frame.select(fixed_point.scaled_floats(name, scales, bits).alias(name) for name in columns)
    return list(totals.row(0))


# Numbers


def _sum(frame: pl.DataFrame, column: str) -> int:
    return int(frame[column].cast(pl.Int128).sum())


def _is_count(value: Any, most: int = _MOST_ROWS) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _are_counts(values: Any) -> bool:
    return isinstance(values, dict) and bool(values) and all(map(_is_count, values.values()))


def _add_up(what: str, expected: int, found: int) -> None:
    _expect(expected == found, f"the numbers {what} do not add up: {expected:,} and {found:,}")


def _expect(condition: Any, message: str) -> None:
    """Raise an error unless the condition holds."""
    if not condition:
        raise ValueError(message)
