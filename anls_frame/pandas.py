"""
The accessor ``df.anls`` on pandas DataFrames.

``import anls_frame`` registers the accessor as soon as pandas is loaded; importing this module registers it
in any case. If a frame has a column named `anls`, ``df.anls`` is the accessor and ``df["anls"]`` the column.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import pandas as pd

from anls_frame.frames.checks import check_columns
from anls_frame.frames.conversion import at_hand, check_text_levels
from anls_frame.metrics.row_functions import input_names
from anls_frame.namespaces import ROW_FUNCTIONS, AnlsFrameNamespace

__all__ = ["AnlsPandasAccessor"]


# pandas creates the accessor at each `df.anls`.
@pd.api.extensions.register_dataframe_accessor("anls")
class AnlsPandasAccessor(AnlsFrameNamespace):
    """
    The functions of this package as methods of a pandas frame, ``df.anls``.

    Row functions such as `cer` take the names of two columns and return a Series with the index of the frame;
    `score` and `explain` return a frame with a column for each field.

    Examples
    --------
    >>> import pandas as pd
    >>> import anls_frame.pandas
    >>> df = pd.DataFrame({"prediction": ["CocaCola"], "answer": ["Coca Cola"]}, index=["q1"])
    >>> df.anls.add_scores("prediction", "answer", columns=["anls", "char_errors"])
       prediction     answer      anls  char_errors
    q1   CocaCola  Coca Cola  0.888889            1
    >>> df.anls.levenshtein("prediction", "answer")
    q1    1
    Name: levenshtein, dtype: Int64
    >>> df.anls  # doctest: +ELLIPSIS
    .anls of a pandas.DataFrame: add_scores, anls, audit_sample, bag_of_words_error, browse, cer,...
    """


def _with_columns(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a row function as a method that takes the names of columns."""
    signature = inspect.signature(function)
    inputs = input_names(function)

    @functools.wraps(function)
    def method(self: AnlsPandasAccessor, *columns: Any, **options: Any) -> Any:
        given = {name: _column(self._owner, options.pop(name)) for name in inputs if name in options}
        return function(*(_column(self._owner, column) for column in columns), **given, **options)

    owner = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    documented = signature.replace(parameters=[owner, *signature.parameters.values()])
    method.__signature__ = documented  # type: ignore[attr-defined]
    return method


def _column(frame: pd.DataFrame, column: Any) -> Any:
    """Return the column of this name; the function checks anything else, such as a Series."""
    if not isinstance(column, str):
        return column
    check_text_levels(frame, [column])
    check_columns(at_hand(frame).columns, [column])
    return frame[column]


for row_function in ROW_FUNCTIONS:
    setattr(AnlsPandasAccessor, row_function.__name__, _with_columns(row_function))
