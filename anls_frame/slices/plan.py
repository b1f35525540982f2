"""Settings of the search for slices: those of users, and the complete plan of a search."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from anls_frame._arguments import count, flag, share
from anls_frame._messages import about, wrong
from anls_frame.reports.rest import MOST_DRAWS
from anls_frame.statistics.losses import Least

_DEEPEST = 3
_HONEST_FROM = 3
"""Slices of at least this depth are by default tested on other rows than those they are found on."""
_MOST_BINS, _MOST_VALUES, _MOST_LISTED = 50, 1000, 1000


@dataclass(frozen=True, kw_only=True)
class SliceSearch:
    """
    Settings of `find_slices`: which slices it considers, and how it tests them.

    Parameters
    ----------
    min_rows, min_clusters
        Minimum numbers of scored rows and of documents, inside and outside a slice.
    holdout
        Share of documents reserved for testing and estimating the slices found on the others; 0 tests all
        slices on all documents. The default is 0 and, at depth 3, one half.
        Without a cluster, each row is a document, and its position decides: another order of the rows gives
        another half.
    features
        Whether to search features of texts, too: the number of answers; the length, digits and script of the
        first answer; and the length of the prediction (of a single system) and of a column named question.
    bins
        Number of quantile bins for columns with more than 10 distinct numbers.
    max_values
        Maximum number of distinct values, or entries of lists, of a column. Columns with more are left out;
        `Slices.left_out` names them.
    draws, seed
        Number of random draws of the test, at most 20,000, and their seed.

    Examples
    --------
    >>> import anls_frame as af
    >>> search = af.SliceSearch(min_rows=50, holdout=0.5)
    >>> search.replace(draws=999).min_rows
    50
    """

    min_rows: int = 20
    min_clusters: int = 5
    holdout: float | None = None
    features: bool = False
    bins: int = 5
    max_values: int = 50
    draws: int = 199
    seed: int = 0

    def __post_init__(self) -> None:
        checked = {
            "min_rows": count("min_rows", self.min_rows, 1),
            "min_clusters": count("min_clusters", self.min_clusters, 1),
            "holdout": None if self.holdout is None else share("holdout", self.holdout),
            "features": flag("features", self.features),
            "bins": count("bins", self.bins, 2, _MOST_BINS),
            "max_values": count("max_values", self.max_values, 2, _MOST_VALUES),
            "draws": count("draws", self.draws, 1, MOST_DRAWS),
            "seed": count("seed", self.seed),
        }
        if checked["holdout"] == 1:
            raise wrong("holdout", "must leave documents to find slices on, got 1")
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def replace(self, **changes: Any) -> SliceSearch:
        """
        Return a copy of the search with other values for some settings.

        Parameters
        ----------
        **changes
            Settings of `SliceSearch`, by name.

        Examples
        --------
        >>> import anls_frame as af
        >>> af.SliceSearch().replace(draws=999).draws
        999
        """
        return dataclasses.replace(self, **changes)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """
    A search with the other options of `find_slices`.

    Parameters
    ----------
    search
        The settings of the search.
    depth
        Maximum number of conditions of a slice.
    n
        Maximum number of slices to list.
    confidence
        Confidence level of the intervals.
    """

    search: SliceSearch
    depth: int
    n: int
    confidence: float

    def __post_init__(self) -> None:
        if not isinstance(self.search, SliceSearch):
            raise TypeError(about("search", f"must be a SliceSearch, got {self.search!r}"))
        object.__setattr__(self, "depth", count("depth", self.depth, 1, _DEEPEST))
        object.__setattr__(self, "n", count("n", self.n, 1, _MOST_LISTED))
        object.__setattr__(self, "confidence", share("confidence", self.confidence, ends=False))

    @property
    def least(self) -> Least:
        """The smallest slices that are tested."""
        return Least(self.search.min_rows, self.search.min_clusters)

    @property
    def holdout(self) -> float:
        """Share of documents reserved for tests; 0 tests slices on the documents in which they are found."""
        if self.search.holdout is None:
            return 0.5 if self.depth >= _HONEST_FROM else 0.0
        return self.search.holdout
