"""Input of the search: the rows of a frame, or the cells of a summary."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt
    import polars as pl

    from anls_frame.slices.figures import Reported
    from anls_frame.slices.slice_scores import Scores
    from anls_frame.summary.settings import Settings

    Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class SearchInput:
    """Input of the search: rows, or lines that stand for several rows."""

    frame: pl.DataFrame
    """The columns that slice."""
    expressions: Mapping[str, pl.Expr]
    """What selects them in other frames."""
    documents: pl.Series | None
    scores: Sequence[Scores]
    roots: Sequence[str]
    """The columns that these expressions need."""
    reported: Callable[[Mask | None, float], Reported]
    """Returns how the figures of all or the chosen lines are computed, with intervals at a level."""
    settings: Settings
    systems: tuple[str, ...] = ()
    """The systems that are compared, the baseline first; none if scores of one are searched."""
    unreadable: Mapping[str, str] = field(default_factory=dict)
    forgotten_documents: str | None = None
    from_pandas: bool = False
