"""The headline of a page: the score of all rows, the worst slice, and the causes that lower the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from anls_frame._text import numbered

LEAST_ROWS = 30
"""The worst slice is one of those that have as many rows: the smallest ones are the worst by chance."""


class Worst(NamedTuple):
    """The worst slice that is not tiny, its figure, and whether a tiny one is worse."""

    name: str
    figure: str
    tiny_is_worse: bool

    @classmethod
    def of(
        cls, slices: Sequence[tuple[float, int, str, str, bool]], *, highest_is_worst: bool
    ) -> Worst | None:
        """
        Return the worst of slices that differ, or None.

        Each has a value, a number of rows, a name, a figure, and whether it may be called the worst.
        """
        best_first = sorted(slices, key=lambda line: line[0], reverse=not highest_is_worst)
        values = [value for value, rows, *_ in best_first if rows >= LEAST_ROWS]
        may_be = [line for line in best_first if line[-1]]
        large = [line for line in may_be if line[1] >= LEAST_ROWS]
        if not large or values[0] == values[-1]:
            return None
        value, _, name, figure, _ = large[-1]
        return cls(name, figure, may_be[-1][0] != value)


_CAUSES = 3
"""Causes that are named, those that lower the score most."""

_LEAST_SHARE = 0.005
"""A smaller share of the total loss would be 0 %."""


def head(
    score: str,
    rows: int,
    *,
    noun: str = "row",
    more: str = "",
    worst: Worst | None = None,
    lost: Mapping[str, float] | None = None,
) -> str:
    """
    Return the sentence.

    Parameters
    ----------
    score
        The score of all rows, with its name.
    rows
        Number of scored rows.
    noun
        The word for a row.
    more
        The amount of text of the rows, with its unit.
    worst
        The slice with the worst score.
    lost
        The shares of causes in the missing points, which add up to 1. The rest is called "other causes".
    """
    parts = [f"{score} · {numbered(rows, noun)}, {more}" if more else f"{score} over {numbered(rows, noun)}"]
    if worst is not None:
        among = f" with at least {numbered(LEAST_ROWS, noun)}" if worst.tiny_is_worse else ""
        parts.append(f"worst{among}: {worst.name} {worst.figure}")
    shares = sorted((lost or {}).items(), key=lambda item: -item[1])[:_CAUSES]
    rounded = {kind: round(100 * share) for kind, share in shares if share >= _LEAST_SHARE}
    rest = 100 - sum(rounded.values())
    if rounded and (rest < 0 or len(lost or {}) == len(rounded)):
        # Rounded shares add up, too: the largest one changes least by it.
        rounded[next(iter(rounded))] += rest
        rest = 0
    named = [f"{share} % {kind}" for kind, share in rounded.items()]
    if named and rest:
        named.append(f"{rest} % other causes")
    if named:
        parts.append(f"loss by cause: {', '.join(named)}")
    return f"{'; '.join(parts)}."
