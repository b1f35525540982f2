"""Test all slices together: one-sided step-down max-T on joint sign flips of documents."""

from __future__ import annotations

import dataclasses
import heapq
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

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

_CACHED = 1 << 15
"""Number of cells of tables of units and slices that are tested together."""
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
    others: SingleArray
    largest: SingleArray
    kept: list[tuple[float, int, SingleArray]] = field(default_factory=list)
    """A heap of statistics, numbers of slices, and statistics under random signs."""

    @classmethod
    def of(cls, units: int, draws: int, seed: int) -> _Draws:
        return cls(signs(units, draws, seed), *np.full((2, draws), -np.inf, np.float32))

    def add(self, observed: FloatArray, numbers: IntArray, statistics: SingleArray) -> None:
        """Add slices, one column of draws for each; the promising ones must be last."""
        first = int(np.count_nonzero(observed < WORTH))
        others = statistics[:, :first].max(axis=1, initial=-np.inf)
        np.maximum(self.others, others, out=self.others)
        for one in (others, statistics[:, first:].max(axis=1, initial=-np.inf)):
            np.maximum(self.largest, one, out=self.largest)
        for place in range(first, len(observed)):
            entry = (float(observed[place]), -int(numbers[place]), statistics[:, place].copy())
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
    waiting = [_Waiting(one, drawn, least.units) for one in residuals]
    names: list[tuple[int, tuple[int, ...], IntArray]] = []
    starts = [0]
    for places, codes, kept in _candidates(columns, height, depth, least, counts):
        for metric, pending in enumerate(waiting):
            # In parts that fit into memory.
            step = max(1, _CELLS // max(pending.residuals.count, 1))
            for start in range(0, len(kept), step):
                part = kept[start : start + step]
                pending.add(codes, part, starts[-1])
                names.append((metric, places, part))
                starts.append(starts[-1] + len(part))
    statistics = np.full(starts[-1], np.nan)
    for pending in waiting:
        pending.flush()
        for numbers, found in pending.tested:
            statistics[numbers] = found
    p_values = drawn.p_values(statistics)
    tests = int(np.count_nonzero(~np.isnan(statistics)))
    best = np.lexsort((np.arange(len(statistics)), -statistics))[: min(tests, _MOST)]
    blocks = np.searchsorted(starts, best, side="right") - 1
    found_slices = []
    for place, block in zip(best.tolist(), blocks.tolist(), strict=True):
        metric, places, part = names[block]
        conditions = _conditions(columns, places, int(part[place - starts[block]]))
        found_slices.append(Found(metric, conditions, float(statistics[place]), float(p_values[place])))
    slices = sum(int(np.count_nonzero(~np.isnan(found))) for _, found in waiting[0].tested) if waiting else 0
    return Searched(found_slices, slices, tests, drawn.critical(alpha) if tests else float("inf"))


@dataclass
class _Waiting:
    """Slices in one metric that wait until there are enough of them to be tested, and to be drawn."""

    residuals: Residuals
    drawn: _Draws
    least_units: int
    tested: list[tuple[IntArray, FloatArray]] = field(default_factory=list)
    """Numbers of slices, and their statistics."""
    _sums: list[tuple[IntArray, FloatArray, FloatArray]] = field(default_factory=list)
    _tables: list[tuple[Any, ...]] = field(default_factory=list)

    @cached_property
    def whole(self) -> SingleArray:
        """The sums of all rows under random signs."""
        return self.drawn.signs @ self.residuals.unit_values.astype(np.float32)

    def add(self, codes: Codes, kept: IntArray, number: int) -> None:
        """Add the slices with these codes, which have consecutive numbers."""
        place = np.full(codes.size, len(kept), np.intp)
        place[kept] = np.arange(len(kept))
        numbers = np.arange(number, number + len(kept))
        self._sums.append((numbers, *self.residuals.sums(place[codes.codes], len(kept), codes.rows)))
        if sum(values.size for _, values, _ in self._sums) >= _CACHED:
            self._test()

    def flush(self) -> None:
        """Test and draw all that wait."""
        self._test()
        self._draw()

    def _test(self) -> None:
        if self._sums:
            numbers, values, sizes = (np.concatenate(one, axis=-1) for one in zip(*self._sums, strict=True))
            self._sums.clear()
            self.add_tested(numbers, values, self.residuals.tested(values, sizes, self.least_units))

    def add_tested(self, numbers: IntArray, values: FloatArray, tested: Tested) -> None:
        """Add slices whose residuals by unit are the columns of a table."""
        self.tested.append((numbers, tested.value))
        is_testable = ~np.isnan(tested.value)
        table: tuple[Any, ...] = (tested.value, numbers, tested.own, tested.all_rows, values)
        if not is_testable.all():
            table = tuple(one[..., is_testable] for one in table)
        self._tables.append(table)
        if sum(len(one) for one, *_ in self._tables) >= _WIDE:
            self._draw()

    def _draw(self) -> None:
        if not self._tables:
            return
        observed, numbers, own, all_rows, values = (
            np.concatenate(one, axis=-1) for one in zip(*self._tables, strict=True)
        )
        self._tables.clear()
        order = np.argsort(observed >= WORTH, kind="stable")
        # The other way around, threads of OpenBLAS wait for each other five times as long as they multiply
        # where another process has one of their cores.
        statistics = self.drawn.signs @ values.astype(np.float32)[:, order]
        statistics *= own[order].astype(np.float32)
        statistics -= self.whole[:, None] * all_rows[order].astype(np.float32)
        self.drawn.add(observed[order], numbers[order], statistics)


def _candidates(
    columns: Sequence[Codes], height: int, depth: int, least: Least, rows: FloatArray | None
) -> Iterator[tuple[tuple[int, ...], Codes, IntArray]]:
    """Yield combinations of columns with the codes whose slices, and rests, have enough rows."""
    for places, codes in combinations(columns, depth):
        counts = counted(codes, rows)
        kept = np.flatnonzero((counts >= least.rows) & (height - counts >= least.rows))
        if len(kept):
            yield places, codes, kept


def _conditions(columns: Sequence[Codes], places: tuple[int, ...], code: int) -> Slice:
    conditions = []
    for place in reversed(places):
        code, own = divmod(code, columns[place].size)
        conditions.append((place, own))
    return tuple(reversed(conditions))


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
    drawn = _Draws.of(residuals[0].count, draws, seed)
    statistics = np.full(len(found), np.nan)
    for metric, one in enumerate(residuals):
        of_metric = [place for place, slice_ in enumerate(found) if slice_.metric == metric]
        counts = [one.rows_in(masks[place]) for place in of_metric]
        most = one.rows_in() - least.rows
        of_metric = [place for place, n in zip(of_metric, counts, strict=True) if least.rows <= n <= most]
        if not of_metric:
            continue
        tested, values, _ = one.of_masks([masks[place] for place in of_metric], least.units)
        tested = dataclasses.replace(tested, value=np.minimum(tested.value, np.array(limits)[of_metric]))
        pending = _Waiting(one, drawn, least.units)
        pending.add_tested(np.array(of_metric), values, tested)
        pending.flush()
        statistics[of_metric] = tested.value
    return drawn.p_values(statistics)
