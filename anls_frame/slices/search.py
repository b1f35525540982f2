"""Test all slices together: one-sided step-down max-T on joint sign flips of documents."""

from __future__ import annotations

import dataclasses
import heapq
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anls_frame.slices.tables import combinations, counted, tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from anls_frame.slices.columns import Codes
    from anls_frame.slices.statistic import Residuals, Tested

    FloatArray = npt.NDArray[np.float64]
    SingleArray = npt.NDArray[np.float32]
    IntArray = npt.NDArray[np.intp]

Slice = tuple[tuple[int, int], ...]
"""The conditions of a slice: place of the column and code, by ascending place."""

_WIDE = 256
"""Number of slices whose sums are drawn together."""
_CELLS = 1 << 22
"""Maximum number of cells of a table of units and slices."""
WORTH = 1.5
"""Slices with a smaller statistic cannot be significant at usual levels; they are adjusted in one step."""
_MOST = 4096
"""Maximum number of slices that are adjusted step by step, those with the largest statistics."""
_TIE = 1e-5
"""Statistics of draws are computed in single precision."""


@dataclass(frozen=True)
class Least:
    """How large a slice, and the rest, must be to be tested."""

    rows: int
    units: int


@dataclass(frozen=True)
class Found:
    """A slice in one metric, with its statistic."""

    metric: int
    conditions: Slice
    value: float
    p_adjusted: float = float("nan")


@dataclass(frozen=True)
class Searched:
    """
    What a search has found.

    Parameters
    ----------
    found
        The slices with the largest statistics, largest first.
    slices, tests
        Number of slices that were tested, and of tests: a slice is tested in each metric.
    critical
        The smallest statistic that is significant.
    """

    found: list[Found]
    slices: int
    tests: int
    critical: float


@dataclass
class _Draws:
    """Statistics under random signs: those of the most promising slices, and the largest of all others."""

    signs: SingleArray
    largest: SingleArray
    kept: list[tuple[float, int, SingleArray]] = field(default_factory=list)
    """A heap of statistics, numbers of slices, and statistics under random signs."""
    others: SingleArray = field(init=False)

    def __post_init__(self) -> None:
        self.others = self.largest.copy()

    @classmethod
    def of(cls, units: int, draws: int, seed: int) -> _Draws:
        return cls(signs(units, draws, seed), np.full(draws, -np.inf, np.float32))

    def add(self, observed: FloatArray, number: int, statistics: SingleArray) -> None:
        """Add slices with consecutive numbers, one row of draws for each."""
        np.maximum(self.largest, statistics.max(axis=0), out=self.largest)
        is_worth = observed >= WORTH
        if not is_worth.all():
            np.maximum(self.others, statistics[~is_worth].max(axis=0), out=self.others)
        for place in np.flatnonzero(is_worth):
            entry = (float(observed[place]), -(number + int(place)), statistics[place].copy())
            if len(self.kept) < _MOST:
                heapq.heappush(self.kept, entry)
            else:
                *_, dropped = heapq.heappushpop(self.kept, entry)
                np.maximum(self.others, dropped, out=self.others)

    def p_values(self, observed: FloatArray) -> FloatArray:
        """Return adjusted p-values of all slices, by their numbers."""
        draws = len(self.largest)
        ordered = np.sort(self.largest)
        reached = draws - np.searchsorted(ordered, observed - _TIE, side="left")
        adjusted = (1 + reached) / (1 + draws)
        running = self.others.copy()
        steps = []
        for value, number, statistics in sorted(self.kept, key=lambda one: one[:2]):
            np.maximum(running, statistics, out=running)
            steps.append((-number, (1 + np.count_nonzero(running >= value - _TIE)) / (1 + draws)))
        least = 0.0
        for number, p in reversed(steps):
            least = adjusted[number] = max(p, least)
        return np.where(np.isnan(observed), np.nan, adjusted)

    def critical(self, alpha: float) -> float:
        """Return the smallest statistic whose single-step p-value is at most alpha."""
        draws = len(self.largest)
        most = int(alpha * (1 + draws) + 1e-9) - 1
        if most < 0:
            return float("inf")
        return float(np.sort(self.largest)[draws - 1 - most]) + 2 * _TIE


def signs(units: int, draws: int, seed: int) -> SingleArray:
    """Return random signs, one row for each draw."""
    width = -(-units // 8)
    drawn = np.frombuffer(np.random.default_rng(seed).bytes(draws * width), np.uint8)
    bits = np.unpackbits(drawn.reshape(draws, width), axis=1, count=units)
    return bits.astype(np.float32) * 2 - 1


def search(
    columns: Sequence[Codes],
    residuals: Sequence[Residuals],
    *,
    height: int,
    depth: int,
    least: Least,
    draws: int,
    seed: int,
    alpha: float,
    counts: FloatArray | None = None,
) -> Searched:
    """
    Test each combination of values of up to `depth` columns in each metric, and adjust for all tests.

    There are `height` rows; `counts` has how many of them each line stands for, if not one.
    """
    drawn = _Draws.of(residuals[0].count if residuals else 0, draws, seed)
    waiting = [_Waiting(one, drawn) for one in residuals]
    observed: list[FloatArray] = []
    names: list[tuple[int, tuple[int, ...], IntArray]] = []
    number = slices = 0
    for places, codes, kept in _candidates(columns, height, depth, least, counts):
        for metric, (one, pending) in enumerate(zip(residuals, waiting, strict=True)):
            for part, values, tested in _tested(one, codes, kept, least):
                is_testable = ~np.isnan(tested.value)
                pending.add(values[:, is_testable], tested, is_testable, number)
                found = tested.value[is_testable]
                observed.append(found)
                names.append((metric, places, part[is_testable]))
                number += len(found)
                slices += len(found) if metric == 0 else 0
    for pending in waiting:
        pending.flush()
    statistics = np.concatenate(observed) if observed else np.zeros(0)
    p_values = drawn.p_values(statistics)
    best = np.lexsort((np.arange(number), -statistics))[:_MOST]
    starts = np.cumsum([0, *(len(one) for one in observed)])
    found_slices = []
    for place in best:
        block = int(np.searchsorted(starts, place, side="right")) - 1
        metric, places, part = names[block]
        conditions = _conditions(columns, places, int(part[place - starts[block]]))
        found_slices.append(Found(metric, conditions, float(statistics[place]), float(p_values[place])))
    return Searched(found_slices, slices, number, drawn.critical(alpha) if number else float("inf"))


@dataclass
class _Waiting:
    """Sums by unit of slices in one metric that wait until there are enough of them for a product."""

    residuals: Residuals
    drawn: _Draws
    tables: list[FloatArray] = field(default_factory=list)
    numbers: list[tuple[int, FloatArray, FloatArray, FloatArray]] = field(default_factory=list)

    @cached_property
    def whole(self) -> SingleArray:
        """The sums of all rows under random signs."""
        return self.drawn.signs @ self.residuals.unit_values.astype(np.float32)

    def add(self, values: FloatArray, tested: Tested, chosen: npt.NDArray[np.bool_], number: int) -> None:
        if not values.shape[1]:
            return
        self.tables.append(values)
        parts = (tested.value[chosen], tested.own[chosen], tested.all_rows[chosen])
        self.numbers.append((number, *parts))
        if sum(table.shape[1] for table in self.tables) >= _WIDE:
            self.flush()

    def flush(self) -> None:
        if not self.tables:
            return
        signs, whole = self.drawn.signs, self.whole
        table = np.concatenate(self.tables, axis=1, dtype=np.float32, casting="same_kind")
        # The other way around, threads of OpenBLAS wait for each other five times as long as they multiply
        # where another process has one of their cores.
        sums = np.ascontiguousarray((signs @ table).T)
        start = 0
        for number, observed, own, all_rows in self.numbers:
            end = start + len(observed)
            part = sums[start:end]
            part *= own.astype(np.float32)[:, None]
            part -= all_rows.astype(np.float32)[:, None] * whole
            self.drawn.add(observed, number, part)
            start = end
        self.tables.clear()
        self.numbers.clear()


def _candidates(
    columns: Sequence[Codes], height: int, depth: int, least: Least, rows: FloatArray | None
) -> Iterator[tuple[tuple[int, ...], Codes, IntArray]]:
    """Yield combinations of columns with the codes whose slices, and rests, have enough rows."""
    for places, codes in combinations(columns, depth):
        counts = counted(codes, rows)
        kept = np.flatnonzero((counts >= least.rows) & (height - counts >= least.rows))
        if len(kept):
            yield places, codes, kept


def _tested(
    residuals: Residuals, codes: Codes, kept: IntArray, least: Least
) -> Iterator[tuple[IntArray, FloatArray, Tested]]:
    """Yield the tested codes in parts that fit into memory, with the sums of residuals by unit."""
    step = max(1, _CELLS // max(residuals.count, 1))
    for start in range(0, len(kept), step):
        part = kept[start : start + step]
        place = np.full(codes.size, len(part), np.intp)
        place[part] = np.arange(len(part))
        values, sizes = residuals.sums(place[codes.codes], len(part), codes.rows)
        yield part, values, residuals.tested(values, sizes, least.units)


def _conditions(columns: Sequence[Codes], places: tuple[int, ...], code: int) -> Slice:
    codes = np.unravel_index(code, [columns[place].size for place in places])
    return tuple((place, int(one)) for place, one in zip(places, codes, strict=True))


def mask(columns: Sequence[Codes], conditions: Slice, height: int) -> npt.NDArray[np.bool_]:
    """Return the rows of a slice."""
    chosen = np.ones(height, bool)
    for place, code in conditions:
        chosen &= columns[place].mask(code, height)
    return chosen


def screened(
    columns: Sequence[Codes],
    residuals: Sequence[Residuals],
    *,
    height: int,
    depth: int,
    least: Least,
    most: int,
    counts: FloatArray | None = None,
) -> tuple[list[Found], int]:
    """
    Return the most promising slices by a statistic that takes rows for independent, and how many there are.

    It takes one pass over the rows for each combination of columns, whatever the number of documents.
    """
    weights: list[FloatArray] = []
    for one in residuals:
        weights += [one.values, one.row_squares, one.sizes]
    heap: list[tuple[float, int, Found]] = []
    looked = seen = 0
    for table in tables(columns, depth, weights, counts):
        kept = (table.counts >= least.rows) & (height - table.counts >= least.rows)
        looked += int(np.count_nonzero(kept))
        for metric, one in enumerate(residuals):
            values, squares, sizes = table.sums[3 * metric : 3 * metric + 3]
            total = float(one.unit_sizes.sum())
            with np.errstate(divide="ignore", invalid="ignore"):
                own, rest = 1 / sizes, 1 / (total - sizes)
                shown = squares * own**2 + (one.variance * total - squares) * rest**2
                error = np.sqrt(np.maximum(shown, one.variance * (own + rest)))
                statistic = np.where(kept & (error > 0), values * (own + rest) / error, -np.inf)
            limit = heap[0][0] if len(heap) >= most else WORTH
            for code in np.flatnonzero(statistic > limit):
                found = Found(metric, _conditions(columns, table.columns, int(code)), float(statistic[code]))
                entry = (found.value, -seen, found)
                seen += 1
                if len(heap) < most:
                    heapq.heappush(heap, entry)
                else:
                    heapq.heappushpop(heap, entry)
    return [one for *_, one in sorted(heap, key=lambda entry: entry[:2], reverse=True)], looked


def adjusted(
    found: Sequence[Found],
    residuals: Sequence[Residuals],
    masks: Sequence[npt.NDArray[np.bool_]],
    limits: Sequence[float],
    *,
    least: Least,
    draws: int,
    seed: int,
) -> FloatArray:
    """
    Return p-values of slices with these rows, adjusted for all of them; nan for those too small.

    The statistic of a slice is at most its limit.
    """
    p_values = np.full(len(found), np.nan)
    drawn = _Draws.of(residuals[0].count, draws, seed)
    observed: list[FloatArray] = []
    places: list[int] = []
    for metric, one in enumerate(residuals):
        of_metric = [place for place, slice_ in enumerate(found) if slice_.metric == metric]
        counts = [one.rows_in(masks[place]) for place in of_metric]
        most = one.rows_in() - least.rows
        of_metric = [place for place, n in zip(of_metric, counts, strict=True) if least.rows <= n <= most]
        if not of_metric:
            continue
        tested, values, _ = one.of_masks([masks[place] for place in of_metric], least.units)
        is_testable = ~np.isnan(tested.value)
        pending = _Waiting(one, drawn)
        tested = dataclasses.replace(tested, value=np.minimum(tested.value, np.array(limits)[of_metric]))
        pending.add(values[:, is_testable], tested, is_testable, len(places))
        pending.flush()
        kept = np.array(of_metric)[is_testable]
        observed.append(tested.value[is_testable])
        places += kept.tolist()
    if places:
        p_values[places] = drawn.p_values(np.concatenate(observed))
    return p_values
