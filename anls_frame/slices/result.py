"""Found slices as a result that selects rows, prints a table and is written to files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from anls_frame._arguments import count
from anls_frame._typing import Table_co
from anls_frame.export.columns import FOUND, by_name, listing
from anls_frame.frames.conversion import at_hand, attach, in_polars, to_pandas
from anls_frame.results import FoundSlices, Written
from anls_frame.slices.columns import Condition
from anls_frame.slices.slices_document import SlicesView, sentences

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Slices(FoundSlices, Written[Table_co]):
    """
    Slices in which a system is worse than in the rest, or in which systems lost against a baseline.

    Returned by `find_slices`. Printed, it is a table with a row for each slice.

    Parameters
    ----------
    conditions
        The conditions of each slice.
    sources
        The columns of conditions, as expressions by name, with their dtypes.
    roots
        The columns that conditions require.

    Attributes
    ----------
    n_slices, n_tests
        Number of slices that were searched, and number of tests: each slice is tested in each metric and
        each compared system.
    left_out
        Columns that were left out, with reasons.
    settings, signature
        The settings of the search; scores with equal signatures are comparable.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame(
    ...     {
    ...         "prediction": ["a", "b", "c", "x"] * 50,
    ...         "answer": ["a", "b", "c", "d"] * 50,
    ...         "kind": ["form", "form", "table", "fax"] * 50,
    ...     }
    ... )
    >>> found = af.find_slices(df, "prediction", "answer")
    >>> found.sentences
    ['kind = fax: 0.000 [0.000, 0.109], 1.000 below the rest; 25 % of the rows, 100 % of the total loss']
    >>> df.filter(found.filter(0)).height
    50
    """

    noun = "slices"
    view = SlicesView

    conditions: Sequence[Sequence[Condition]]
    sources: Mapping[str, tuple[pl.Expr, pl.DataType]]
    roots: Sequence[str] = ()

    @property
    @listing("metric", "n", "p_adjusted", "few_rows", *by_name(FOUND), of=FOUND)
    def frame(self) -> Table_co:
        """
        The slices, one row each, the largest statistic first; with a holdout, the smallest p-value first.

        The columns are

        {columns}

        Of compared systems, `system` is the one that lost, and the interval is that of the `change`, in
        `change_low` and `change_high`; of a single system, it is that of the `score`. `share_of_loss` is null
        if the metric has no best value. With a holdout, `p_adjusted` is null if the other documents cannot
        test the slice; a note says why.
        """
        return self._as_given(self.table)

    def filter(self, slice: int) -> pl.Expr:  # noqa: A002 - what it selects
        """
        Return an expression that selects the rows of a slice.

        Parameters
        ----------
        slice
            The row of the slice in `frame`, from 0.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"score": [0.0] * 20 + [1.0] * 40, "lang": ["ja"] * 20 + ["en"] * 40})
        >>> found = af.find_slices(df, metrics="score")
        >>> df.filter(found.filter(0))["lang"].unique().to_list()
        ['ja']
        """
        index = count("slice", slice, 0, max(len(self.conditions) - 1, 0))
        if not self.conditions:
            raise ValueError("no slice was found")
        parts = self.conditions[index]
        return pl.all_horizontal(part.expression(*self.sources[part.column]) for part in parts)

    def rows(self, frame: Any, slice: int) -> Any:  # noqa: A002 - what it selects
        """
        Return the rows of a frame that are in a slice.

        Parameters
        ----------
        frame
            A frame of any kind with the columns of the slice's conditions.
        slice
            The row of the slice in `frame`, from 0.

        Returns
        -------
        DataFrame
            A frame of the same kind, lazy for a LazyFrame; pandas frames keep their index and dtypes.

        Examples
        --------
        >>> import pandas as pd
        >>> import anls_frame as af
        >>> df = pd.DataFrame({"score": [0.0] * 20 + [1.0] * 40, "lang": ["ja"] * 20 + ["en"] * 40})
        >>> found = af.find_slices(df, metrics="score")
        >>> found.rows(df, 0)["lang"].unique().tolist()
        ['ja']
        """
        chosen = self.filter(slice)
        frame = at_hand(frame)
        if isinstance(frame, pl.DataFrame | pl.LazyFrame):
            return frame.filter(chosen)
        numbers = in_polars(frame, self.roots).lazy().select(chosen.arg_true().alias("row")).collect()["row"]
        return attach(frame, numbers, pl.DataFrame())

    @property
    def sentences(self) -> list[str]:
        """A sentence for each slice."""
        return sentences(self)

    def plot(self, *, kind: Literal["effects", "shares"] = "effects", **options: Any) -> Axes:
        """
        Draw the slices with `anls_frame.plot.worse_slices`; see there for options.

        Parameters
        ----------
        kind
            `"effects"` draws scores with intervals next to those of the rest, `"shares"` the shares of all
            rows and of the total loss.
        options
            Options of the plot.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"score": [0.0] * 20 + [1.0] * 40, "lang": ["ja"] * 20 + ["en"] * 40})
        >>> af.find_slices(df, metrics="score").plot(kind="shares").get_xlabel()
        'share of all (score)'
        """
        from anls_frame import plot  # noqa: PLC0415 - imports matplotlib

        return plot.worse_slices(self, kind=kind, **options)

    def to_polars(self) -> pl.DataFrame:
        """Return `frame` as a Polars frame."""
        return self.table

    def to_pandas(self) -> pd.DataFrame:
        """Return `frame` as a pandas frame."""
        return to_pandas(self.table)
