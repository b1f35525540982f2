"""
Selection of the rows with the worst scores or the largest losses.

Every caller gets the same order: by the metrics, then by NLS, then by the content of rows, so that neither
the order of a frame, nor its parts, nor the engine matters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl
import polars.selectors as cs

from anls_frame.frames.conversion import as_kind_of, attach, is_pandas
from anls_frame.summary import system_rows
from anls_frame.summary.keys import canonical, explode_lists, key_names
from anls_frame.summary.labels import check_slices
from anls_frame.summary.rows import kept_names, own_and_kept
from anls_frame.summary.settings import Settings
from anls_frame.summary.system_rows import SystemRows

ROW = "row"
"""Name of the column with the number of a row in its frame."""

NLS_RANK = "rank_nls"
"""Name of the column by which rows are ordered that are equal in the metrics."""

_IS_RIGHT = "is_right"
_EVERY = pl.lit(value=True)


def mean(scores: Sequence[pl.Expr]) -> pl.Expr:
    """Return the mean score of all systems."""
    return pl.mean_horizontal(scores)


def change(scores: Sequence[pl.Expr], system: int) -> pl.Expr:
    """Return the score of a system, by number, minus that of the first."""
    return scores[system] - scores[0]


@dataclass(frozen=True)
class Selection:
    """
    Rows of a frame with the scores of systems, from which rows are selected.

    Attributes
    ----------
    source
        The rows with their scores, as in comparisons.
    """

    source: SystemRows

    def scored(self, may_count: pl.Expr = _EVERY) -> pl.LazyFrame:
        """
        Return a query for the rows that meet a condition on `source.inputs`.

        The columns are the row number, the keys, the scores, digests and texts of the systems as in
        `SystemRows`, marks for notes and the account, the answers, the kept columns, and for texts `nls_0`,
        `anls_0`, `cer_0`, ...
        """
        rows = self.source.scored(self.source.inputs.with_row_index(ROW).filter(may_count))
        fields = [
            pl.col(f"details_{system}").struct.field(name).alias(f"{name}_{system}")
            for system in self._systems_with_texts
            for name in ("nls", "anls", "cer")
        ]
        texts = [pl.col(f"text_{system}").cast(pl.String) for system in self._systems_with_texts]
        is_right = (~self.source.wrong()).alias(_IS_RIGHT)
        marks = system_rows.marks(self.source.systems)
        return rows.with_columns(*texts).select(is_right, *fields, *marks, *self._content)

    def ranks(
        self, value: Callable[[Sequence[pl.Expr]], pl.Expr], *, best_first: bool = False
    ) -> dict[str, pl.Expr]:
        """
        Return the columns by which rows are ordered, the lowest first: `rank_0`, ... and `rank_nls`.

        Parameters
        ----------
        value
            A function of the scores of the systems that returns the value of a row, such as `mean`.
        best_first
            Whether the best values are first, not the worst.
        """
        ranks = {}
        for index, metric in enumerate(self.source.metrics):
            rank = value([pl.col(name) for name in system_rows.score_columns(index, self.source.systems)])
            ranks[f"rank_{index}"] = rank if metric.higher_is_better else -rank
        if self.source.settings.has_texts:
            ranks[NLS_RANK] = value([pl.col(f"nls_{system}") for system in self._systems_with_texts])
        return {name: -rank for name, rank in ranks.items()} if best_first else ranks

    @property
    def of_two(self) -> Selection:
        """The selection from the rows that `beside_first` returns."""
        return Selection(replace(self.source, names=self.source.names[:2]))

    def beside_first(self, rows: pl.LazyFrame, system: int) -> pl.LazyFrame:
        """Return rows with the columns of two systems: those of the first and, as number 1, of another."""
        others = [name for other in range(2, self.source.systems) for name in self._columns_of(other)]
        moved = zip(self._columns_of(system), self._columns_of(1), strict=True)
        pair = rows.with_columns(pl.col(own).alias(name) for own, name in moved)
        return pair.drop(others).with_columns(system=pl.lit(system))

    def first(
        self, rows: pl.LazyFrame, ranks: Sequence[str], n: int | None, *, where: pl.Expr = _EVERY
    ) -> pl.LazyFrame:
        """
        Return the first rows in order, for `checked`.

        Parameters
        ----------
        rows
            Scored rows with their ranks.
        ranks
            The columns with the ranks.
        n
            Number of rows; `None` returns all. At least one row is returned, because invalid values come
            first.
        where
            A condition on the rows.
        """
        wanted = rows.filter(where | ~pl.col(_IS_RIGHT))
        return lowest(wanted, [_IS_RIGHT, *ranks, *self._content], None if n is None else max(n, 1))

    def first_of_slices(
        self, rows: pl.LazyFrame, ranks: Sequence[str], n: int, *, where: pl.Expr
    ) -> pl.DataFrame:
        """Return the first rows of each slice in order, the slices in the order of their keys."""
        keys = self.source.keys
        if not keys:
            return self.checked(self.first(rows, ranks, n, where=where).collect(engine="streaming"), n)
        wanted = rows.filter(where | ~pl.col(_IS_RIGHT)).collect(engine="streaming")
        # A row whose list holds an entry twice is in that slice once, because `canonical` makes lists sets.
        wanted = canonical(self.checked(wanted, None))
        check_slices(wanted, keys, self.source.settings.by)
        slices = explode_lists(wanted, keys)
        ordered = slices.sort([*keys, *ranks, *self._content], nulls_last=True)
        return ordered.group_by(keys, maintain_order=True).head(n)

    def checked(self, rows: pl.DataFrame, n: int | None) -> pl.DataFrame:
        """Return the first rows; raise an error that names a value that is invalid for its metric."""
        if not rows[_IS_RIGHT].all():
            self.source.raise_wrong()
        return rows if n is None else rows.head(n)

    def _columns_of(self, system: int) -> list[str]:
        """Return the columns of a system that `scored` adds, without the marks for notes."""
        texts = ["text", "nls", "anls", "cer"] if self.source.settings.has_texts else []
        scores = [f"score_{index}" for index, _ in enumerate(self.source.metrics)]
        return [f"{name}_{system}" for name in ("digest", *texts, *scores)]

    @property
    def _systems_with_texts(self) -> range:
        return range(self.source.systems if self.source.settings.has_texts else 0)

    @property
    def _content(self) -> list[str]:
        """The columns that break ties between rows: their content, then their number."""
        answers = ["answers"] if self.source.settings.has_texts else []
        metrics, systems = enumerate(self.source.metrics), self.source.systems
        return [
            # Digests come first for speed: rows with equal digests differ only in nulls. List keys are
            # compared unsorted, because sorting them costs more than scoring.
            *(f"digest_{system}" for system in range(systems)),
            *self.source.keys,
            *(f"text_{system}" for system in self._systems_with_texts),
            *answers,
            *(name for index, _ in metrics for name in system_rows.score_columns(index, systems)),
            *kept_names(self.source.settings),
            ROW,
        ]


def as_given(frame: Any, rows: pl.Series, table: pl.DataFrame, keep: Sequence[str]) -> Any:
    """
    Return a table of selected rows as the frame's kind; pandas keeps the index and the dtypes of columns.

    Parameters
    ----------
    frame
        The frame that the rows come from.
    rows
        The numbers of the rows.
    table
        The new columns of the rows.
    keep
        Columns of the table that are columns of the frame, or levels of its index.
    """
    if not is_pandas(frame):
        return as_kind_of(frame, table)
    own = frame[[name for name in keep if name in frame.columns]]
    return attach(own, rows, table.drop(cs.by_name(*keep)))


def lowest(
    rows: pl.LazyFrame, order: Sequence[str], n: int | None, *, highest_first: bool = False
) -> pl.LazyFrame:
    """
    Return the first rows in order, with nulls last.

    Parameters
    ----------
    rows
        The rows.
    order
        The columns by which they are ordered, each ascending.
    n
        Number of rows; `None` returns all.
    highest_first
        Whether the first column is descending.
    """
    descending = [highest_first, *(False for _ in order[1:])]
    if n is not None:
        rows = rows.bottom_k(n, by=order, reverse=descending)
    return rows.sort(order, descending=descending, nulls_last=True)


def worst_rows(rows: pl.LazyFrame, settings: Settings) -> pl.LazyFrame:
    """Return the worst rows of a summary, worst first, up to the number in its settings."""
    texts = ["prediction", "answers"] if settings.has_texts else []
    keys = key_names(settings.by, settings.cluster)
    order = [first_score(settings), *(["nls"] if texts else []), "row_digest", *keys, *texts]
    order = list(dict.fromkeys([*order, *own_and_kept(settings)]))
    return lowest(rows, order, settings.worst, highest_first=not settings.metrics[0].higher_is_better)


def first_score(settings: Settings) -> str:
    """Return the column of the first metric in the rows of a summary."""
    metric = settings.metrics[0]
    return metric.row or "anls" if metric.is_built_in else "score_0_0"
