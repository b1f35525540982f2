"""Figures of a document as data; formats that cannot draw leave them out."""

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
        The value below which bars are cut.
    parts
        Label, number and colour of four parts of all rows: at 0, below the cut, kept by the cut, at 1. The
        bars show the two parts in between.
    axis
        Label of the axis.
    """

    name: str
    bars: Sequence[int]
    cut: float
    parts: Sequence[tuple[str, int, str]]
    axis: str


@dataclass(frozen=True)
class Stacked:
    """
    Shares of categories in groups.

    Attributes
    ----------
    name
        Heading of the figure.
    colors
        Colour of each category, in the order in which they are stacked.
    rows
        Label of each group, all rows first, with the number of rows of each category.
    table
        Name of the table that holds the counts of all rows. The figure shows them too, so a page can leave
        the table out.
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
        Label of each group, the figures of both systems, and the text beside them.
    """

    name: str
    systems: Mapping[str, str]
    rows: Sequence[tuple[str, float | None, float | None, str]]


@dataclass(frozen=True)
class Alignments:
    """
    Predictions aligned with their references, with the differences marked.

    Attributes
    ----------
    name
        Heading of the figure.
    rows
        Heading of each pair, the prediction, and the reference.
    """

    name: str
    rows: Sequence[tuple[str, str, str]]


Figure: TypeAlias = Histogram | Stacked | Dumbbell | Alignments
"""Any figure of a document."""
