"""The base class of reports and comparisons: figures of all rows and of each slice."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, cast

import polars as pl
import polars.selectors as cs

from anls_frame import export
from anls_frame._typing import Table_co
from anls_frame.export.document import GROUP, OVERALL, SLICE
from anls_frame.frames.conversion import to_pandas

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd
    from great_tables import GT

    from anls_frame.export import Document
    from anls_frame.export.display import Glance

__all__ = ["SlicedResult"]


class SlicedResult(ABC, Generic[Table_co]):
    """
    Figures of all rows and of each slice, with intervals.

    A subclass provides the figures (`by`), what they depend on (`settings`), and the document to export.
    """

    noun: ClassVar[Literal["report", "comparison"]]
    """What messages call this result."""
    _of_families: ClassVar[tuple[str, ...]] = ()
    """Columns that concern several slices together, so they are null in the overall row."""

    def __init__(self, by: Sequence[str], confidence: float, *, from_pandas: bool) -> None:
        self.confidence = confidence
        self._by = tuple(by)
        self._from_pandas = from_pandas

    @property
    @abstractmethod
    def signature(self) -> str:
        """The settings in one line; figures with equal signatures are comparable."""

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """All settings that the figures depend on."""

    @cached_property
    def overall(self) -> dict[str, Any]:
        """Counts and figures of all rows; a p-value among them is not part of the family of slices."""
        return self._overall.drop(self._of_families).row(0, named=True)

    @cached_property
    def by_group(self) -> Table_co:
        """
        Counts and figures of each slice, crossed if there are several `by` columns.

        Like all tables of a result, a pandas frame if the result was made from one, otherwise a Polars frame.
        """
        return self._as_given(self._groups)

    @abstractmethod
    def by(self, *columns: str) -> Table_co:
        """Counts and figures, grouped by some of the `by` columns; without columns, of all rows together."""

    @abstractmethod
    def _slices(self, columns: Sequence[str]) -> pl.DataFrame:
        """Return the table of `by`, in Polars."""

    def to_polars(self) -> pl.DataFrame:
        """
        Return the overall row and the rows of all slices in one frame, distinguished by the column `slice`.

        The first row is "overall", with null keys and, in a comparison, a null `p_adjusted`; the others are
        "group".
        """
        nothing = [pl.lit(None, pl.Float64).alias(column) for column in self._of_families]
        overall = self._overall.with_columns(nothing).select(pl.lit(OVERALL).alias(SLICE), pl.all())
        if not self._by:
            return overall
        groups = self._groups.select(pl.lit(GROUP).alias(SLICE), pl.all())
        whole = pl.concat([overall, groups], how="diagonal_relaxed")
        return whole.select(cs.by_name(groups.columns))

    def to_pandas(self) -> pd.DataFrame:
        """Return the frame of `to_polars` as a pandas frame; counts are `int64`, or `Int64` with nulls."""
        return to_pandas(self.to_polars())

    def write(self, path: str | os.PathLike[str], *, escape_formulas: bool = False) -> Path:
        """
        Write the result to a file, in the format of the path's suffix.

        Parameters
        ----------
        path
            Ends in .html, .csv, .tsv, .json, .jsonl, .md, .tex, .xlsx or .parquet. An existing file is
            replaced as a whole or, on an error, left unchanged.
        escape_formulas
            In .csv and .tsv, put an apostrophe before text that a spreadsheet would run as a formula.

        Returns
        -------
        Path
            The path of the file.
        """
        return export.write(self.to_document(), path, escape_formulas=escape_formulas)

    @abstractmethod
    def to_document(self) -> Document:
        """Return the tables, settings and notes that `write` writes."""

    def to_gt(self) -> GT:
        """Return the table as a great_tables object."""
        return self._notebook_table(None)

    def _repr_html_(self) -> str:
        from anls_frame.export.notebook import ROWS  # noqa: PLC0415 - only in notebooks

        return self._notebook_table(ROWS).as_raw_html()

    def __repr__(self) -> str:
        from anls_frame.export import text  # noqa: PLC0415 - only to print

        return text.render(self._glance(text.ROWS))

    @abstractmethod
    def _glance(self, most: int | None) -> Glance:
        """Return the result in its form for a screen, with at most `most` rows."""

    @cached_property
    def _overall(self) -> pl.DataFrame:
        return self._slices(())

    @cached_property
    def _groups(self) -> pl.DataFrame:
        return self._slices(self._by) if self._by else self._overall

    def _as_given(self, table: pl.DataFrame) -> Table_co:
        """Return a table as the kind of frame from which the result was made."""
        return cast("Table_co", to_pandas(table) if self._from_pandas else table)

    def _notebook_table(self, most: int | None) -> GT:
        from anls_frame.export import notebook  # noqa: PLC0415 - only in notebooks

        return notebook.table(self._glance(most), f"anls-{self.noun}")
