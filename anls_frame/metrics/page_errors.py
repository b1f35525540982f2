"""Row expressions about pages: errors by kind, and the error rate for any order of blocks."""

from __future__ import annotations

import polars as pl

from anls_frame import _plugin
from anls_frame._arguments import count
from anls_frame._typing import IntoColumn, IntoExprColumn, Missing
from anls_frame.metrics.row_functions import fields_on_columns, on_columns
from anls_frame.protocol import ScoreProtocol

__all__ = ["page_errors", "reading_order_free_cer"]

KINDS = ("misread", "omitted", "added", "fabricated", "repeated", "moved")
"""The kinds of errors, in the order of the fields of `page_errors`."""


@fields_on_columns
def page_errors(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    min_words: int = 4,
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Numbers of characters of each page that are misread, omitted, added, fabricated, repeated or moved.

    An edit distance assumes the order of the reference: two columns that were read in the wrong order look
    like substitutions, and a page that was read twice looks like insertions. This function first removes
    moved and repeated blocks, and then classifies the edits of the remaining text.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a pandas frame with a column for each field.
    answers
        Column with the reference, or with a list of accepted references: the one with the lowest
        character error rate counts, as for `cer` (the first on ties). Null entries of a list are skipped.
    protocol
        How both texts are prepared, what is counted (its field `unit`) and what a word is (its field
        `words`). By default, texts are not prepared, code points are counted, and words are separated by
        whitespace. For texts without spaces, pass a protocol with `words="uax29"`.
    min_words
        Number of words from which a block counts as moved, repeated or fabricated.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Struct`, named `page_errors`, with the fields (`Int64`)

        - `misread`: substitutions, and insertions and deletions of a few letters within a line;
        - `omitted`: text of the reference without a counterpart in the prediction;
        - `added`: text of the prediction without a counterpart in the reference;
        - `fabricated`: added text in runs of at least `min_words` words that share no three consecutive words
          with the reference;
        - `repeated`: blocks that the prediction repeats;
        - `moved`: correct characters of blocks whose place differs from that in the reference;
        - `reference_length`: characters of the reference.

        Null where the prediction is null or the row has no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown, or `min_words` is below 1.
    TypeError
        If an argument is not a column, or `min_words` is not an integer.

    See Also
    --------
    reading_order_free_cer : the error rate of all kinds but `moved`.
    anls_frame.cer : the error rate that these errors make up.
    anls_frame.words.edit_counts : substitutions, deletions and insertions.

    Notes
    -----
    The kinds follow from a definition; they are not the truth about a page.

    1. *Blocks.* An anchor is a run of equal words that contains `min_words` consecutive words found at only
       one place of the reference. The longest chain of anchors (by characters) in the same order in both
       texts stays in place. An anchor outside the chain is moved if its place in the reference is free,
       otherwise repeated. Also repeated are `min_words` or more words that occur earlier in the prediction; a
       stretch between two anchors of the chain repeats no more words than it has in excess of the reference.
       Anchors and blocks extend over adjacent misread words as long as correct characters outnumber edits two
       to one, but not over another run, and over fewer than `min_words` words that remain between two blocks.
       Words next to an anchor are repeated if they resemble its neighbours in the reference, and most of
       those neighbours have been found elsewhere.
       Moved blocks are removed from both texts and compared with each other; repeated blocks are removed from
       the prediction.
    2. *Edits.* The remaining text is aligned with the fewest edits. Consecutive insertions or deletions count
       as added or omitted text rather than misread if they contain letters and whitespace, if they have at
       least eight characters, or if one of the texts is empty.
    3. *Sum.* If nothing is moved or repeated, the kinds add up to the edit distance. Computing it would take
       too long for texts of more than 16,000 characters whose length times the number of edits exceeds 3·10¹⁰
       (1 MB with 3 % errors). Such texts are cut where both have the same 32 characters, and the parts are
       aligned. Their sum is never below the edit distance, and can exceed it slightly. Stretches of more than
       16,000 characters without such a place are aligned piece by piece; longer omissions within them are
       reported as other errors.

    Memory grows with the length of the texts.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> left, right = "Invoice of 3 May 2024 to Ms Ada King", "Total 42.00 EUR due within 30 days"
    >>> df = pl.DataFrame({"prediction": [f"{right} {left}"], "reference": [f"{left} {right}"]})
    >>> df.select(af.page_errors("prediction", "reference")).unnest("page_errors")
    shape: (1, 7)
    ┌─────────┬─────────┬───────┬────────────┬──────────┬───────┬──────────────────┐
    │ misread ┆ omitted ┆ added ┆ fabricated ┆ repeated ┆ moved ┆ reference_length │
    │ ---     ┆ ---     ┆ ---   ┆ ---        ┆ ---      ┆ ---   ┆ ---              │
    │ i64     ┆ i64     ┆ i64   ┆ i64        ┆ i64      ┆ i64   ┆ i64              │
    ╞═════════╪═════════╪═══════╪════════════╪══════════╪═══════╪══════════════════╡
    │ 0       ┆ 0       ┆ 0     ┆ 0          ┆ 0        ┆ 35    ┆ 71               │
    └─────────┴─────────┴───────┴────────────┴──────────┴───────┴──────────────────┘
    """
    # No text has more words.
    least = min(count("min_words", min_words, least=1), 2**32)
    return _plugin.score("page_errors", prediction, answers, missing, protocol, min_words=least)


@on_columns
def reading_order_free_cer(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    min_words: int = 4,
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Character error rate of each row, with blocks allowed in any order.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
    answers
        Column with the reference, or with a list of accepted references: the one with the lowest
        character error rate counts, as for `cer` (the first on ties). Null entries of a list are skipped.
    protocol
        How both texts are prepared, what is counted and what a word is; see `page_errors`.
    min_words
        Number of words from which a block may be in another place.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Float64`, named `reading_order_free_cer`: the sum of all kinds of `page_errors` but `moved`, divided
        by the length of the reference. For an empty reference, the number of errors. Null where the
        prediction is null or the row has no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown, or `min_words` is below 1.
    TypeError
        If an argument is not a column, or `min_words` is not an integer.

    See Also
    --------
    page_errors : the errors by kind.
    anls_frame.words.bag_of_words_error : the word error rate with word order ignored.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> left, right = "Invoice of 3 May 2024 to Ms Ada King", "Total 42.00 EUR due within 30 days"
    >>> df = pl.DataFrame({"prediction": [f"{right} {left}"], "reference": [f"{left} {right}"]})
    >>> cer, free = df.select(
    ...     af.cer("prediction", "reference"), af.reading_order_free_cer("prediction", "reference")
    ... ).row(0)
    >>> round(cer, 2), free
    (0.86, 0.0)
    """
    counts = page_errors(prediction, answers, protocol=protocol, min_words=min_words, missing=missing)
    in_place = [counts.struct.field(kind) for kind in KINDS if kind != "moved"]
    length = pl.max_horizontal(counts.struct.field("reference_length"), pl.lit(1, pl.Int64))
    errors = pl.sum_horizontal(in_place, ignore_nulls=False)
    return (errors / length).alias("reading_order_free_cer")
