"""Scores of predictions against answers, row by row; the best answer of a row counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anls_frame import _plugin
from anls_frame.metrics.row_functions import fields_of_answers, of_answers
from anls_frame.protocol import check_substitution_cost, plugin_options, plugin_scoring, resolve_threshold

if TYPE_CHECKING:
    import polars as pl

    from anls_frame._typing import IntoExprColumn, Missing
    from anls_frame.protocol import ScoreProtocol

__all__ = ["anls", "cer", "exact_match", "nearest_answer", "nls", "score"]


@of_answers
def nls(
    prediction: IntoExprColumn,
    answers: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    substitution_cost: int = 1,
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Normalized Levenshtein similarity of each row: 1 - d / L, the best one over the answers.

    d is the edit distance of the prepared texts, and L the length of the longer one, as the protocol counts
    it.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. For two
        pandas Series with the same index, the result is one, too.
    answers
        Column with the accepted answer, or a list of them, in which case the best one counts. Null entries
        of a list are skipped.
    protocol
        How texts are prepared and L is counted; its threshold is not used.
    substitution_cost
        Cost of a substitution; an insertion or a deletion costs 1.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Float64`, named `nls`: from 0 (nothing in common) to 1 (equal after preparation); 1 for two empty
        texts. It is not clipped: with a substitution cost above 1 it can fall to -1, and it can be negative
        if a protocol divides by the raw length and preparation makes the text longer (`İ`). Null where the
        prediction is null or there is no answer (null, an empty list, only nulls).

    Raises
    ------
    ValueError
        If the protocol is unknown or the cost is negative.
    TypeError
        If an argument is not a column, or the cost is not an integer.

    See Also
    --------
    anls : the similarity after the cut.

    Notes
    -----
    Biten et al. (2019), "Scene Text Visual Question Answering", define ANLS from this similarity.

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
    return _plugin.score(
        "nls",
        prediction,
        answers,
        missing=missing,
        protocol=plugin_options(protocol),
        substitution_cost=check_substitution_cost(substitution_cost),
    )


@of_answers
def anls(
    prediction: IntoExprColumn,
    answers: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    threshold: float | None = None,
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Thresholded similarity of each row; its mean over the rows is ANLS.

    The normalized Levenshtein similarity, set to 0 where it does not pass the protocol's cut: a slightly
    misread answer keeps most of its score, a different answer gets 0.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. For two
        pandas Series with the same index, the result is one, too.
    answers
        Column with the accepted answer, or a list of them, in which case the best one counts. Null entries
        of a list are skipped.
    protocol
        How texts are prepared, L is counted and the score is cut.
    threshold
        The threshold t in [0, 1], which overrides the protocol's own. A score is kept where d / L < t under
        "anls", so that one of exactly 0.5 becomes 0, and where 1 - d / L ≥ t under "rrc" and "anls_star", so
        that it stays.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

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
        If an argument is not a column, or the threshold is not a number.

    See Also
    --------
    nls : the similarity before the cut.

    Notes
    -----
    Average Normalized Levenshtein Similarity, Biten et al. (2019), "Scene Text Visual Question Answering".
    The known scorers differ in preparation, in L and at exactly the threshold; the presets reproduce them
    bit for bit.

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
    return _plugin.score(
        "anls",
        prediction,
        answers,
        missing=missing,
        protocol=plugin_options(protocol),
        threshold=resolve_threshold(protocol, threshold),
    )


@of_answers
def cer(
    prediction: IntoExprColumn,
    answers: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Character error rate of each row: edits divided by the reference length; the lowest over the answers.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. For two
        pandas Series with the same index, the result is one, too.
    answers
        Column with the reference, or a list of accepted ones, in which case the one with the lowest rate
        counts. Null entries of a list are skipped.
    protocol
        How both texts are prepared; by default, not at all. `"jiwer"` strips both ends.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Float64`, named `cer`: 0 for equal texts; it can exceed 1 if the prediction is longer than the
        reference. With an empty reference it is the number of insertions, as in jiwer 4 (0 for two empty
        texts). Null where the prediction is null or there is no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is not a column.

    See Also
    --------
    anls_frame.wer : the same in words.
    anls_frame.words.edit_counts : the edits by kind.
    anls_frame.pairs.get_cer : of two strings, without a frame.

    Notes
    -----
    The mean of this column is not the corpus rate, which is total edits divided by total reference length:
    `score` returns both parts, as `char_errors` and `reference_length`.

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
    return _plugin.score("cer", prediction, answers, missing=missing, protocol=plugin_options(protocol))


@of_answers
def exact_match(
    prediction: IntoExprColumn,
    answers: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Whether each prediction equals an answer after preparation.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. For two
        pandas Series with the same index, the result is one, too.
    answers
        Column with the accepted answer, or a list of them. Null entries of a list are skipped.
    protocol
        How both texts are prepared; `"raw"` compares them unchanged.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Boolean`, named `exact_match`; null where the prediction is null or there is no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is not a column.

    See Also
    --------
    anls_frame.anls : the score that gives partial credit.
    anls_frame.error_type : how a prediction differs that does not match.

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
    return _plugin.score(
        "exact_match", prediction, answers, missing=missing, protocol=plugin_options(protocol)
    )


@of_answers
def nearest_answer(
    prediction: IntoExprColumn,
    answers: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Return the answer that is most similar to each prediction, unchanged from the column.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. For two
        pandas Series with the same index, the result is one, too.
    answers
        Column with the accepted answer, or a list of them. Null entries of a list are skipped.
    protocol
        How texts are compared.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `String`, named `nearest_answer`: the answer with the best `nls`, the first one on ties; null where
        the prediction is null or there is no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is not a column.

    See Also
    --------
    anls_frame.nls : the similarity to this answer.
    anls_frame.pairs.alignment : a prediction next to its answer.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> answers = ["Coca Cola Company", "Coca Cola"]
    >>> df = pl.DataFrame({"prediction": ["CocaCola"], "answers": [answers]})
    >>> df.select(af.nearest_answer("prediction", "answers")).item()
    'Coca Cola'
    """
    return _plugin.score(
        "nearest_answer", prediction, answers, missing=missing, protocol=plugin_options(protocol)
    )


@fields_of_answers
def score(
    prediction: IntoExprColumn,
    answers: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    All scores of each row in one pass, as a struct.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. For two
        pandas Series with the same index, the fields are the columns of a pandas frame.
    answers
        Column with the accepted answer, or a list of them. Null entries of a list are skipped.
    protocol
        How texts are scored: a preset's name or a `ScoreProtocol`. It prepares texts for `nls`, `anls`,
        `exact_match` and `answer_index`, and holds the threshold; its `errors` prepares them for `cer`,
        `char_errors` and `reference_length`: ``PROTOCOLS["rrc"].replace(threshold=0.3, errors="jiwer")``.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Struct`, named `score`, with the fields

        - `nls`, `anls`, `cer` (`Float64`) and `exact_match` (`Boolean`): as the functions of these names;
        - `char_errors`, `reference_length` (`Int64`): edits and code points of the answer that gives
          `cer`; the corpus rate is the quotient of their sums over rows;
        - `answer_index` (`Int64`): position in the list of the answer with the best `nls`, counting nulls;
          it is not always the answer that gives `cer`.

        A null struct where the prediction is null or there is no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown or has no threshold.
    TypeError
        If an argument is not a column.

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
    return _plugin.score("score", prediction, answers, missing=missing, **plugin_scoring(protocol))
