"""Slices against the rest, written out again in plain Python: conditions, statistics, adjusted p-values."""

from __future__ import annotations

import itertools
import math
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

    def __init__(self, scores: Sequence[float], documents: Sequence[Any]) -> None:
        self.n = len(scores)
        mean = sum(scores) / self.n
        self.lost = [mean - score for score in scores]
        self.documents = documents
        self.names = sorted(set(documents))
        sizes = [documents.count(name) for name in self.names]
        squares = sum(one**2 for one in self.lost)
        of_documents = sum(self.total(range(self.n), name) ** 2 for name in self.names)
        more = sum(size**2 for size in sizes) / self.n - 1
        design = of_documents / squares if squares else 1
        self.alike = min(max((design - 1) / more, 0), 1) if more else 0
        self.variance = squares / self.n

    def total(self, places: Sequence[int], name: Any) -> float:
        return sum(self.lost[place] for place in places if self.documents[place] == name)

    def effects(self, places: Sequence[int]) -> list[float]:
        """By how much each document makes the slice worse than the rest."""
        inside = set(places)
        rest = [place for place in range(self.n) if place not in inside]
        return [
            self.total(places, name) / len(places) - self.total(rest, name) / len(rest) for name in self.names
        ]

    def is_testable(self, places: Sequence[int], least_rows: int, least_documents: int) -> bool:
        inside = set(places)
        rest = [place for place in range(self.n) if place not in inside]
        return all(
            len(part) >= least_rows and len({self.documents[place] for place in part}) >= least_documents
            for part in (places, rest)
        )

    def statistic(self, places: Sequence[int]) -> float:
        """The effect divided by its standard error: the observed or the expected one, if that is larger."""
        effects = self.effects(places)
        inside = set(places)
        outside = self.n - len(places)
        spread = 0.0
        for name in self.names:
            rows = [place for place in range(self.n) if self.documents[place] == name]
            size = sum(place in inside for place in rows)
            spread += (size / len(places) - (len(rows) - size) / outside) ** 2
        independent = 1 / len(places) + 1 / outside
        expected = self.variance * ((1 - self.alike) * independent + self.alike * spread)
        variance = max(sum(one**2 for one in effects), expected)
        return sum(effects) / math.sqrt(variance) if variance else 0.0

    def drawn(self, places: Sequence[int], signs: Sequence[float]) -> float:
        """The statistic under signs of documents."""
        effects = self.effects(places)
        squares = sum(one**2 for one in effects)
        return (
            sum(s * e for s, e in zip(signs, effects, strict=True)) / math.sqrt(squares) if squares else 0.0
        )


def adjusted(test: Test, tested: Sequence[Sequence[int]], draws: Sequence[Sequence[float]]) -> list[float]:
    """P-values by step-down max-T: each slice against the largest of those that are not decided yet."""
    observed = [test.statistic(places) for places in tested]
    random = [[test.drawn(places, signs) for places in tested] for signs in draws]
    order = sorted(range(len(tested)), key=lambda place: -observed[place])
    p_values, least = [0.0] * len(tested), 0.0
    for step, place in enumerate(order):
        largest = [max(one[other] for other in order[step:]) for one in random]
        p = (1 + sum(one >= observed[place] - 1e-5 for one in largest)) / (1 + len(draws))
        least = p_values[place] = max(p, least)
    return p_values
