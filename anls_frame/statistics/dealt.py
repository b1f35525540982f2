"""Statistics of slices under random permutations of documents, and their p-values."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from anls_frame.statistics.arrays import BoolArray, FloatArray, IndexArray
from anls_frame.statistics.codes import Codes
from anls_frame.statistics.losses import Least, Losses, Null, SingleArray, Sizes, limits, tested
from anls_frame.statistics.size_classes import size_classes

_CELLS = 1 << 20
"""Maximum number of cells of a table of documents and slices."""
_DEALT = 1 << 24
"""Maximum number of losses that are dealt at a time."""
_AT_ONCE = 50
"""Maximum number of draws at a time."""
_TABLE = 1 << 16
"""Maximum number of cells of a table of documents, slices and draws, unless there is a single slice."""
_TIE = 1e-5
"""Losses that are dealt are in single precision, and so are limits of statistics."""


@dataclass(frozen=True)
class SliceBlock:
    """
    Slices that are tested together.

    Parameters
    ----------
    codes
        The slice of each row, or of each of its entries; the number after the last for slices that are not
        tested.
    names
        A number for each slice, the same in all metrics.
    statistic
        The statistics of the slices.
    sizes
        The sizes of the slices.
    goes_with_size
        Which slices depend on the size of documents, so that rows are dealt among documents of all
        sizes to test them.
    opposed
        Which slices have no p-value, because rows and documents disagree.
    """

    codes: Codes
    names: IndexArray
    statistic: FloatArray
    sizes: Sizes
    goes_with_size: BoolArray
    opposed: BoolArray


def block_of(codes: Codes, names: IndexArray, losses: Losses, least: Least) -> SliceBlock:
    """Test the slices with enough rows and documents inside and outside."""
    counts = np.bincount(codes.codes, minlength=codes.size)
    kept = np.flatnonzero((counts >= least.rows) & (losses.rows - counts >= least.rows))
    statistic, sizes = np.empty(len(kept)), np.empty((4, len(kept), 1))
    by_size, opposed = np.empty((2, len(kept)), bool)
    step = max(1, _CELLS // max(losses.units, 1))
    for start in range(0, len(kept), step):
        part = slice(start, start + step)
        values, inside = losses.sums(codes.renumbered(kept[part]))
        statistic[part], sizes[:, part] = losses.tested(values, inside, least.units)
        by_size[part] = losses.goes_with_size(inside)
        opposed[part] = losses.are_opposed(statistic[part], values, inside)
    is_testable = ~np.isnan(statistic)
    kept = kept[is_testable]
    return SliceBlock(
        codes.renumbered(kept),
        names[kept],
        statistic[is_testable],
        Sizes(*sizes[:, is_testable]),
        by_size[is_testable],
        opposed[is_testable],
    )


def largest_by_draw(
    losses: Losses, blocks: Sequence[SliceBlock], draws: int, seed: int
) -> Iterator[FloatArray]:
    """Yield the largest statistic of all slices for several draws at a time; 0 if none is positive."""
    for every in _drawn(losses, blocks, draws, seed):
        largest = np.zeros(every[0].values.shape[1])
        step = max(1, _TABLE // max(losses.units * len(largest), 1))
        for drawn, block in itertools.product(every, blocks):
            limit = drawn.limits(block)
            # The exact statistic, which needs the documents, is computed only where it may be the largest.
            hopeful = np.flatnonzero((limit > largest).any(axis=1))
            hopeful = hopeful[np.argsort(-limit[hopeful].max(axis=1))]
            for start in range(0, len(hopeful), step):
                slices = hopeful[start : start + step]
                is_hopeful = limit[slices] > largest
                chosen = np.flatnonzero(is_hopeful.any(axis=0))
                if len(chosen):
                    values = drawn.statistics(block, slices[is_hopeful.any(axis=1)], chosen)
                    largest[chosen] = np.maximum(largest[chosen], values.max(axis=0))
        yield largest


def two_sided(losses: Losses, codes: Codes, draws: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return two-sided p-values of slices, unadjusted and adjusted for all; nan if it cannot be tested."""
    block = block_of(codes, np.arange(codes.size), losses, Least(1, 1))
    observed = np.abs(block.statistic)
    reached, largest = np.zeros(len(observed)), []
    for of_both in _drawn(losses, [block], draws, seed):
        every = np.arange(of_both[0].values.shape[1])
        most = np.zeros(len(every))
        step = max(1, _TABLE // max(losses.units * len(every), 1))
        for drawn in of_both:
            tested_by_these = drawn.own(block)
            for start in range(0, len(tested_by_these), step):
                slices = tested_by_these[start : start + step]
                values = np.abs(drawn.statistics(block, slices, every))
                reached[slices] += (values >= observed[slices, None] - _TIE).sum(axis=1)
                most = np.maximum(most, values.max(axis=0))
        largest.append(most)
    p, adjusted = np.full((2, codes.size), np.nan)
    p[block.names] = np.where(block.opposed, np.nan, (1 + reached) / (1 + draws))
    of_all = p_adjusted(observed, np.concatenate(largest))
    adjusted[block.names] = np.where(block.opposed, np.nan, of_all)
    return p, adjusted


def _drawn(losses: Losses, blocks: Sequence[SliceBlock], draws: int, seed: int) -> Iterator[list[Drawn]]:
    """Yield permuted losses, several draws at a time: for slices that go with size, and for the others."""
    go_with_size = np.concatenate([block.goes_with_size for block in blocks])
    values, sizes = losses.values.astype(np.float32), losses.sizes.astype(np.float32)
    is_alike = bool((losses.sizes == losses.sizes[:1]).all())
    ways = [(False, deals(losses.unit, draws, seed))]
    if go_with_size.any():
        ways.append((True, deals_of_all_sizes(losses.unit, losses.largest_correlation, draws, seed)))
    if go_with_size.any() and go_with_size.all():
        del ways[0]
    step = max(1, min(draws, _DEALT // max(losses.rows, 1), _AT_ONCE))
    for start in range(0, draws, step):
        every = []
        for goes_with_size, dealt in ways:
            # In the order of rows, in which products with sparse matrices need them.
            rows = np.ascontiguousarray(np.array(list(itertools.islice(dealt, min(step, draws - start)))).T)
            drawn = values[rows]
            drawn_sizes = sizes[:, None] if is_alike else sizes[rows]
            null = losses.null_of(drawn, drawn_sizes)
            if goes_with_size:
                null = null.of_documents_alike(losses.largest_correlation)
                weights = null.weights.astype(np.float32)[losses.unit]
                drawn, drawn_sizes = weights * drawn, weights * drawn_sizes
            every.append(Drawn(losses, drawn, drawn_sizes, null, goes_with_size))
        yield every


@dataclass(frozen=True)
class Drawn:
    """Permuted losses with their sizes, one column per draw, and quantities that do not depend on slices."""

    losses: Losses
    values: SingleArray
    sizes: SingleArray
    """With a single column if all rows have the same size."""
    null: Null
    goes_with_size: bool
    """Whether these draws test the slices that go with size, or the others."""

    def own(self, block: SliceBlock) -> IndexArray:
        """Return the slices that these draws test."""
        return np.flatnonzero(block.goes_with_size == self.goes_with_size)

    def limits(self, block: SliceBlock) -> FloatArray:
        """Return upper limits of the statistics of slices (lines), rounding included; -inf for the others."""
        limit = np.full((len(block.names), self.values.shape[1]), -np.inf)
        own = self.own(block)
        if self.sizes.shape[1] > 1:
            limit[own] = np.inf
        elif len(own):
            members = _indicators(block.codes, self.losses.rows).T
            sums = (members @ self.values)[own]
            null, mean = self.null, self.losses.mean
            limit[own] = limits(sums, block.sizes.chosen(own), null, mean) * (1 + _TIE) + _TIE
        return limit

    def statistics(self, block: SliceBlock, slices: IndexArray, draws: IndexArray) -> FloatArray:
        """Return the statistics of some slices (lines) in some draws (columns)."""
        losses, chosen = self.losses, block.codes.renumbered(slices)
        entries = np.flatnonzero(chosen.codes < len(slices))
        rows = entries if chosen.rows is None else chosen.rows[entries]
        cell = losses.unit[rows] * len(slices) + chosen.codes[entries]
        order = np.argsort(cell, kind="stable")
        rows, cell = rows[order], cell[order]
        starts = np.flatnonzero(np.diff(cell, prepend=-1))

        def sums(table: SingleArray) -> FloatArray:
            taken = table[rows] if table.shape[1] == 1 else table[rows[:, None], draws]
            added = np.zeros((losses.units * len(slices), taken.shape[1]))
            added[cell[starts]] = np.add.reduceat(taken, starts, axis=0, dtype=np.float64)
            return added.reshape(losses.units, len(slices), -1)

        null, values, sizes = self.null.chosen(draws), sums(self.values), sums(self.sizes)
        is_alike = self.sizes.shape[1] == 1
        slice_sizes = block.sizes.chosen(slices) if is_alike else Sizes.of(sizes, null)
        return tested(values, sizes, slice_sizes, null, losses.mean)


def _indicators(codes: Codes, rows: int) -> csr_array:
    """Return the indicator matrix of slices, with a line for each row."""
    row_of = np.arange(rows) if codes.rows is None else codes.rows
    ends = np.searchsorted(row_of, np.arange(rows + 1), side="left")
    ones = np.ones(len(codes.codes), np.float32)
    return csr_array((ones, codes.codes, ends), shape=(rows, codes.size))


def p_adjusted(statistics: FloatArray, largest: FloatArray) -> FloatArray:
    """Return the share of draws, the observed one included, whose largest statistic is at least as large."""
    reached = len(largest) - np.searchsorted(np.sort(largest), statistics - _TIE, side="left")
    return np.asarray((1 + reached) / (1 + len(largest)))


def critical(largest: FloatArray, alpha: float) -> float:
    """Return the smallest statistic whose p-value is at most alpha."""
    draws = len(largest)
    most = int(alpha * (1 + draws) + 1e-9) - 1
    if most < 0:
        return float("inf")
    return float(np.sort(largest)[draws - 1 - most]) + 2 * _TIE


def deals(document: IndexArray, draws: int, seed: int) -> Iterator[IndexArray]:
    """
    Yield for each draw the row whose value each row gets.

    Each document gets the shuffled values of a document of its size class, each of these documents once. From
    a longer document, it gets a random part; the values of a shorter document are repeated.

    Parameters
    ----------
    document
        The number of the document of each row, from 0 without gaps, in ascending order.
    draws
        Number of draws.
    seed
        Seed of the draws.

    Examples
    --------
    >>> import numpy as np
    >>> from anls_frame.statistics.dealt import deals
    >>> document = np.array([0, 0, 0, 1, 1, 1])
    >>> [rows.tolist() for rows in deals(document, 2, seed=1)]
    [[2, 1, 0, 4, 3, 5], [0, 1, 2, 3, 4, 5]]
    """
    random = np.random.default_rng(seed)
    sizes = np.bincount(document)
    starts = np.cumsum(sizes) - sizes
    position = np.arange(len(document)) - starts[document]
    size_class = size_classes(sizes)
    receivers = np.argsort(size_class, kind="stable")
    donors = np.empty(len(sizes), np.intp)
    rows = np.empty(len(document), np.intp)
    for _ in range(draws):
        donors[receivers] = _shuffled_in_groups(size_class, random)
        donor = donors[document]
        given = _shuffled_in_groups(document, random)[starts[donor] + position % sizes[donor]]
        rows[_shuffled_in_groups(document, random)] = given
        yield rows.copy()


def deals_of_all_sizes(
    document: IndexArray, correlation: float, draws: int, seed: int
) -> Iterator[IndexArray]:
    """
    Yield for each draw the row whose value each row gets, from documents of any size.

    Each document gets the shuffled values of another one, each of these once: a random part of a longer
    document, and all of a shorter one with further values. Repeated, those of a short document would vary too
    much for a long one. So a further value is one of the values that the document has so far, or one of all
    rows, with the chances at which rows keep their correlation (the urn of Blackwell and MacQueen 1973).

    Parameters
    ----------
    document
        The number of the document of each row, from 0 without gaps, in ascending order.
    correlation
        Correlation of the rows of a document.
    draws
        Number of draws.
    seed
        Seed of the draws.

    Examples
    --------
    >>> import numpy as np
    >>> from anls_frame.statistics.dealt import deals_of_all_sizes
    >>> document = np.array([0, 1, 1, 1])
    >>> [rows.tolist() for rows in deals_of_all_sizes(document, 1.0, 3, seed=0)]
    [[0, 3, 1, 2], [3, 0, 0, 0], [0, 3, 2, 1]]
    """
    random = np.random.default_rng(seed)
    sizes = np.bincount(document)
    starts = np.cumsum(sizes) - sizes
    first, height = starts[document], len(document)
    position = np.arange(height) - first
    rows = np.empty(height, np.intp)
    for _ in range(draws):
        donor = random.permutation(len(sizes))[document]
        is_further = position >= sizes[donor]
        of_donor = starts[donor] + np.where(is_further, 0, position)
        own = _shuffled_in_groups(document, random)[of_donor]
        given = np.where(is_further, random.integers(0, height, height), own)
        # Each of the values before it is as likely to be drawn as any other.
        weight = correlation * position
        is_drawn = is_further & (random.random(height) * (1 - correlation + weight) < weight)
        drawn = first + (random.random(height) * position).astype(np.intp)
        source = np.where(is_drawn, drawn, np.arange(height))
        while not np.array_equal(source[source], source):
            source = source[source]
        rows[_shuffled_in_groups(document, random)] = given[source]
        yield rows.copy()


def _shuffled_in_groups(group: IndexArray, random: np.random.Generator) -> IndexArray:
    """Return the numbers of all members, ordered by group and at random within groups."""
    order = random.permutation(len(group))
    # Numpy sorts numbers of 16 bits by counting.
    most = int(group.max(initial=0))
    keys = group[order].astype(np.uint16 if most < 1 << 16 else np.uint32)
    return order[np.argsort(keys, kind="stable")]
