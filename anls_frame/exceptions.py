"""Errors that the frame functions raise."""

from __future__ import annotations

from polars.exceptions import ColumnNotFoundError, PolarsError

__all__ = ["ColumnNotFoundError", "DTypeError", "DuplicateColumnError"]


class DTypeError(TypeError, PolarsError):
    """
    A column's dtype does not fit what is asked of it.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": [1, 2], "answer": ["1", "2"]})
    >>> try:
    ...     af.add_scores(df, "prediction", "answer")
    ... except af.DTypeError as error:
    ...     print(error)
    `score` needs one text a row (String), but column 'prediction' has dtype Int64. Cast it with `.cast(pl.String)` if it holds text.
    """  # noqa: E501 - printed output


class DuplicateColumnError(ValueError, PolarsError):
    """
    A result column would take the name of a column that is there already.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a"], "answer": ["a"], "nls": [0.5]})
    >>> try:
    ...     af.add_scores(df, "prediction", "answer", columns=["nls"])
    ... except af.DuplicateColumnError as error:
    ...     print(error)
    the frame already has the columns ['nls']; pass overwrite=True to replace them, prefix= or suffix= to name the new ones otherwise, or columns= to add only some of them
    """  # noqa: E501 - printed output
