"""What a summary adds up: the interface of the sums for reports and of those for comparisons."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Self

    import polars as pl

    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Settings

ALL = ""
"""Name of the cells that several metrics share."""


class CellSums(ABC):
    """Counts and sums of rows: `cells` by the name of the metric, or `ALL`, and what else adds up."""

    cells: Mapping[str, pl.DataFrame]

    @property
    @abstractmethod
    def rows(self) -> int:
        """Number of rows that were read."""

    @abstractmethod
    def frames(self) -> dict[str, pl.DataFrame]:
        """Return all frames, each by its kind and, where there are several of a kind, its name."""

    @abstractmethod
    def header(self) -> dict[str, Any]:
        """Return everything else, as it can be written as JSON."""

    @classmethod
    @abstractmethod
    def of_frames(cls, frames: Mapping[str, pl.DataFrame], header: Mapping[str, Any]) -> Self:
        """Return the sums with these frames and this header."""

    @classmethod
    @abstractmethod
    def added(cls, parts: Sequence[Self], settings: Settings) -> Self:
        """Add up the sums of parts."""

    @abstractmethod
    def folded(self, settings: Settings) -> Self:
        """Return the sums with groups in place of clusters."""

    @abstractmethod
    def sliced(self, cells: Mapping[str, pl.DataFrame], settings: Settings) -> Self:
        """Return sums with other cells of some of these rows, and what follows from them."""

    @abstractmethod
    def groups(self, settings: Settings) -> Iterator[tuple[str, pl.DataFrame, tuple[Metric, ...]]]:
        """Return the cells, each with its name and the metrics that are computed from them."""


def stored(kind: str, frames: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return frames of a kind under the names that they have in a file."""
    return {f"{kind} {name}": frame for name, frame in frames.items()}


def of_kind(kind: str, frames: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return the frames of a kind under their own names."""
    return {
        name.removeprefix(f"{kind} "): frame for name, frame in frames.items() if name.startswith(f"{kind} ")
    }
