"""The sums of a summary: the interface shared by the sums of reports and of comparisons."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Self

    import polars as pl

    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Settings

ALL = None
"""In place of a metric's name, the key of the cells that several metrics share."""

Cells: TypeAlias = "Mapping[Any, pl.DataFrame]"
"""Cells by the name of their metric, or `ALL`."""

Kind: TypeAlias = Literal["report", "comparison"]
"""What is computed from a summary."""


class CellSums(ABC):
    """Counts and sums of rows: the cells, and other frames that add up."""

    kind: ClassVar[Kind]
    cells: Cells

    @property
    @abstractmethod
    def rows(self) -> int:
        """Number of rows that were read."""

    @abstractmethod
    def frames(self) -> dict[str, pl.DataFrame]:
        """Return all frames by kind and, if a kind has several frames, by name."""

    @classmethod
    @abstractmethod
    def from_frames(cls, frames: Mapping[str, pl.DataFrame]) -> Self:
        """Return the sums with these frames."""

    @classmethod
    @abstractmethod
    def added(cls, parts: Sequence[Self], settings: Settings) -> Self:
        """Add up the sums of parts."""

    @abstractmethod
    def folded(self, settings: Settings) -> Self:
        """Return the sums with groups in place of clusters."""

    @abstractmethod
    def sliced(self, cells: Cells) -> Self:
        """Return sums with other cells of some of these rows, and the frames that follow from these cells."""

    @abstractmethod
    def groups(self, settings: Settings) -> Iterator[tuple[str | None, pl.DataFrame, tuple[Metric, ...]]]:
        """Return the frames of cells, each with its key and the metrics computed from it."""


def stored(kind: str, frames: Mapping[Any, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return frames of a kind under their names in a file."""
    return {kind if name is ALL else f"{kind} {name}": frame for name, frame in frames.items()}


def frames_of_kind(kind: str, frames: Mapping[str, pl.DataFrame]) -> dict[Any, pl.DataFrame]:
    """Return the frames of a kind under their own names."""
    named: dict[Any, pl.DataFrame] = {}
    for stored_as, frame in frames.items():
        own, space, name = stored_as.partition(" ")
        if own == kind:
            named[name if space else ALL] = frame
    return named
