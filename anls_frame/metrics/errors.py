"""
Row expressions about errors: the edits behind a distance, and the type of error in a prediction.

As in `anls_frame.metrics`: prediction first, one result for each row, named after the function.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, get_args

import polars as pl

from anls_frame import _plugin
from anls_frame._typing import ErrorType
from anls_frame.metrics.row_functions import fields_of_answers, of_answers, of_reference
from anls_frame.metrics.scores import anls, nls
from anls_frame.protocol import plugin_options, resolve_protocol, resolve_scoring

if TYPE_CHECKING:
    from anls_frame._typing import IntoExprColumn, Missing
    from anls_frame.protocol import ScoreProtocol

__all__ = ["edit_ops", "error_type", "explain"]

_STEPS = {"unicode_form": "unicode_form", "case": "ignore_case", "whitespace": "whitespace"}
"""The steps of preparation in order, with the protocol field that enables each of them."""

ERROR_TYPES: tuple[ErrorType, ...] = get_args(ErrorType)
"""The error types in the order in which they are tried; the plugin numbers them from 0."""


@of_reference
def edit_ops(
    prediction: IntoExprColumn,
    reference: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Edits of each row: the fewest that turn its reference into its prediction, with their places.

    An insertion is something that the model added, a deletion something that it left out.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. For two
        pandas Series with the same index, the result is one, too.
    reference
        Column with one string per row; for lists of answers, use `nearest_answer` first.
    protocol
        How both texts are prepared; by default, not at all. Positions and characters refer to the prepared
        texts.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `List(Struct)`, named `edit_ops`, from the start of the texts to their end, with the fields

        - `op` (`String`): `"replace"`, `"insert"` or `"delete"`;
        - `reference_pos`, `prediction_pos` (`Int64`): position in either text, in code points from 0;
        - `reference_char`, `predicted_char` (`String`): the characters there, null in the text that has none.

        The number of edits equals `levenshtein`; the list is empty for equal texts, and null where either
        text is null.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is not a column.

    See Also
    --------
    anls_frame.confusions : the same edits, counted over a frame.
    anls_frame.pairs.alignment : the alignment of one pair of texts, for display.

    Notes
    -----
    Several edit paths can have the same, smallest length. This function returns the path of rapidfuzz's
    ``Levenshtein.editops(reference, prediction)``, for texts of any length. The algorithm is bit-parallel
    (Hyyrö 2003), with memory linear in the text lengths (Hirschberg 1975).

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["cat"], "reference": ["cafe"]})
    >>> df.select(af.edit_ops("prediction", "reference").explode()).unnest("edit_ops")
    shape: (2, 5)
    ┌─────────┬───────────────┬────────────────┬────────────────┬────────────────┐
    │ op      ┆ reference_pos ┆ prediction_pos ┆ reference_char ┆ predicted_char │
    │ ---     ┆ ---           ┆ ---            ┆ ---            ┆ ---            │
    │ str     ┆ i64           ┆ i64            ┆ str            ┆ str            │
    ╞═════════╪═══════════════╪════════════════╪════════════════╪════════════════╡
    │ replace ┆ 2             ┆ 2              ┆ f              ┆ t              │
    │ delete  ┆ 3             ┆ 3              ┆ e              ┆ null           │
    └─────────┴───────────────┴────────────────┴────────────────┴────────────────┘
    """
    return _plugin.score(
        "edit_ops", prediction, reference, missing=missing, protocol=plugin_options(protocol)
    )


@of_answers
def error_type(
    prediction: IntoExprColumn,
    answers: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Error type of each row: the smallest difference that separates the prediction from an answer.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. For two
        pandas Series with the same index, the result is one, too.
    answers
        Column with the accepted answer, or a list of them, in which case the one with the smallest
        difference counts. Null entries of a list are skipped.
    protocol
        How texts are compared and cut, which decides between `near` and `wrong`. The other types do not
        depend on it.
    missing
        `"drop"`, the default, gives `missing` for a null prediction; `"empty"` treats it as an empty string.

    Returns
    -------
    Expr
        `Enum`, named `error_type`: the first of these that applies to any answer.

        - `missing`: the prediction is null, and there is an answer;
        - `empty`: the prediction is empty or only whitespace, and no accepted answer is;
        - `invented`: the prediction is a text, and every accepted answer is empty or only whitespace;
        - `exact`: no error, the code points are equal;
        - `case`: equal in lower case;
        - `whitespace`: equal if whitespace is also ignored;
        - `punctuation`: equal if punctuation (Unicode category P) is also ignored;
        - `diacritics`: equal if combining marks are also ignored, after canonical decomposition;
        - `number_format`: the same number after NFKC, without whitespace, currency signs and ``%``; point and
          comma may each be the decimal or the thousands separator;
        - `extra_text`: the prediction contains the answer, of at least two characters, at word boundaries;
          next to a Chinese, Japanese or Korean character no boundary is needed;
        - `truncated`: the answer contains the prediction in the same way;
        - `near`: the score passes the cut;
        - `wrong`: anything else.

        Containment is checked in lower case, whitespace collapsed. Null where there is no answer, whatever
        the prediction, so the counts of all types add up to the number of rows with an answer. Reports with
        ``unanswerable="empty"`` take the empty text as the answer of these rows.

    Raises
    ------
    ValueError
        If the protocol is unknown or has no threshold.
    TypeError
        If an argument is not a column.

    See Also
    --------
    anls_frame.explain : how much each step of preparation adds to the score.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> predictions = ["Coca Cola", "coca cola", "CocaCola", "Coca-Cola Company", "Koca Cola", "Pepsi", None]
    >>> df = pl.DataFrame({"prediction": predictions, "answer": "Coca Cola"})
    >>> df.with_columns(af.error_type("prediction", "answer"))
    shape: (7, 3)
    ┌───────────────────┬───────────┬────────────┐
    │ prediction        ┆ answer    ┆ error_type │
    │ ---               ┆ ---       ┆ ---        │
    │ str               ┆ str       ┆ enum       │
    ╞═══════════════════╪═══════════╪════════════╡
    │ Coca Cola         ┆ Coca Cola ┆ exact      │
    │ coca cola         ┆ Coca Cola ┆ case       │
    │ CocaCola          ┆ Coca Cola ┆ whitespace │
    │ Coca-Cola Company ┆ Coca Cola ┆ wrong      │
    │ Koca Cola         ┆ Coca Cola ┆ near       │
    │ Pepsi             ┆ Coca Cola ┆ wrong      │
    │ null              ┆ Coca Cola ┆ missing    │
    └───────────────────┴───────────┴────────────┘
    """
    whole = resolve_scoring(protocol)
    codes = _plugin.score(
        "error_type",
        prediction,
        answers,
        missing=missing,
        protocol=plugin_options(whole),
        threshold=whole.threshold,
    )
    dtype = pl.Enum(ERROR_TYPES)
    # Polars 2 has its own method for this cast.
    return codes.cat.to(dtype) if hasattr(codes.cat, "to") else codes.cast(dtype)


@fields_of_answers
def explain(
    prediction: IntoExprColumn,
    answers: IntoExprColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "drop",
) -> pl.Expr:
    r"""
    How much each step of preparation adds to the score of each row.

    The texts are scored unchanged, then with one more step of the protocol at a time, in its order: Unicode
    form, case, whitespace. The gain of a step is the score after it minus the score before it; it can be
    negative, because a step can also remove something that matched.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. For two
        pandas Series with the same index, the fields are the columns of a pandas frame.
    answers
        Column with the accepted answer, or a list of them. The best one counts at each step.
    protocol
        The protocol to explain: with `nls` if it has no threshold, otherwise with `anls`.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Struct`, named `explain`, with the fields

        - `raw` (`Float64`): the score of the unchanged texts, under the protocol's length and cut;
        - `unicode_form`, `case`, `whitespace` (`Float64`): the gain of each step, 0 for a step that the
          protocol does not use;
        - `score` (`Float64`): the score with all steps;
        - `step` (`String`): the step that changes the score most, the first one on ties; null if none does.

        All null where the prediction is null or there is no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is not a column.

    See Also
    --------
    error_type : what separates a prediction from its answer.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["COLA", "c\uff4fla", " cola"], "answer": "cola"})
    >>> nfkc = af.ScoreProtocol(unicode_form="NFKC", threshold=0.5)
    >>> df.select(af.explain("prediction", "answer", protocol=nfkc)).unnest("explain")
    shape: (3, 6)
    ┌──────┬──────────────┬──────┬────────────┬───────┬──────────────┐
    │ raw  ┆ unicode_form ┆ case ┆ whitespace ┆ score ┆ step         │
    │ ---  ┆ ---          ┆ ---  ┆ ---        ┆ ---   ┆ ---          │
    │ f64  ┆ f64          ┆ f64  ┆ f64        ┆ f64   ┆ str          │
    ╞══════╪══════════════╪══════╪════════════╪═══════╪══════════════╡
    │ 0.0  ┆ 0.0          ┆ 1.0  ┆ 0.0        ┆ 1.0   ┆ case         │
    │ 0.75 ┆ 0.25         ┆ 0.0  ┆ 0.0        ┆ 1.0   ┆ unicode_form │
    │ 0.8  ┆ 0.0          ┆ 0.0  ┆ 0.2        ┆ 1.0   ┆ whitespace   │
    └──────┴──────────────┴──────┴────────────┴───────┴──────────────┘
    """
    whole = resolve_protocol(protocol)
    so_far = dataclasses.replace(whole, ignore_case=False, whitespace="keep", unicode_form=None)
    scores = {"raw": _score(prediction, answers, so_far, missing)}
    for step, option in _STEPS.items():
        so_far = dataclasses.replace(so_far, **{option: getattr(whole, option)})
        scores[step] = _score(prediction, answers, so_far, missing)
    # Built from fields, so that no score is computed twice.
    after = pl.struct([score.alias(name) for name, score in scores.items()])
    points = [(pl.field(step) - pl.field(before)).alias(step) for before, step in itertools.pairwise(scores)]
    with_points = after.struct.with_fields(*points, score=pl.field("whitespace"))
    largest = pl.max_horizontal(pl.field(step).abs() for step in _STEPS)
    is_step = ((pl.field(step).abs() == largest) & (largest > 0) for step in _STEPS)
    names = [pl.when(flag).then(pl.lit(step)) for flag, step in zip(is_step, _STEPS, strict=True)]
    explained: pl.Expr = with_points.struct.with_fields(step=pl.coalesce(names))
    return explained.alias("explain")


def _score(
    prediction: IntoExprColumn, answers: IntoExprColumn, protocol: ScoreProtocol, missing: Missing
) -> pl.Expr:
    metric = nls if protocol.threshold is None else anls
    return metric(prediction, answers, protocol=protocol, missing=missing)
