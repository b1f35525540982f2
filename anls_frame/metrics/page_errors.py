"""Row expressions about pages: errors by kind, and the error rate if blocks may stand in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from anls_frame import _plugin
from anls_frame._arguments import count
from anls_frame.metrics.row_functions import fields_of_answers, of_answers
from anls_frame.protocol import plugin_options

if TYPE_CHECKING:
    from anls_frame._typing import IntoExprColumn, Missing
    from anls_frame.protocol import ScoreProtocol

__all__ = ["page_errors", "reading_order_free_cer"]

KINDS = ("misread", "omitted", "added", "fabricated", "repeated", "moved")
"""The kinds of errors, in the order of the fields of `page_errors`."""


@fields_of_answers
def page_errors(
    prediction: IntoExprColumn,
    answers: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    min_words: int = 4,
    missing: Missing = "drop",
) -> pl.Expr:
    """
    How many characters of each page are misread, omitted, added, fabricated, repeated and moved.

    An edit distance knows the order of the reference only: two columns that were read in the wrong order
    look like substitutions, and a page that was read twice like insertions. This function first takes out
    the blocks that stand elsewhere or again, and then names the edits of what is left.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. For two
        pandas Series with the same index, the result is a frame.
    answers
        Column with the reference, or a list of accepted ones, in which case the one with the lowest character
        error rate counts, as for `cer`, and the first of equals. Null entries of a list are skipped.
    protocol
        How both texts are prepared, what is counted (its field `unit`) and what a word is (its field
        `words`); by default, code points of the unprepared texts, and what stands between whitespace. For
        texts without spaces, pass a protocol with `words="uax29"`.
    min_words
        Words of the shortest block that is moved, repeated or fabricated.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Struct`, named `page_errors`, with the fields (`Int64`)

        - `misread`: substitutions, and insertions and deletions of a few letters within a line;
        - `omitted`: text of the reference with nothing against it;
        - `added`: text of the prediction with nothing against it;
        - `fabricated`: the same in runs of `min_words` words and more that share no three words in a row
          with the reference;
        - `repeated`: blocks of the prediction that stand there again;
        - `moved`: right characters of blocks that stand at another place than in the reference;
        - `reference_length`: characters of the reference.

        Null where the prediction is null or there is no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown, or `min_words` is below 1.
    TypeError
        If an argument is not a column, or `min_words` is not an integer.

    See Also
    --------
    reading_order_free_cer : the error rate without `moved`.
    anls_frame.cer : the error rate that these errors make up.
    anls_frame.words.edit_counts : substitutions, deletions and insertions.

    Notes
    -----
    It is a definition, not the truth about a page.

    1. *Blocks.* Runs of equal words that contain `min_words` words in a row found at one place of the
       reference only are anchors. The heaviest chain of anchors, by characters, that stands in both texts in
       the same order stays. An anchor beside the chain is moved if its place in the reference is free, else
       repeated, and so are `min_words` words and more of the prediction that stand there before; a stretch
       between two anchors of the chain repeats no more words than it has above the reference. A block grows
       over misread words beside it as long as right characters outweigh edits two to one. Moved blocks are
       taken out of both texts and compared with each other, repeated ones are taken out of the prediction.
    2. *Edits.* What is left is aligned with the fewest edits. Insertions or deletions in a row are text of
       its own, and not misread, if they have letters and whitespace, are eight characters and more, or
       if one of the texts is empty.
    3. *Sum.* Where nothing is moved or repeated, the kinds add up to the edit distance.

    Memory grows with the length of the texts. Pages of which few letters are misread take two to ten times
    as long as `cer`, hostile texts up to ten times.

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
    return _plugin.score(
        "page_errors",
        prediction,
        answers,
        missing=missing,
        protocol=plugin_options(protocol),
        # No text has so many words.
        min_words=min(count("min_words", min_words, least=1), 2**32),
    )


@of_answers
def reading_order_free_cer(
    prediction: IntoExprColumn,
    answers: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    min_words: int = 4,
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Character error rate of each row that is left when blocks may stand in any order.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. For two
        pandas Series with the same index, the result is one, too.
    answers
        Column with the reference, or a list of accepted ones, in which case the one with the lowest character
        error rate counts, as for `cer`, and the first of equals. Null entries of a list are skipped.
    protocol
        How both texts are prepared, what is counted and what a word is; see `page_errors`.
    min_words
        Words of the shortest block that may stand elsewhere.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Float64`, named `reading_order_free_cer`: all kinds of `page_errors` but `moved`, added up and
        divided by the length of the reference. With an empty reference it is the number of errors. Null where
        the prediction is null or there is no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown, or `min_words` is below 1.
    TypeError
        If an argument is not a column, or `min_words` is not an integer.

    See Also
    --------
    page_errors : the errors by kind.
    anls_frame.words.bag_of_words_error : the word error rate without any order.

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
