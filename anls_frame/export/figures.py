"""Figures of a document, as the data that formats with pictures draw; formats without leave them out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Alignments", "Dumbbell", "Figure", "Histogram", "Stacked"]


@dataclass(frozen=True)
class Histogram:
    """
    Numbers of rows in bins of equal width over [0, 1], with the shares of all rows.

    Attributes
    ----------
    name
        Heading of the figure.
    bars
        Number of rows in each bin.
    cut
        Where the bars change from lost to kept.
    parts
        All rows in four parts, what they are, how many, and their colour: at 0, below the cut, kept by it,
        at 1. The bars are of those between.
    axis
        What the bins are of.
    """

    name: str
    bars: Sequence[int]
    cut: float
    parts: Sequence[tuple[str, int, str]]
    axis: str


@dataclass(frozen=True)
class Stacked:
    """
    Shares of kinds in groups.

    Attributes
    ----------
    name
        Heading of the figure.
    colors
        Colour of each kind, in the order in which they are stacked.
    rows
        Label of each group, all rows first, with the number of rows of each kind.
    table
        Name of the table that holds the counts of all rows. The figure says them too, so that a page does
        without the table.
    """

    name: str
    colors: Mapping[str, str]
    rows: Sequence[tuple[str, Mapping[str, int]]]
    table: str


@dataclass(frozen=True)
class Dumbbell:
    """
    Two systems in groups.

    Attributes
    ----------
    name
        Heading of the figure.
    systems
        Names and colours of both.
    rows
        Label of each group, the figures of both systems, and what stands beside them.
    """

    name: str
    systems: Mapping[str, str]
    rows: Sequence[tuple[str, float | None, float | None, str]]


@dataclass(frozen=True)
class Alignments:
    """
    Predictions beside their references, with the differences marked.

    Attributes
    ----------
    name
        Heading of the figure.
    rows
        What stands above each pair, the prediction, and the reference.
    """

    name: str
    rows: Sequence[tuple[str, str, str]]


Figure: TypeAlias = Histogram | Stacked | Dumbbell | Alignments
"""What can be drawn."""
