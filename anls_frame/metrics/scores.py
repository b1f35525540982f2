"""
Row expressions: one score for each row, as Polars expressions.

Order is always prediction first. *Answers* means a column of texts or a column of lists of accepted
answers (``List(String)`` or ``Array(String)``); the best answer of a row counts. Every expression is named
after its metric. Distances and lengths count Unicode code points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anls_frame import _plugin
from anls_frame.protocol import check_substitution_cost, plugin_options, resolve_threshold

if TYPE_CHECKING:
    import polars as pl

    from anls_frame._typing import IntoExprColumn
    from anls_frame.protocol import ScoreProtocol

__all__ = [
    "anls",
    "cer",
    "exact_match",
    "hamming",
    "lcs_distance",
    "levenshtein",
    "nearest_answer",
    "nls",
    "score",
]


def levenshtein(
    prediction: IntoExprColumn,
    reference: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    substitution_cost: int = 1,
) -> pl.Expr:
    """
    Edit distance of each row: insertions, deletions and substitutions, in code points.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`.
    reference
        Column with one text a row.
    protocol
        How both texts are prepared; here by default not at all.
    substitution_cost
        What a substitution costs, beside 1 for an insertion or a deletion: 0, 1 (Levenshtein), or 2 and
        more (insertions and deletions only, the Indel distance).

    Returns
    -------
    Expr
        `UInt32`, named `levenshtein`; null where either text is null.

    Raises
    ------
    ValueError
        If the protocol is unknown or the cost is negative.
    TypeError
        If an argument is no column, or the cost no whole number.

    See Also
    --------
    lcs_distance : insertions and deletions only.
    nls : the distance as a similarity between 0 and 1.
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
    │ u32         │
    ╞═════════════╡
    │ 2           │
    │ 2           │
    │ null        │
    └─────────────┘
    """
    return _plugin.call(
        "levenshtein",
        prediction,
        reference,
        protocol=plugin_options(protocol),
        substitution_cost=check_substitution_cost(substitution_cost),
    )


def lcs_distance(
    prediction: IntoExprColumn,
    reference: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
) -> pl.Expr:
    """
    LCS distance of each row: insertions and deletions, without substitutions, in code points.

    It is n + m - 2 · LCS for texts of n and m code points whose longest common subsequence has LCS of them:
    what is not part of that subsequence is deleted on one side and inserted on the other.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`.
    reference
        Column with one text per row.
    protocol
        How both texts are prepared; here by default not at all.

    Returns
    -------
    Expr
        `UInt32`, named `lcs_distance`; null where either text is null.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is not a column.

    See Also
    --------
    levenshtein : with substitutions; the same as this with `substitution_cost=2`.

    Notes
    -----
    rapidfuzz calls it `Indel.distance`; its `LCSseq.distance` is another one, max(n, m) - LCS.

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
    │ u32          │
    ╞══════════════╡
    │ 3            │
    │ 2            │
    │ null         │
    └──────────────┘
    """
    return _plugin.call("lcs_distance", prediction, reference, protocol=plugin_options(protocol))


def hamming(
    prediction: IntoExprColumn,
    reference: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
) -> pl.Expr:
    """
    Hamming distance of each row: the number of positions at which two texts differ.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`.
    reference
        Column with one text a row.
    protocol
        How both texts are prepared; here by default not at all.

    Returns
    -------
    Expr
        `UInt32`, named `hamming`; null where either text is null or their lengths (in code points, after
        preparation) differ.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is no column.

    See Also
    --------
    anls_frame.hamming_vectors : of columns of lists, such as 0/1 vectors.

    Notes
    -----
    The distance of Hamming (1950), which is defined for texts of equal length only.

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
    │ u32     │
    ╞═════════╡
    │ 3       │
    │ null    │
    └─────────┘
    """
    return _plugin.call("hamming", prediction, reference, protocol=plugin_options(protocol))


def nls(
    prediction: IntoExprColumn,
    answers: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    substitution_cost: int = 1,
) -> pl.Expr:
    """
    Normalized Levenshtein similarity of each row: 1 - d / L, the best over the answers.

    d is the edit distance of the prepared texts and L the length of the longer one, counted as the
    protocol says.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`.
    answers
        Column with the accepted answer, or a list of them, in which case the best one counts. Null entries
        of a list are skipped.
    protocol
        How texts are prepared and L is counted; its threshold plays no part here.
    substitution_cost
        What a substitution costs, beside 1 for an insertion or a deletion.

    Returns
    -------
    Expr
        `Float64`, named `nls`: from 0 (nothing in common) to 1 (equal after preparation); 1 for two empty
        texts; with a substitution cost above 1 the formula as it stands, down to -1, and below 0 also where
        a protocol divides by the raw length and preparation makes the text longer (`İ`). Null where the
        prediction is null or there is no answer (null, an empty list, only nulls).

    Raises
    ------
    ValueError
        If the protocol is unknown or the cost is negative.
    TypeError
        If an argument is no column, or the cost no whole number.

    See Also
    --------
    anls : the similarity after the cut.

    Notes
    -----
    The similarity from which Biten et al. (2019), "Scene Text Visual Question Answering", build ANLS.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame(
    ...     {
    ...         "prediction": ["rain", "lnaguaeg"],
    ...         "answers": [["shine"], ["language", None]],
    ...     }
    ... )
    >>> df.with_columns(af.nls("prediction", "answers"))
    shape: (2, 3)
    ┌────────────┬────────────────────┬─────┐
    │ prediction ┆ answers            ┆ nls │
    │ ---        ┆ ---                ┆ --- │
    │ str        ┆ list[str]          ┆ f64 │
    ╞════════════╪════════════════════╪═════╡
    │ rain       ┆ ["shine"]          ┆ 0.4 │
    │ lnaguaeg   ┆ ["language", null] ┆ 0.5 │
    └────────────┴────────────────────┴─────┘
    """
    return _plugin.call(
        "nls",
        prediction,
        answers,
        protocol=plugin_options(protocol),
        substitution_cost=check_substitution_cost(substitution_cost),
    )


def anls(
    prediction: IntoExprColumn,
    answers: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    threshold: float | None = None,
) -> pl.Expr:
    """
    Thresholded similarity of each row; its mean over the rows is ANLS.

    The normalized Levenshtein similarity, set to 0 where the protocol's cut does not let it through: an
    answer that is read badly keeps most of its score, a different answer gets none.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`.
    answers
        Column with the accepted answer, or a list of them, in which case the best one counts. Null entries
        of a list are skipped.
    protocol
        How texts are prepared, L is counted and the score is cut.
    threshold
        The threshold t in [0, 1], in place of the protocol's own.

    Returns
    -------
    Expr
        `Float64` in [0, 1], named `anls`; null where the prediction is null or there is no answer (null,
        an empty list, only nulls).

    Raises
    ------
    ValueError
        If the protocol is unknown, has no threshold and none is given, or the threshold is outside [0, 1].
    TypeError
        If an argument is no column, or the threshold no number.

    See Also
    --------
    nls : the similarity before the cut.

    Notes
    -----
    Average Normalized Levenshtein Similarity, Biten et al. (2019), "Scene Text Visual Question Answering".
    The known scorers differ in preparation, in L and at exactly the threshold; the presets are equal to
    them to the last bit.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> answers = ["Coca Cola", "Coca Cola Company"]
    >>> df = pl.DataFrame({"prediction": ["CocaCola", "Coca cola", "Cola"], "answers": [answers] * 3})
    >>> df.select("prediction", af.anls("prediction", "answers"))
    shape: (3, 2)
    ┌────────────┬──────────┐
    │ prediction ┆ anls     │
    │ ---        ┆ ---      │
    │ str        ┆ f64      │
    ╞════════════╪══════════╡
    │ CocaCola   ┆ 0.888889 │
    │ Coca cola  ┆ 1.0      │
    │ Cola       ┆ 0.0      │
    └────────────┴──────────┘
    """
    return _plugin.call(
        "anls",
        prediction,
        answers,
        protocol=plugin_options(protocol),
        threshold=resolve_threshold(protocol, threshold),
    )


def cer(
    prediction: IntoExprColumn,
    answers: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
) -> pl.Expr:
    """
    Character error rate of each row: edits by reference length, the lowest over the answers.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`.
    answers
        Column with the reference, or a list of accepted ones, in which case the one with the lowest rate
        counts. Null entries of a list are skipped.
    protocol
        How both texts are prepared; here by default not at all. `"jiwer"` strips their ends.

    Returns
    -------
    Expr
        `Float64`, named `cer`: 0 for equal texts; may exceed 1, where the prediction is longer than the
        reference. With an empty reference it is the number of insertions, as in jiwer 4 (0 for two empty
        texts). Null where the prediction is null or there is no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is no column.

    Notes
    -----
    The mean of this column is not the corpus rate, which is the sum of all edits by the sum of all
    reference lengths: `score` gives both parts, as `char_errors` and `reference_length`.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["lnvoice 42", "abc"], "reference": ["Invoice 42", ""]})
    >>> df.select(af.cer("prediction", "reference"))
    shape: (2, 1)
    ┌─────┐
    │ cer │
    │ --- │
    │ f64 │
    ╞═════╡
    │ 0.1 │
    │ 3.0 │
    └─────┘
    """
    return _plugin.call("cer", prediction, answers, protocol=plugin_options(protocol))


def exact_match(
    prediction: IntoExprColumn,
    answers: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
) -> pl.Expr:
    """
    Whether each prediction equals an answer after preparation.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`.
    answers
        Column with the accepted answer, or a list of them. Null entries of a list are skipped.
    protocol
        How both texts are prepared; `"raw"` compares them as they are.

    Returns
    -------
    Expr
        `Boolean`, named `exact_match`; null where the prediction is null or there is no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is no column.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["Coca  cola", "Cola"], "answers": [["Coca Cola", "Coke"]] * 2})
    >>> df.select(af.exact_match("prediction", "answers"))
    shape: (2, 1)
    ┌─────────────┐
    │ exact_match │
    │ ---         │
    │ bool        │
    ╞═════════════╡
    │ true        │
    │ false       │
    └─────────────┘
    """
    return _plugin.call("exact_match", prediction, answers, protocol=plugin_options(protocol))


def nearest_answer(
    prediction: IntoExprColumn,
    answers: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
) -> pl.Expr:
    """
    Return the answer with the best similarity to each prediction, as it stands in the column.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`.
    answers
        Column with the accepted answer, or a list of them. Null entries of a list are skipped.
    protocol
        How texts are compared.

    Returns
    -------
    Expr
        `String`, named `nearest_answer`: the answer with the best `nls`, the first of equals; null where
        the prediction is null or there is no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is no column.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> answers = ["Coca Cola Company", "Coca Cola"]
    >>> df = pl.DataFrame({"prediction": ["CocaCola"], "answers": [answers]})
    >>> df.select(af.nearest_answer("prediction", "answers")).item()
    'Coca Cola'
    """
    return _plugin.call("nearest_answer", prediction, answers, protocol=plugin_options(protocol))


def score(
    prediction: IntoExprColumn,
    answers: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    threshold: float | None = None,
    cer_protocol: ScoreProtocol | str = "raw",
) -> pl.Expr:
    """
    All scores of each row in one pass, as a struct.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`.
    answers
        Column with the accepted answer, or a list of them. Null entries of a list are skipped.
    protocol
        Protocol of `nls`, `anls`, `exact_match` and `answer_index`.
    threshold
        The threshold t in [0, 1], in place of the protocol's own.
    cer_protocol
        How texts are prepared for `cer`, `char_errors` and `reference_length`. One of your own is best made
        from "raw", which prepares nothing: ``PROTOCOLS["raw"].replace(unicode_form="NFC")``. A bare
        `ScoreProtocol(unicode_form="NFC")` ignores case and squeezes whitespace as well.

    Returns
    -------
    Expr
        `Struct`, named `score`, with the fields

        - `nls`, `anls`, `cer` (`Float64`) and `exact_match` (`Boolean`): as the functions of these names;
        - `char_errors`, `reference_length` (`UInt32`): edits and code points of the answer that gives
          `cer`; their sums over rows give the corpus rate;
        - `answer_index` (`UInt32`): position in the list of the answer with the best `nls`, nulls counted;
          it can be another answer than the one that gives `cer`.

        A null struct where the prediction is null or there is no answer.

    Raises
    ------
    ValueError
        If a protocol is unknown, has no threshold and none is given, or the threshold is outside [0, 1].
    TypeError
        If an argument is no column, or the threshold no number.

    See Also
    --------
    anls_frame.add_scores : the fields as columns of a frame.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["CocaCola"], "answers": [["Coke", "Coca Cola"]]})
    >>> df.select(af.score("prediction", "answers")).unnest("score").to_dicts()
    [{'nls': 0.8888888888888888, 'anls': 0.8888888888888888, 'cer': 0.1111111111111111, \
'exact_match': False, 'char_errors': 1, 'reference_length': 9, 'answer_index': 1}]
    """
    return _plugin.call(
        "score",
        prediction,
        answers,
        protocol=plugin_options(protocol),
        threshold=resolve_threshold(protocol, threshold),
        cer_protocol=plugin_options(cer_protocol),
    )
