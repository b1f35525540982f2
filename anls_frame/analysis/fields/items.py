"""Pairing of the items of a predicted list with those of the gold list."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from anls_frame.analysis.fields.cells import name_of

_MOST_PAIRS = 4_000_000
"""Maximum number of pairs of items of two lists that are compared."""

_MOST_STEPS = 400_000_000
"""Maximum number of steps in which the items of a document are compared, a few seconds."""

_WORD = 64
"""Letters of one text that are compared with a letter of another in one step."""

_STEPS_OF_A_PAIR = 8
"""Steps that a pair of texts takes, however short they are."""

_TIE = 1e-6
"""Similarities are told apart down to this; below it, the order of the items decides."""

Item = dict[str, str]
"""The texts of an item by the names of its fields."""


class TooLongError(ValueError):
    """
    Lists that take too long to be compared.

    `is_of_gold` says that the gold list is so long that it cannot be compared with itself either.
    """

    def __init__(self, message: str, *, is_of_gold: bool) -> None:
        super().__init__(message)
        self.is_of_gold = is_of_gold


@dataclass
class Pairing:
    """
    Pairs the items of the lists of a document, within a number of steps.

    Parameters
    ----------
    match
        `"best"`, `"order"` or a key of the items; a list in which no item has it is paired as by `"best"`.
    form
        The form of a text, given the name of its field, in which equal values are equal texts.
    """

    match: str
    form: Callable[[str, str], str]
    _steps: int = field(default=0, init=False)
    _steps_of_gold: int = field(default=0, init=False)

    def matched(self, gold: list[Any], predicted: list[Any], name: str) -> dict[int, int]:
        """Return the gold item that each predicted item is paired with, if any, for lists of this name."""
        if gold is predicted or self.match == "order":
            return {number: number for number in range(min(len(gold), len(predicted)))}
        if self.match != "best":
            keys, predicted_keys = ([self._key(item, name) for item in items] for items in (gold, predicted))
            if any(key is not None for key in (*keys, *predicted_keys)):
                return _with_equal_keys(keys, predicted_keys)
        texts, others = self._flat_items(gold, name), self._flat_items(predicted, name)
        if texts == others and all(texts):
            return {number: number for number in range(len(texts))}
        return _assigned(self._similarities(texts, others))

    def nearest(self, gold: list[Any], predicted: list[Any], name: str) -> int | None:
        """Return the predicted value that is most similar to any of the gold values."""
        similar = self._similarities(self._flat_items(gold, name), self._flat_items(predicted, name))
        return int(similar.max(axis=0).argmax()) if similar.size and similar.max() > 0 else None

    def _flat_items(self, items: list[Any], name: str) -> list[Item]:
        return [self._flat(item, name) for item in items]

    def _flat(self, item: Any, name: str) -> Item:
        """Return the texts of an item; those of a list within it are sorted, as they are not paired yet."""
        if isinstance(item, dict):
            texts: Item = {}
            for key, entry in item.items():
                texts |= self._flat(entry, name_of(name, key))
            return texts
        if isinstance(item, list):
            gathered: dict[str, list[str]] = {}
            for entry in item:
                for inner, text in self._flat(entry, f"{name}[]").items():
                    gathered.setdefault(inner, []).append(text)
            return {inner: "\n".join(sorted(texts)) for inner, texts in gathered.items()}
        return {} if item is None else {name: self.form(name, item)}

    def _key(self, item: Any, name: str) -> str | None:
        value = item.get(self.match) if isinstance(item, dict) else None
        name = name_of(name, self.match)
        return self.form(name, value) if isinstance(value, str) else None if value is None else str(value)

    def _similarities(self, gold: list[Item], predicted: list[Item]) -> npt.NDArray[np.float64]:
        """Return the mean NLS of the fields found in either item, as gold items by predicted items."""
        from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - only for lists
        from rapidfuzz.process import cdist  # noqa: PLC0415 - only for lists

        rows, columns = _by_name(gold), _by_name(predicted)
        self._count(rows, columns, len(gold), len(predicted))
        shared = [name for name in rows if name in columns]
        shape = len(gold), len(predicted)
        total, common = np.zeros(shape), np.zeros(shape)
        for name in shared:
            (items, texts), (others, other_texts) = rows[name], columns[name]
            block = np.ix_(items, others)
            total[block] += cdist(
                texts, other_texts, scorer=Levenshtein.normalized_similarity, dtype=np.float64
            )
            common[block] += 1
        sizes = [np.array([len(item) for item in items]) for items in (gold, predicted)]
        return np.asarray(total / np.maximum(sizes[0][:, None] + sizes[1] - common, 1))

    def _count(self, gold: _ByName, predicted: _ByName, n_gold: int, n_predicted: int) -> None:
        """Raise an error if the lists of a document would take too many steps to compare."""
        self._steps += _steps(gold, predicted)
        self._steps_of_gold += _steps(gold, gold)
        if n_gold * n_predicted > _MOST_PAIRS or self._steps > _MOST_STEPS:
            letters = sum(len(text) for _, texts in predicted.values() for text in texts)
            raise TooLongError(
                f"lists of {n_gold:,} and {n_predicted:,} items, with {letters:,} predicted letters, are too "
                'long to be compared; pass match="order", or a key of the items',
                is_of_gold=n_gold**2 > _MOST_PAIRS or self._steps_of_gold > _MOST_STEPS,
            )


def _with_equal_keys(gold: list[str | None], predicted: list[str | None]) -> dict[int, int]:
    """Return the gold item of each predicted item, by the keys of all items."""
    waiting: dict[str, deque[int]] = {}
    for number, key in enumerate(gold):
        if key is not None:
            waiting.setdefault(key, deque()).append(number)
    return {
        number: waiting[key].popleft()
        for number, key in enumerate(predicted)
        if key is not None and waiting.get(key)
    }


_ByName = dict[str, tuple[list[int], list[str]]]
"""The items that have each field, with their texts there."""


def _steps(gold: _ByName, predicted: _ByName) -> int:
    """Return the steps in which the texts of all pairs of items are compared."""
    steps = 0
    for name, (_, texts) in gold.items():
        _, others = predicted.get(name, ([], []))
        words, letters = sum(len(text) // _WORD + 1 for text in texts), sum(map(len, others))
        steps += words * letters + _STEPS_OF_A_PAIR * len(texts) * len(others)
    return steps


def _by_name(items: list[Item]) -> _ByName:
    found: _ByName = {}
    for number, item in enumerate(items):
        for name, text in item.items():
            numbers, texts = found.setdefault(name, ([], []))
            numbers.append(number)
            texts.append(text)
    return found


def _assigned(similar: npt.NDArray[np.float64]) -> dict[int, int]:
    """Return the rows that columns are assigned to with the largest sum, without pairs of similarity 0."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - only for lists

    if not similar.size:
        return {}
    items, others = linear_sum_assignment(similar - _TIE * _disorder(*similar.shape), maximize=True)
    is_similar = similar[items, others] > 0
    return dict(zip(others[is_similar].tolist(), items[is_similar].tolist(), strict=True))


@functools.lru_cache(64)
def _disorder(n_gold: int, n_predicted: int) -> npt.NDArray[np.float64]:
    """
    Return how far each pair of items is from keeping their order, below 1.

    Among equal sums, items keep their order as far as possible, and the first items are matched.
    """
    rows, columns = np.ogrid[:n_gold, :n_predicted]
    size = max(n_gold, n_predicted)
    return np.asarray((np.abs(rows - columns) + rows / size) / size**2)
