"""Slices against the rest, written out again in plain Python: conditions, statistics, adjusted p-values."""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """The test of slices of rows with scores in [0, 1]; documents are the units."""

    def __init__(self, scores: Sequence[float], documents: Sequence[Any], *, is_change: bool = False) -> None:
        self.n = len(scores)
        self.is_change = is_change
        self.scores = list(scores)
        self.documents = documents
        self.names = sorted(set(documents))

    def is_testable(self, places: Sequence[int], least_rows: int, least_documents: int) -> bool:
        inside = set(places)
        rest = [place for place in range(self.n) if place not in inside]
        return all(
            len(part) >= least_rows and len({self.documents[place] for place in part}) >= least_documents
            for part in (places, rest)
        )

    def of_document(self, places: Sequence[int], name: Any) -> list[int]:
        return [place for place in places if self.documents[place] == name]

    def variance_of_rows(self, scores: Sequence[float]) -> tuple[float, float]:
        """The variance of a row, and the correlation of the rows of a document from its design effect."""
        mean = sum(scores) / self.n
        squares = sum((score - mean) ** 2 for score in scores)
        rows = [self.of_document(range(self.n), name) for name in self.names]
        of_documents = sum(sum(scores[place] - mean for place in one) ** 2 for one in rows)
        more = sum(len(one) ** 2 for one in rows) / self.n - 1
        design = of_documents / squares if squares > 1e-12 else 1
        return squares / self.n, min(max((design - 1) / more, 0), 1) if more else 0

    def statistic(self, places: Sequence[int], scores: Sequence[float] | None = None) -> float:
        """The effect divided by its standard error: the observed or the expected one, if that is larger."""
        scores = self.scores if scores is None else scores
        inside = set(places)
        rest = [place for place in range(self.n) if place not in inside]
        lost = sum(scores[place] for place in places) / len(places)
        kept = sum(scores[place] for place in rest) / len(rest)
        variance, alike = self.variance_of_rows(self.scores)
        shown = of_documents = shown_alone = alone = 0.0
        for name in self.names:
            own, others = self.of_document(places, name), self.of_document(rest, name)
            off = sum(scores[place] - lost for place in own) / len(places)
            shown += (off - sum(scores[place] - kept for place in others) / len(rest)) ** 2
            of_documents += (len(own) / len(places) - len(others) / len(rest)) ** 2
            shown_alone += off**2
            alone += (len(own) / len(places)) ** 2
        of_rows = 1 / len(places) + 1 / len(rest)
        error = max(shown, variance * ((1 - alike) * of_rows + alike * of_documents)) ** 0.5
        value = (kept - lost) / error if error > 1e-9 else 0.0
        if self.is_change:
            error = max(shown_alone, variance * ((1 - alike) / len(places) + alike * alone)) ** 0.5
            value = min(value, -lost / error if error > 1e-9 else 0.0)
        return value


def adjusted(test: Test, tested: Sequence[Sequence[int]], draws: Sequence[Sequence[int]]) -> list[float]:
    """P-values: each slice against the largest statistic of all, where rows get the scores of others."""
    largest = []
    for rows in draws:
        scores = [test.scores[place] for place in rows]
        largest.append(max(0.0, *(test.statistic(places, scores) for places in tested)))
    observed = [test.statistic(places) for places in tested]
    return [(1 + sum(one >= value - 1e-5 for one in largest)) / (1 + len(draws)) for value in observed]
