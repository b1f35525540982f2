"""Figures of a document as data; formats that cannot draw leave them out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anls_frame.protocol import ScoreProtocol

__all__ = ["Alignments", "Crossed", "Dumbbell", "Figure", "HeatMap", "HistogramChart", "RankChart", "Stacked"]


@dataclass(frozen=True)
class HistogramChart:
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
    Shares of categories in groups, of their sum or of another whole.

    Attributes
    ----------
    name
        Heading of the figure.
    colors
        Colour of each category, in the order in which they are stacked.
    rows
        Label of each group, all rows first, with the number of rows of each category, or its share of the
        whole.
    table
        Name of the table that holds the counts of all rows. The figure shows them too, so a page can leave
        the table out.
    whole
        What the shares are parts of, where they are no counts of rows. The bars are then as long as their
        sums, which may be above 1.
    """

    name: str
    colors: Mapping[str, str]
    rows: Sequence[tuple[str, Mapping[str, float]]]
    table: str
    whole: str = ""


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
    table
        Name of the table that it stands above.
    """

    name: str
    systems: Mapping[str, str]
    rows: Sequence[tuple[str, float | None, float | None, str]]
    table: str


@dataclass(frozen=True)
class RankChart:
    """
    The ranks that each system can have.

    Attributes
    ----------
    name
        Heading of the figure.
    table
        Name of the table that it stands above.
    rows
        Name of each system, best first; its rank with the lowest and the highest that it can have; and the
        text beside them.
    n_systems
        Number of all systems, of which the first ones are shown.
    """

    name: str
    table: str
    rows: Sequence[tuple[str, tuple[int | None, int | None, int | None], str]]
    n_systems: int


@dataclass(frozen=True)
class HeatMap:
    """
    Scores of systems in slices.

    Attributes
    ----------
    name
        Heading of the figure.
    table
        Name of the table that holds the scores. A figure of all of them stands in its place, otherwise above
        it.
    heading
        Heading of the slices.
    systems
        Names of the systems, best first.
    rows
        Label of each slice, all rows first; its number of rows as text; and each system's score, as a number
        and as text, and whether it is the best of the line.
    metric
        Name of the score of a row behind them.
    higher_is_better
        Their direction.
    hidden
        Numbers of slices and systems that are left out.
    """

    name: str
    table: str
    heading: str
    systems: Sequence[str]
    rows: Sequence[tuple[str, str, Sequence[tuple[float | None, str, bool]]]]
    metric: str
    higher_is_better: bool
    hidden: tuple[int, int]


Matrix: TypeAlias = (
    "tuple[tuple[str, str], Sequence[str], Sequence[str], Mapping[tuple[str, str], tuple[int, int]]]"
)


@dataclass(frozen=True)
class Crossed:
    """
    Numbers of rows or errors by two categories, one of which became the other.

    Attributes
    ----------
    name
        Heading of the figure.
    table
        Name of the table whose first rows these numbers are. A figure of all of them stands in its place,
        otherwise above it.
    more
        Names of tables that stand below that one.
    matrices
        What stands at the side and above, the categories of both, and the numbers, each with its row in the
        table.
    caption
        What stands below.
    is_whole
        Whether the table has nothing else.
    """

    name: str
    table: str
    matrices: Sequence[Matrix]
    caption: str
    is_whole: bool = False
    more: Sequence[str] = ()


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
    protocol
        What is aligned.
    """

    name: str
    rows: Sequence[tuple[str, str, str]]
    protocol: ScoreProtocol


Figure: TypeAlias = HistogramChart | Stacked | Dumbbell | RankChart | HeatMap | Crossed | Alignments
"""Any figure of a document."""
