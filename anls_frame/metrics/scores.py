"""Scores of predictions against answers, row by row, each with the best answer of its row."""

from __future__ import annotations

import polars as pl

from anls_frame import _plugin
from anls_frame._typing import IntoColumn, IntoExprColumn, Missing
from anls_frame.metrics.row_functions import fields_on_columns, on_columns
from anls_frame.protocol import (
    ScoreProtocol,
    check_substitution_cost,
    plugin_scoring,
    resolve_scoring,
    resolve_threshold,
)

__all__ = ["anls", "cer", "exact_match", "nearest_answer", "nls", "score"]


@on_columns
def nls(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    substitution_cost: int = 1,
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Normalized Levenshtein similarity of each row: 1 - d / L, the maximum over its answers.

    d is the edit distance of the prepared texts, and L is the length of the longer text, counted as the
    protocol says.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
    answers
        Column with the accepted answer, or with a list of accepted answers; the best one counts. Null
        entries of a list are skipped.
    protocol
        How texts are prepared and L is counted. Its threshold is not used.
    substitution_cost
        Cost of a substitution; an insertion or a deletion costs 1.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Float64`, named `nls`: from 0 (nothing in common) to 1 (equal after preparation); 1 for two empty
        texts. Scores are not clipped: with a substitution cost above 1 they can fall to -1, and they can be
        negative if a protocol divides by the raw length and preparation makes the text longer (`İ`). Null
        where the prediction is null or the row has no answer (null, an empty list, only nulls).

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
    cost = check_substitution_cost(substitution_cost)
    return _plugin.score("nls", prediction, answers, missing, protocol, substitution_cost=cost)


@on_columns
def anls(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    threshold: float | None = None,
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Similarity of each row, with low values set to 0; its mean over rows is ANLS.

    The score is the normalized Levenshtein similarity, set to 0 where it does not pass the protocol's cut. A
    slightly misread answer keeps most of its score; a different answer gets 0.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
    answers
        Column with the accepted answer, or with a list of accepted answers; the best one counts. Null
        entries of a list are skipped.
    protocol
        How texts are prepared, how L is counted and how scores are cut.
    threshold
        The threshold t in [0, 1], which overrides the protocol's own. `"anls"` keeps scores with d / L < t,
        so a score of exactly 0.5 becomes 0 at t = 0.5; `"rrc"` and `"anls_star"` keep scores with 1 - d / L ≥
        t, so it stays.
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
    Published scorers differ in preparation, in L and in their handling of scores at exactly the threshold;
    the presets reproduce them bit for bit.

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
        "anls", prediction, answers, missing, protocol, threshold=resolve_threshold(protocol, threshold)
    )


@on_columns
def cer(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Character error rate of each row: edits divided by reference length, the minimum over its answers.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
    answers
        Column with the reference, or with a list of accepted references: the one with the lowest
        rate counts. Null entries of a list are skipped.
    protocol
        How both texts are prepared; by default, not at all. `"jiwer"` strips both ends.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Float64`, named `cer`: 0 for equal texts, above 1 if the prediction has many more characters than the
        reference. For an empty reference, the number of insertions, as in jiwer 4 (0 for two empty texts).
        Null where the prediction is null or the row has no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is not a column.

    See Also
    --------
    anls_frame.wer : the error rate of words.
    anls_frame.words.edit_counts : the number of edits of each kind.
    anls_frame.pairs.get_cer : the character error rate of two strings, without a frame.

    Notes
    -----
    The mean of this column is not the corpus rate, which is total edits divided by total reference length.
    `score` returns both terms as `char_errors` and `reference_length`.

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
    return _plugin.score("cer", prediction, answers, missing, protocol)


@on_columns
def exact_match(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Whether each prediction equals an answer after preparation.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
    answers
        Column with the accepted answer, or with a list of accepted answers. Null entries of a list are
        skipped.
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
    anls_frame.anls : a score with partial credit.
    anls_frame.error_type : the kind of difference where a prediction does not match.

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
    return _plugin.score("exact_match", prediction, answers, missing, protocol)


@on_columns
def nearest_answer(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Return the answer that is most similar to each prediction, as written in the column.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
    answers
        Column with the accepted answer, or with a list of accepted answers. Null entries of a list are
        skipped.
    protocol
        How texts are compared.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `String`, named `nearest_answer`: the answer with the best `nls` (the first on ties); null where the
        prediction is null or the row has no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is not a column.

    See Also
    --------
    anls_frame.nls : the similarity of the prediction to this answer.
    anls_frame.pairs.alignment : a prediction aligned with its answer.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> answers = ["Coca Cola Company", "Coca Cola"]
    >>> df = pl.DataFrame({"prediction": ["CocaCola"], "answers": [answers]})
    >>> df.select(af.nearest_answer("prediction", "answers")).item()
    'Coca Cola'
    """
    return _plugin.score("nearest_answer", prediction, answers, missing, protocol)


@fields_on_columns
def score(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    All scores of each row in one pass, as a struct.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a pandas frame with a column for each field.
    answers
        Column with the accepted answer, or with a list of accepted answers. Null entries of a list are
        skipped.
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

        - `nls`, `anls`, `cer` (`Float64`) and `exact_match` (`Boolean`): as returned by the functions of
          these names;
        - `char_errors`, `reference_length` (`Int64`): number of edits and of code points of the answer that
          gives `cer`; the sums over rows give the corpus rate;
        - `answer_index` (`Int64`): position in the list, counting nulls, of the answer with the best `nls`,
          which need not be the answer that gives `cer`.

        The struct is null where the prediction is null or the row has no answer.

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
    return fields_of_score(prediction, answers, protocol=resolve_scoring(protocol), missing=missing)


def fields_of_score(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "drop",
) -> pl.Expr:
    """Return `score` for callers that show no ANLS if the protocol has no threshold."""
    return _plugin.score("score", prediction, answers, missing, **plugin_scoring(protocol))
