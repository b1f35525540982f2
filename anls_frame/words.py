"""
Row expressions that count edits: the word error rate, related rates, and the counts they divide.

As in `anls_frame.metrics`, the prediction comes first, and the result is named after the function. The
protocol's field `words` defines what a word is.
"""

from __future__ import annotations

import polars as pl

from anls_frame import _plugin
from anls_frame._typing import IntoColumn, IntoExprColumn, Missing
from anls_frame.metrics.row_functions import fields_on_columns, on_columns
from anls_frame.protocol import ScoreProtocol, by_words, resolve_protocol

__all__ = ["bag_of_words_error", "edit_counts", "mer", "wer", "wil", "word_errors"]


@on_columns
def wer(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Word error rate of each row: word edits divided by reference words, the minimum over its answers.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
    answers
        Column with the reference, or with a list of accepted references: the one with the lowest
        rate counts. Null entries of a list are skipped.
    protocol
        How both texts are prepared, and what a word is (its field `words`). By default, texts are not
        prepared, and words are separated by whitespace, as in torchmetrics. `"jiwer"` and `"dinglehopper"`
        split words as these packages do.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Float64`, named `wer`: 0 for the same words in the same order, above 1 if many words are added. For a
        reference without words, the number of insertions, as in jiwer 4. Null where the prediction is null or
        the row has no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is not a column.

    See Also
    --------
    word_errors : the numbers of substitutions, deletions and insertions.

    Notes
    -----
    The mean of this column is not the corpus rate, which is the sum of edits divided by the sum of reference
    words. Reports show the corpus rate as `wer_corpus`.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["the quick fox", "a b"], "reference": ["the quick brown fox", ""]})
    >>> df.select(af.wer("prediction", "reference"))
    shape: (2, 1)
    ┌──────┐
    │ wer  │
    │ ---  │
    │ f64  │
    ╞══════╡
    │ 0.25 │
    │ 2.0  │
    └──────┘
    """
    return _plugin.score("wer", prediction, answers, missing, by_words(protocol))


@fields_on_columns
def edit_counts(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Numbers of characters of each row that are substituted, missing, added and correct.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a pandas frame with a column for each field.
    answers
        Column with the reference, or with a list of accepted references: the one with the lowest
        character error rate counts, as for `cer` (the first on ties). Null entries of a list are skipped.
    protocol
        How both texts are prepared, and what is counted (its field `unit`); by default, the code points of
        the unprepared texts.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Struct`, named `edit_counts`, with the fields `substitutions`, `deletions`, `insertions` and `hits`
        (`Int64`). Substitutions, deletions and insertions add up to the `levenshtein` distance to the
        reference; substitutions, deletions and hits add up to its length. Null where the prediction is null
        or the row has no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is not a column.

    See Also
    --------
    word_errors : the same counts for words.
    edit_ops : the edits themselves, with positions.

    Notes
    -----
    Several alignments can have the same, smallest number of edits. The counts are those of rapidfuzz's
    ``Levenshtein.editops(reference, prediction)``, and so of jiwer's ``process_characters``.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["lnvoice 4"], "reference": ["Invoice 42"]})
    >>> df.select(af.words.edit_counts("prediction", "reference")).unnest("edit_counts")
    shape: (1, 4)
    ┌───────────────┬───────────┬────────────┬──────┐
    │ substitutions ┆ deletions ┆ insertions ┆ hits │
    │ ---           ┆ ---       ┆ ---        ┆ ---  │
    │ i64           ┆ i64       ┆ i64        ┆ i64  │
    ╞═══════════════╪═══════════╪════════════╪══════╡
    │ 1             ┆ 1         ┆ 0          ┆ 8    │
    └───────────────┴───────────┴────────────┴──────┘
    """
    return _plugin.score("edit_counts", prediction, answers, missing, protocol)


@fields_on_columns
def word_errors(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Numbers of words of each row that are substituted, missing, added and correct.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a pandas frame with a column for each field.
    answers
        Column with the reference, or with a list of accepted references: the one with the lowest
        word error rate counts, as for `wer` (the first on ties). Null entries of a list are skipped.
    protocol
        How both texts are prepared, and what a word is; see `wer`.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Struct`, named `word_errors`, with the fields `substitutions`, `deletions`, `insertions` and `hits`
        (`Int64`). Substitutions, deletions and insertions add up to the edit distance in words;
        substitutions, deletions and hits add up to the number of words of the reference. Null where the
        prediction is null or the row has no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is not a column.

    See Also
    --------
    wer, mer, wil : rates computed from these counts.
    edit_counts : the same counts for characters.

    Notes
    -----
    Several alignments can have the same, smallest number of edits. The counts are those of rapidfuzz's
    ``Levenshtein.editops(reference, prediction)`` of the words, and so of jiwer.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a quick red fox"], "reference": ["the quick fox"]})
    >>> df.select(af.words.word_errors("prediction", "reference")).unnest("word_errors")
    shape: (1, 4)
    ┌───────────────┬───────────┬────────────┬──────┐
    │ substitutions ┆ deletions ┆ insertions ┆ hits │
    │ ---           ┆ ---       ┆ ---        ┆ ---  │
    │ i64           ┆ i64       ┆ i64        ┆ i64  │
    ╞═══════════════╪═══════════╪════════════╪══════╡
    │ 1             ┆ 0         ┆ 1          ┆ 2    │
    └───────────────┴───────────┴────────────┴──────┘
    """
    return _plugin.score("word_errors", prediction, answers, missing, by_words(protocol))


@on_columns
def mer(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Match error rate of each row: word edits divided by the sum of word edits and hits, at most 1.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
    answers
        Column with the reference, or with a list of accepted references: the one with the lowest
        word error rate counts, as for `wer` (the first on ties). Null entries of a list are skipped.
    protocol
        How both texts are prepared, what a word is (see `wer`), and how hits are counted (its field `hits`).
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Float64` in [0, 1], named `mer`: (S + D + I) / (S + D + I + H) with the counts of `word_errors`; 0
        for two texts without words. Null where the prediction is null or the row has no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is not a column.

    See Also
    --------
    anls_frame.wer : word edits divided by the words of the reference.
    anls_frame.words.word_errors : the counts.

    Notes
    -----
    Morris, Maier and Green (2004), *From WER and RIL to MER and WIL*. The values equal those of jiwer; under
    `"torchmetrics"` they equal torchmetrics' ``match_error_rate``, which divides the edits by the words of
    the longer text.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a quick red fox"], "reference": ["the quick fox"]})
    >>> df.select(af.words.mer("prediction", "reference")).item()
    0.5
    """
    counts = word_errors(prediction, answers, protocol=protocol, missing=missing)
    edits, hits, _, _ = _counted(counts, protocol)
    # Without words, there are no errors.
    words = pl.max_horizontal(edits + hits, pl.lit(1, pl.Int64))
    return (edits / words).alias("mer")


@on_columns
def wil(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Word information lost in each row: 1 minus the product of the shares of correct words in both texts.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
    answers
        Column with the reference, or with a list of accepted references: the one with the lowest
        word error rate counts, as for `wer` (the first on ties). Null entries of a list are skipped.
    protocol
        How both texts are prepared, what a word is (see `wer`), and how hits are counted (its field `hits`).
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Float64` in [0, 1], named `wil`: 1 - H / N · H / P with the hits H of `word_errors`, N words in the
        reference and P words in the prediction; 0 for two texts without words, 1 if only one text has words.
        Null where the prediction is null or the row has no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is not a column.

    See Also
    --------
    anls_frame.wer : word edits divided by the words of the reference.
    anls_frame.words.word_errors : the counts.

    Notes
    -----
    Morris, Maier and Green (2004), *From WER and RIL to MER and WIL*. The values equal those of jiwer; under
    `"torchmetrics"` they equal torchmetrics' ``word_information_lost``, in single precision as there.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a quick red fox"], "reference": ["the quick fox"]})
    >>> round(df.select(af.words.wil("prediction", "reference")).item(), 4)
    0.6667
    """
    counts = word_errors(prediction, answers, protocol=protocol, missing=missing)
    _, hits, in_reference, in_prediction = _counted(counts, protocol)
    has_words = in_reference > 0, in_prediction > 0
    if resolve_protocol(protocol).hits == "longer":
        # In single precision, as torchmetrics computes it: each step rounds.
        hits, in_reference, in_prediction = (
            count.cast(pl.Float32) for count in (hits, in_reference, in_prediction)
        )
    # In this order, as jiwer and torchmetrics compute it: the last bit depends on it.
    lost = (1 - (hits / in_reference) * (hits / in_prediction)).cast(pl.Float64)
    either, both = has_words[0] | has_words[1], has_words[0] & has_words[1]
    return pl.when(~both & either).then(1.0).when(~either).then(0.0).otherwise(lost).alias("wil")


@on_columns
def bag_of_words_error(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Word error rate of each row, with word order ignored.

    This rate separates errors of recognition from errors of reading order: the excess of `wer` over it is due
    to word order.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
    answers
        Column with the reference, or with a list of accepted references: the one with the lowest
        word error rate counts, as for `wer` (the first on ties). Null entries of a list are skipped.
    protocol
        How both texts are prepared, and what a word is; see `wer`.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Float64`, named `bag_of_words_error`: (max(N, P) - C) / N with N words in the reference, P words in
        the prediction, and C words that both have in common, counted with repetitions. The rate is never
        above `wer`. For a reference without words, it is P. Null where the prediction is null or the row has
        no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is not a column.

    See Also
    --------
    anls_frame.wer : the word error rate in the given order.

    Notes
    -----
    Vidal et al. (2023), *End-to-end page-level assessment of handwritten text recognition*, who define it as
    half the sum of `abs(N - P)` and of the absolute differences of all words' counts, divided by N.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["to be or not"], "reference": ["not to be or"]})
    >>> df.select(
    ...     af.wer("prediction", "reference"), af.words.bag_of_words_error("prediction", "reference")
    ... ).row(0)
    (0.5, 0.0)
    """
    counts = word_errors(prediction, answers, protocol=protocol, missing=missing)
    shared = _plugin.score("shared_units", prediction, answers, missing, by_words(protocol))
    _, _, in_reference, in_prediction = _counted(counts, protocol)
    errors = pl.max_horizontal(in_reference, in_prediction) - shared
    words = pl.max_horizontal(in_reference, pl.lit(1, pl.Int64))
    return (errors / words).alias("bag_of_words_error")


def _counted(counts: pl.Expr, protocol: ScoreProtocol | str) -> tuple[pl.Expr, pl.Expr, pl.Expr, pl.Expr]:
    """Return the edits, the hits as defined by the protocol, and the words of reference and prediction."""
    names = ("substitutions", "deletions", "insertions", "hits")
    substitutions, deletions, insertions, hits = (counts.struct.field(name) for name in names)
    edits = substitutions + deletions + insertions
    in_reference, in_prediction = substitutions + deletions + hits, substitutions + insertions + hits
    if resolve_protocol(protocol).hits == "longer":
        hits = pl.max_horizontal(in_reference, in_prediction) - edits
    return edits, hits, in_reference, in_prediction
