"""Test all slices together: the largest statistic is compared with those of documents dealt anew."""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from anls_frame.slices.columns import Codes
from anls_frame.slices.statistic import Sizes, Tables, added, limits
from anls_frame.slices.tables import combinations, shapes, tables
from anls_frame.statistics.dealing import deals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

    from anls_frame.slices.statistic import Losses, Null

    FloatArray = npt.NDArray[np.float64]
    SingleArray = npt.NDArray[np.float32]
    IntArray = npt.NDArray[np.intp]
    Mask = npt.NDArray[np.bool_]

Slice = tuple[tuple[int, int], ...]
"""The conditions of a slice: place of the column and code, by ascending place."""

_CELLS = 1 << 20
"""Maximum number of cells of a table of documents and slices."""
_DEALT = 1 << 24
"""Maximum number of losses that are dealt at a time."""
WORTH = 1.5
"""Slices with a smaller statistic are not worth to be kept where many are screened."""
_MOST = 4096
"""Maximum number of slices to return, those with the largest statistics."""
_TIE = 1e-5
"""Losses that are dealt are in single precision, and so are limits of statistics."""


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


@dataclass(frozen=True)
class Block:
    """
    Slices that are tested together.

    Parameters
    ----------
    codes
        The slice of each row, or of each of its entries; one after the last if it is not tested.
    names
        A number for each slice, the same in all metrics.
    statistic
        Their statistics.
    sizes
        How large they are.
    """

    codes: Codes
    names: IntArray
    statistic: FloatArray
    sizes: Sizes


def search(
    columns: Sequence[Codes],
    losses: Sequence[Losses],
    *,
    depth: int,
    least: Least,
    draws: int,
    seed: int,
    alpha: float,
) -> Searched:
    """Test each combination of values of up to `depth` columns in each metric, and adjust for all tests."""
    largest = np.zeros(draws)
    names, metrics, statistics = [], [], []
    for metric, one in enumerate(losses):
        of_rows = [column.taken(one.line) for column in columns]
        tested = list(blocks(of_rows, one, depth, least))
        if tested:
            np.maximum(largest, np.concatenate([*largest_by_draw(one, tested, draws, seed)]), out=largest)
        for block in tested:
            names.append(block.names)
            metrics.append(np.full(len(block.names), metric))
            statistics.append(block.statistic)
    if not names:
        return Searched([], 0, 0, float("inf"))
    name, metric_of, statistic = (np.concatenate(one) for one in (names, metrics, statistics))
    of_columns = _Names(columns, depth)
    best = np.lexsort((name, metric_of, -statistic))[:_MOST]
    p_values = p_adjusted(statistic[best], largest)
    found = [
        Found(int(metric_of[place]), of_columns.conditions(int(name[place])), float(statistic[place]), p)
        for place, p in zip(best.tolist(), p_values.tolist(), strict=True)
    ]
    return Searched(found, len(np.unique(name)), len(name), _critical(largest, alpha))


def adjusted(
    found: Sequence[Found],
    losses: Sequence[Losses],
    masks: Sequence[Mask],
    most: Sequence[float],
    *,
    least: Least,
    draws: int,
    seed: int,
) -> FloatArray:
    """
    Return p-values of slices with these lines, adjusted for all of them; nan for those too small.

    The statistic of a slice is at most the number in `most`.
    """
    largest, statistics = np.zeros(draws), np.full(len(found), np.nan)
    for metric, one in enumerate(losses):
        of_metric = np.array(
            [place for place, slice_ in enumerate(found) if slice_.metric == metric], np.intp
        )
        if not len(of_metric):
            continue
        members = np.stack([masks[place][one.line] for place in of_metric], axis=1)
        row, code = np.nonzero(members)
        null = one.null(one.values[:, None])
        block = _block(Codes(code, len(of_metric), row), of_metric, one, null, least)
        np.maximum(largest, np.concatenate([*largest_by_draw(one, [block], draws, seed)]), out=largest)
        statistics[block.names] = np.minimum(block.statistic, np.asarray(most)[block.names])
    return np.where(np.isnan(statistics), np.nan, p_adjusted(statistics, largest))


def p_adjusted(statistics: FloatArray, largest: FloatArray) -> FloatArray:
    """Return the share of draws, and what is observed, whose largest statistic is as large."""
    reached = len(largest) - np.searchsorted(np.sort(largest), statistics - _TIE, side="left")
    return np.asarray((1 + reached) / (1 + len(largest)))


def _critical(largest: FloatArray, alpha: float) -> float:
    """Return the smallest statistic whose p-value is at most alpha."""
    draws = len(largest)
    most = int(alpha * (1 + draws) + 1e-9) - 1
    if most < 0:
        return float("inf")
    return float(np.sort(largest)[draws - 1 - most]) + 2 * _TIE


def largest_by_draw(
    losses: Losses, blocks: Sequence[Block], draws: int, seed: int, at_once: int = 256
) -> Iterator[FloatArray]:
    """Yield the largest statistic of all slices for some draws at a time, 0 where none is larger."""
    values = losses.values.astype(np.float32)
    dealt = deals(losses.unit, draws, seed)
    step = max(1, min(draws, _DEALT // max(losses.rows, 1), at_once))
    for start in range(0, draws, step):
        rows = itertools.islice(dealt, min(step, draws - start))
        drawn = np.ascontiguousarray(np.array([values[chosen] for chosen in rows]).T)
        yield _largest(Drawn(losses, drawn, losses.null(drawn)), blocks)


@dataclass(frozen=True)
class Drawn:
    """Losses that were dealt, one column for each draw, with what they have in common."""

    losses: Losses
    values: SingleArray
    null: Null

    def limits(self, block: Block) -> FloatArray:
        """Return upper limits of the statistics of slices (lines), rounding included."""
        of_slices = _indicators(block.codes, self.losses.rows).T
        sums = (of_slices @ self.values)[: len(block.names)]
        return limits(sums, self.null, block.sizes, self.losses.mean) * (1 + _TIE) + _TIE

    def statistics(self, block: Block, place: int, draws: IntArray) -> FloatArray:
        """Return the statistics of a slice in the chosen draws."""
        losses, codes = self.losses, block.codes
        rows = np.flatnonzero(codes.codes == place)
        rows = rows if codes.rows is None else codes.rows[rows]
        unit = losses.unit[rows]
        starts = np.flatnonzero(np.diff(unit, prepend=-1))
        values = np.zeros((losses.units, len(draws)))
        values[unit[starts]] = np.add.reduceat(
            self.values[rows[:, None], draws], starts, axis=0, dtype=np.float64
        )
        sizes = added(unit, losses.sizes[rows], losses.units)[:, None]
        tables = Tables(values, sizes, losses.unit_sizes, block.sizes.chosen(np.array([place])))
        return tables.tested(self.null.chosen(draws), losses.mean).value


def _largest(drawn: Drawn, blocks: Iterable[Block]) -> FloatArray:
    """Return the largest statistic of all slices in each draw, or 0 if none is larger."""
    largest = np.zeros(drawn.values.shape[1])
    for block in blocks:
        limit = drawn.limits(block)
        # The statistic itself, which takes the documents, is needed only where it may be the largest.
        hopeful = np.flatnonzero((limit > largest).any(axis=1))
        for place in hopeful[np.argsort(-limit[hopeful].max(axis=1))].tolist():
            draws = np.flatnonzero(limit[place] > largest)
            if len(draws):
                largest[draws] = np.maximum(largest[draws], drawn.statistics(block, place, draws))
    return largest


def _indicators(codes: Codes, rows: int) -> csr_array:
    """Return which rows (lines of the matrix) are in which slices."""
    if codes.rows is None:
        ends = np.arange(rows + 1)
    else:
        ends = np.searchsorted(codes.rows, np.arange(rows + 1), side="left")
    ones = np.ones(len(codes.codes), np.float32)
    return csr_array((ones, codes.codes, ends), shape=(rows, codes.size))


def blocks(columns: Sequence[Codes], losses: Losses, depth: int, least: Least) -> Iterator[Block]:
    """Yield the slices of each combination of columns that are large enough to be tested."""
    null = losses.null(losses.values[:, None])
    first = 0
    for _, codes in combinations(columns, depth):
        block = _block(codes, np.arange(first, first + codes.size), losses, null, least)
        if len(block.names):
            yield block
        first += codes.size


def _block(codes: Codes, names: IntArray, losses: Losses, null: Null, least: Least) -> Block:
    """Test the slices that have, and leave, enough rows and documents."""
    counts = np.bincount(codes.codes, minlength=codes.size)
    kept = np.flatnonzero((counts >= least.rows) & (losses.rows - counts >= least.rows))
    statistics, sizes = [np.zeros(0)], [Sizes(*np.zeros((5, 0)))]
    step = max(1, _CELLS // max(losses.units, 1))
    for start in range(0, len(kept), step):
        part = kept[start : start + step]
        values, inside = losses.sums(_renumbered(codes, part))
        found, of = losses.tested(values, inside, null, least.units)
        statistics.append(found.value)
        sizes.append(of)
    statistic = np.concatenate(statistics)
    is_testable = ~np.isnan(statistic)
    kept = kept[is_testable]
    of_all = Sizes(*(np.concatenate(one)[is_testable] for one in zip(*sizes, strict=True)))
    return Block(_renumbered(codes, kept), names[kept], statistic[is_testable], of_all)


def _renumbered(codes: Codes, kept: IntArray) -> Codes:
    """Return codes for those that are kept, in their order; all others get the one after the last."""
    place = np.full(codes.size, len(kept), np.intp)
    place[kept] = np.arange(len(kept))
    return Codes(place[codes.codes], len(kept) + 1, codes.rows)


class _Names:
    """The number of each slice: that of its code in its combination of columns, after those of all before."""

    def __init__(self, columns: Sequence[Codes], depth: int) -> None:
        self._sizes = [one.size for one in columns]
        self._places, sizes = zip(*shapes(self._sizes, depth), strict=True)
        self._firsts = np.cumsum(sizes) - sizes

    def conditions(self, name: int) -> Slice:
        """Return the conditions of a slice."""
        combination = int(np.searchsorted(self._firsts, name, side="right")) - 1
        code = name - int(self._firsts[combination])
        conditions = []
        for place in reversed(self._places[combination]):
            code, own = divmod(code, self._sizes[place])
            conditions.append((place, own))
        return tuple(reversed(conditions))


def mask(columns: Sequence[Codes], conditions: Slice, height: int) -> Mask:
    """Return the lines of a slice."""
    chosen = np.ones(height, bool)
    for place, code in conditions:
        chosen &= columns[place].mask(code, height)
    return chosen


def screened(
    columns: Sequence[Codes], losses: Sequence[Losses], *, depth: int, least: Least, most: int
) -> tuple[list[Found], int]:
    """
    Return the most promising slices by a statistic that takes rows for independent, and how many there are.

    It takes one pass over the rows for each combination of columns, whatever the number of documents.
    """
    heap: list[tuple[float, int, Found]] = []
    looked: list[IntArray] = []
    of_columns = _Names(columns, depth)
    seen = 0
    for metric, one in enumerate(losses):
        of_rows = [column.taken(one.line) for column in columns]
        variance = float(one.values @ one.values) / one.rows if one.rows else 0.0
        first = 0
        for table in tables(of_rows, depth, [one.values, one.values**2, one.sizes]):
            values, squares, sizes = table.sums
            kept = (table.counts >= least.rows) & (one.rows - table.counts >= least.rows)
            looked.append(first + np.flatnonzero(kept))
            total = float(one.sizes.sum())
            with np.errstate(divide="ignore", invalid="ignore"):
                own, rest = 1 / sizes, 1 / (total - sizes)
                shown = squares * own**2 + (variance * total - squares) * rest**2
                error = np.sqrt(np.maximum(shown, variance * (own + rest)))
                statistic = np.where(kept & (error > 0), values * (own + rest) / error, -np.inf)
            limit = heap[0][0] if len(heap) >= most else WORTH
            for code in np.flatnonzero(statistic > limit):
                conditions = of_columns.conditions(first + int(code))
                entry = (float(statistic[code]), -seen, Found(metric, conditions, float(statistic[code])))
                seen += 1
                if len(heap) < most:
                    heapq.heappush(heap, entry)
                else:
                    heapq.heappushpop(heap, entry)
            first += len(table.counts)
    found = [one for *_, one in sorted(heap, key=lambda entry: entry[:2], reverse=True)]
    return found, len(np.unique(np.concatenate(looked))) if looked else 0
