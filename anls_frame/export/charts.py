"""Figures of a document as data; formats that cannot draw omit them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anls_frame.protocol import ScoreProtocol


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
        Label, number and colour of four parts of the rows: at 0, below the cut, kept by the cut, and at 1.
        The bars show the two middle parts.
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
    Shares of categories in groups, relative to their sum or to another whole.

    Attributes
    ----------
    name
        Heading of the figure.
    colors
        Colour of each category, in the order in which they are stacked.
    rows
        Label of each group (all rows first), with the number of rows of each category or its share of the
        whole.
    table
        Name of the table that holds the counts of all rows. The figure shows these counts, so a page can omit
        the table.
    whole
        The whole that shares refer to, if they are not counts of rows. Bars are then as long as their sums,
        which may exceed 1.
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
        Label of each group, with the figures of both systems and the text beside them.
    table
        Name of the table below the figure.
    """

    name: str
    systems: Mapping[str, str]
    rows: Sequence[tuple[str, float | None, float | None, str]]
    table: str


@dataclass(frozen=True)
class RankChart:
    """
    The ranks that the data allow for each system.

    Attributes
    ----------
    name
        Heading of the figure.
    table
        Name of the table below the figure.
    rows
        Name of each system, best first, and whether it is possibly the best; its rank with the lowest and
        highest possible rank, and the text beside them.
    n_systems
        Number of all systems, of which the first are shown.
    """

    name: str
    table: str
    rows: Sequence[tuple[str, bool, tuple[int | None, int | None, int | None], str]]
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
        Name of the table with the scores. A complete figure replaces the table; any other figure is above it.
    heading
        Heading of the slices.
    systems
        Names of the systems, best first.
    rows
        Label of each slice (all rows first), its number of rows as text, and the score of each system, as a
        number and as text, with whether it is the best of the line.
    metric
        Name of the score of a row behind the scores.
    higher_is_better
        Whether higher scores are better.
    hidden
        Numbers of omitted slices and systems.
    counted
        Heading of the column with numbers of rows.
    """

    name: str
    table: str
    heading: str
    systems: Sequence[str]
    rows: Sequence[tuple[str, str, Sequence[tuple[float | None, str, bool]]]]
    metric: str
    higher_is_better: bool
    hidden: tuple[int, int]
    counted: str

    @property
    def is_whole(self) -> bool:
        """Whether the figure shows its whole table."""
        return not any(self.hidden)


Matrix: TypeAlias = (
    "tuple[tuple[str, str], Sequence[str], Sequence[str], Mapping[tuple[str, str], tuple[int, int]]]"
)


@dataclass(frozen=True)
class Crossed:
    """
    Numbers of rows or errors by two categories, the first of which became the second.

    Attributes
    ----------
    name
        Heading of the figure.
    table
        Name of the table whose first rows hold these numbers. A complete figure replaces the table; any other
        figure is above it.
    more
        Names of the tables below that table.
    matrices
        Headings of rows and columns, the categories of both, and the numbers, each with its row in the table.
    caption
        The caption below the figure.
    is_whole
        Whether the figure shows the whole table.
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
        The protocol whose unit is aligned.
    """

    name: str
    rows: Sequence[tuple[str, str, str]]
    protocol: ScoreProtocol


Figure: TypeAlias = HistogramChart | Stacked | Dumbbell | RankChart | HeatMap | Crossed | Alignments
"""Any figure of a document."""
