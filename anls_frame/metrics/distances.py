"""Distances between two texts, row by row: the number of edits or of differing positions, in code points."""

from __future__ import annotations

import polars as pl

from anls_frame import _plugin
from anls_frame._typing import IntoColumn, IntoExprColumn, Missing
from anls_frame.metrics.row_functions import on_columns
from anls_frame.protocol import ScoreProtocol, check_substitution_cost

__all__ = ["hamming", "lcs_distance", "levenshtein"]


@on_columns
def levenshtein(
    prediction: IntoExprColumn,
    reference: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    substitution_cost: int = 1,
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Edit distance of each row: insertions, deletions and substitutions, in code points.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
    reference
        Column with one string per row.
    protocol
        How both texts are prepared; by default, not at all.
    substitution_cost
        Cost of a substitution, where an insertion or a deletion costs 1: 0, 1 (Levenshtein), or 2 and more
        (insertions and deletions only, the Indel distance).
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Int64`, named `levenshtein`; null where either text is null.

    Raises
    ------
    ValueError
        If the protocol is unknown or the cost is negative.
    TypeError
        If an argument is not a column, or the cost is not an integer.

    See Also
    --------
    lcs_distance : the distance with insertions and deletions only.
    nls : the similarity that follows from this distance, from 0 to 1.
    cer : the distance divided by the reference's length.

    Notes
    -----
    The distance of Levenshtein (1966), computed with the bit-parallel method of Myers (1999) and
    Hyyrö (2003).

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["cat", "", None], "reference": ["cafe", "ab", "x"]})
    >>> df.select(af.levenshtein("prediction", "reference"))
    shape: (3, 1)
    ┌─────────────┐
    │ levenshtein │
    │ ---         │
    │ i64         │
    ╞═════════════╡
    │ 2           │
    │ 2           │
    │ null        │
    └─────────────┘
    """
    cost = check_substitution_cost(substitution_cost)
    return _plugin.score("levenshtein", prediction, reference, missing, protocol, substitution_cost=cost)


@on_columns
def lcs_distance(
    prediction: IntoExprColumn,
    reference: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    LCS distance of each row: insertions and deletions, without substitutions, in code points.

    The distance is n + m - 2 · LCS for texts of n and m code points, where LCS is the length of their longest
    common subsequence: code points outside this subsequence are deleted or inserted.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
    reference
        Column with one string per row.
    protocol
        How both texts are prepared; by default, not at all.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Int64`, named `lcs_distance`; null where either text is null.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is not a column.

    See Also
    --------
    levenshtein : the distance with substitutions; with `substitution_cost=2`, it equals this distance.

    Notes
    -----
    rapidfuzz calls this distance `Indel.distance`; its `LCSseq.distance` is max(n, m) - LCS.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["cat", "", None], "reference": ["cafe", "ab", "x"]})
    >>> df.select(af.lcs_distance("prediction", "reference"))
    shape: (3, 1)
    ┌──────────────┐
    │ lcs_distance │
    │ ---          │
    │ i64          │
    ╞══════════════╡
    │ 3            │
    │ 2            │
    │ null         │
    └──────────────┘
    """
    return _plugin.score("lcs_distance", prediction, reference, missing, protocol)


@on_columns
def hamming(
    prediction: IntoExprColumn,
    reference: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Hamming distance of each row: the number of positions at which two texts differ.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
    reference
        Column with one string per row.
    protocol
        How both texts are prepared; by default, not at all.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Int64`, named `hamming`; null where either text is null or their lengths (in code points, after
        preparation) differ.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is not a column.

    See Also
    --------
    anls_frame.hamming_vectors : the same for columns of lists, such as 0/1 vectors.

    Notes
    -----
    The distance of Hamming (1950) is defined only for texts of equal length.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["karolin", "ab"], "reference": ["kathrin", "abc"]})
    >>> df.select(af.hamming("prediction", "reference"))
    shape: (2, 1)
    ┌─────────┐
    │ hamming │
    │ ---     │
    │ i64     │
    ╞═════════╡
    │ 3       │
    │ null    │
    └─────────┘
    """
    return _plugin.score("hamming", prediction, reference, missing, protocol)
