"""Slices against the rest, written out again in plain Python: conditions, statistics, adjusted p-values."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]
Conditions = tuple[tuple[str, Any], ...]


def values_of(value: Any) -> set[Any]:
    """Values of a row in a column: the entries of a list, None if there are none."""
    if isinstance(value, list):
        return {entry for entry in value if entry is not None} or {None}
    return {value}


def slices(rows: Sequence[Row], columns: Sequence[str], depth: int) -> dict[Conditions, list[int]]:
    """Every combination of values of different columns, with the places of its rows."""
    found = defaultdict(list)
    for size in range(1, depth + 1):
        for names in itertools.combinations(columns, size):
            for place, row in enumerate(rows):
                for values in itertools.product(*(values_of(row[name]) for name in names)):
                    found[tuple(zip(names, values, strict=True))].append(place)
    return dict(found)


class Test:
    """
    The test of slices of rows; documents are the units.

    The figure of some rows is the sum of their scores by that of their lengths, which are 1 on average.
    """

    def __init__(
        self,
        scores: Sequence[float],
        documents: Sequence[Any],
        lengths: Sequence[float] | None = None,
        *,
        is_change: bool = False,
    ) -> None:
        self.n = len(scores)
        self.is_change = is_change
        self.scores = list(scores)
        self.lengths = [1.0] * self.n if lengths is None else list(lengths)
        self.documents = documents
        self.names = sorted(set(documents))
        self.variance, self.alike = self.of_all()

    def is_testable(self, places: Sequence[int], least_rows: int, least_documents: int) -> bool:
        inside = set(places)
        rest = [place for place in range(self.n) if place not in inside]
        return all(
            len(part) >= least_rows
            and len({self.documents[place] for place in part if self.lengths[place]}) >= least_documents
            for part in (places, rest)
        )

    def of_document(self, places: Sequence[int], name: Any) -> list[int]:
        return [place for place in places if self.documents[place] == name]

    def of_all(self) -> tuple[float, float]:
        """The variance of a row, and the correlation of the rows of a document from its design effect."""
        mean = sum(self.scores) / sum(self.lengths)
        residuals = [score - mean * length for score, length in zip(self.scores, self.lengths, strict=True)]
        squares = sum(one**2 for one in residuals)
        rows = [self.of_document(range(self.n), name) for name in self.names]
        of_documents = sum(sum(residuals[place] for place in one) ** 2 for one in rows)
        more = sum(sum(self.lengths[place] for place in one) ** 2 for one in rows) / sum(self.lengths) - 1
        design = of_documents / squares if squares > 1e-12 else 1
        return squares / self.n, min(max((design - 1) / more, 0), 1) if more > 1e-12 else 0

    def statistic(self, places: Sequence[int], rows: Sequence[int] | None = None) -> float:
        """
        The effect divided by its standard error: the observed or the expected one, if that is larger.

        Each row gets the score and length of that in `rows`.
        """
        rows = range(self.n) if rows is None else rows
        scores, lengths = [self.scores[row] for row in rows], [self.lengths[row] for row in rows]

        def total(of: Sequence[int], values: Sequence[float]) -> float:
            return sum(values[place] for place in of)

        inside = set(places)
        rest = [place for place in range(self.n) if place not in inside]
        size, size_of_rest = total(places, lengths), total(rest, lengths)
        if not size or not size_of_rest:
            return 0.0
        lost, kept = total(places, scores) / size, total(rest, scores) / size_of_rest
        shown = of_documents = shown_alone = alone = 0.0
        for name in self.names:
            own, others = self.of_document(places, name), self.of_document(rest, name)
            off = (total(own, scores) - lost * total(own, lengths)) / size
            shown += (off - (total(others, scores) - kept * total(others, lengths)) / size_of_rest) ** 2
            of_documents += (total(own, lengths) / size - total(others, lengths) / size_of_rest) ** 2
            shown_alone += off**2
            alone += (total(own, lengths) / size) ** 2
        of_rows = 1 / size + 1 / size_of_rest
        error = max(shown, self.variance * ((1 - self.alike) * of_rows + self.alike * of_documents)) ** 0.5
        value = (kept - lost) / error if error > 1e-9 else 0.0
        if self.is_change:
            expected = self.variance * ((1 - self.alike) / size + self.alike * alone)
            error = max(shown_alone, expected) ** 0.5
            value = min(value, -lost / error if error > 1e-9 else 0.0)
        return value


def adjusted(test: Test, tested: Sequence[Sequence[int]], draws: Sequence[Sequence[int]]) -> list[float]:
    """P-values: each slice against the largest statistic of all, where rows get the scores of others."""
    largest = [max(0.0, *(test.statistic(places, rows) for places in tested)) for rows in draws]
    observed = [test.statistic(places) for places in tested]
    return [(1 + sum(one >= value - 1e-5 for one in largest)) / (1 + len(draws)) for value in observed]
