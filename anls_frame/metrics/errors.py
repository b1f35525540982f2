"""
Row expressions about errors: the edits that make up a distance, and the error type of a prediction.

As in `anls_frame.metrics`, the prediction comes first, and the result is named after the function.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import get_args

import polars as pl

from anls_frame import _plugin
from anls_frame._typing import ErrorType, IntoColumn, IntoExprColumn, Missing
from anls_frame.metrics.row_functions import fields_on_columns, on_columns
from anls_frame.metrics.scores import anls, nls
from anls_frame.protocol import ScoreProtocol, resolve_protocol, resolve_scoring

__all__ = ["edit_ops", "error_type", "explain"]

_STEPS = {
    "unicode_form": "unicode_form",
    "case": "ignore_case",
    "punctuation": "ignore_punctuation",
    "whitespace": "whitespace",
}
"""The steps of preparation in order, with the protocol field that enables each of them."""

ERROR_TYPES: tuple[ErrorType, ...] = get_args(ErrorType)
"""The error types in the order in which they are tried; the plugin numbers them from 0."""


@on_columns
def edit_ops(
    prediction: IntoExprColumn,
    reference: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "raw",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Edits of each row: a shortest sequence that turns the reference into the prediction, with positions.

    An insertion is text that the model added; a deletion is text that the model left out.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
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
        `List(Struct)`, named `edit_ops`, in the order of the texts, with the fields

        - `op` (`String`): `"replace"`, `"insert"` or `"delete"`;
        - `reference_pos`, `prediction_pos` (`Int64`): position in either text, in code points from 0;
        - `reference_char`, `predicted_char` (`String`): the characters at these positions; null for the text
          without a character there.

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
    anls_frame.confusions : counts of these edits over a frame.
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
    return _plugin.score("edit_ops", prediction, reference, missing, protocol)


@on_columns
def error_type(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Error type of each row: the smallest difference between the prediction and an answer.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
    answers
        Column with the accepted answer, or with a list of accepted answers: the one with the
        smallest difference counts. Null entries of a list are skipped.
    protocol
        How texts are compared and cut, which decides between `near` and `wrong`. The other types do not
        depend on the protocol.
    missing
        `"drop"`, the default, gives `missing` for a null prediction; `"empty"` treats it as an empty string.

    Returns
    -------
    Expr
        `Enum`, named `error_type`: the first of these that applies to any answer.

        - `missing`: the prediction is null, although the row has an answer;
        - `empty`: the prediction is empty or only whitespace, but no accepted answer is;
        - `invented`: the prediction has text, but every accepted answer is empty or only whitespace;
        - `exact`: no error, the code points are equal;
        - `case`: equal in lower case;
        - `whitespace`: equal if whitespace is also ignored;
        - `punctuation`: equal if punctuation (Unicode category P) is also ignored;
        - `diacritics`: equal if combining marks are also ignored, after canonical decomposition;
        - `number_format`: the same number after NFKC, without whitespace, currency signs and ``%``; point and
          comma may each be the decimal or the thousands separator;
        - `extra_text`: the prediction contains the answer, of at least two characters, at word boundaries;
          Chinese, Japanese and Korean characters need no boundary;
        - `truncated`: the answer contains the prediction in the same way;
        - `near`: the score passes the cut;
        - `wrong`: anything else.

        Containment is checked in lower case with collapsed whitespace. The type is null where the row has no
        answer, whatever the prediction, so the counts of all types add up to the number of rows with an
        answer. Reports with ``unanswerable="empty"`` treat the empty text as the answer of these rows.

    Raises
    ------
    ValueError
        If the protocol is unknown or has no threshold.
    TypeError
        If an argument is not a column.

    See Also
    --------
    anls_frame.explain : the gain from each step of preparation.

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
    codes = _plugin.score("error_type", prediction, answers, missing, whole, threshold=whole.threshold)
    dtype = pl.Enum(ERROR_TYPES)
    # Polars 2 has its own method for this cast.
    return codes.cat.to(dtype) if hasattr(codes.cat, "to") else codes.cast(dtype)


@fields_on_columns
def explain(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "drop",
) -> pl.Expr:
    r"""
    Score of each row without preparation, and the gain from each step of preparation.

    The texts are scored unchanged, then with one more step of the protocol at a time, in its order: Unicode
    form, case, punctuation, whitespace. The gain of a step is the score after it minus the score before it;
    it can be negative, because a step can also remove something that matched.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a pandas frame with a column for each field.
    answers
        Column with the accepted answer, or with a list of accepted answers. The best answer counts at each
        step.
    protocol
        The protocol to explain, with `anls`, or with `nls` if the protocol has no threshold.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Struct`, named `explain`, with the fields

        - `raw` (`Float64`): the score of the unchanged texts, with the protocol's length and cut;
        - `unicode_form`, `case`, `punctuation`, `whitespace` (`Float64`): the gain from each step; 0 for a
          step that the protocol does not use;
        - `score` (`Float64`): the score with all steps;
        - `step` (`String`): the step that changes the score most (the first on ties); null if no step does.

        All fields are null where the prediction is null or the row has no answer.

    Raises
    ------
    ValueError
        If the protocol is unknown.
    TypeError
        If an argument is not a column.

    See Also
    --------
    error_type : the kind of difference between a prediction and its answer.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["COLA", "c\uff4fla", " cola"], "answer": "cola"})
    >>> nfkc = af.ScoreProtocol(unicode_form="NFKC", threshold=0.5)
    >>> df.select(af.explain("prediction", "answer", protocol=nfkc)).unnest("explain")
    shape: (3, 7)
    ┌──────┬──────────────┬──────┬─────────────┬────────────┬───────┬──────────────┐
    │ raw  ┆ unicode_form ┆ case ┆ punctuation ┆ whitespace ┆ score ┆ step         │
    │ ---  ┆ ---          ┆ ---  ┆ ---         ┆ ---        ┆ ---   ┆ ---          │
    │ f64  ┆ f64          ┆ f64  ┆ f64         ┆ f64        ┆ f64   ┆ str          │
    ╞══════╪══════════════╪══════╪═════════════╪════════════╪═══════╪══════════════╡
    │ 0.0  ┆ 0.0          ┆ 1.0  ┆ 0.0         ┆ 0.0        ┆ 1.0   ┆ case         │
    │ 0.75 ┆ 0.25         ┆ 0.0  ┆ 0.0         ┆ 0.0        ┆ 1.0   ┆ unicode_form │
    │ 0.8  ┆ 0.0          ┆ 0.0  ┆ 0.0         ┆ 0.2        ┆ 1.0   ┆ whitespace   │
    └──────┴──────────────┴──────┴─────────────┴────────────┴───────┴──────────────┘
    """
    whole = resolve_protocol(protocol)
    none = {"ignore_case": False, "ignore_punctuation": False, "whitespace": "keep", "unicode_form": None}
    so_far = whole.replace(**none)
    metric = nls if whole.threshold is None else anls
    scores = {"raw": metric(prediction, answers, protocol=so_far, missing=missing)}
    for step, option in _STEPS.items():
        so_far = dataclasses.replace(so_far, **{option: getattr(whole, option)})
        scores[step] = metric(prediction, answers, protocol=so_far, missing=missing)
    # Built from fields, so that no score is computed twice.
    after = pl.struct([score.alias(name) for name, score in scores.items()])
    points = [(pl.field(step) - pl.field(before)).alias(step) for before, step in itertools.pairwise(scores)]
    with_points = after.struct.with_fields(*points, score=pl.field("whitespace"))
    largest = pl.max_horizontal(pl.field(step).abs() for step in _STEPS)
    is_step = ((pl.field(step).abs() == largest) & (largest > 0) for step in _STEPS)
    names = [pl.when(flag).then(pl.lit(step)) for flag, step in zip(is_step, _STEPS, strict=True)]
    explained: pl.Expr = with_points.struct.with_fields(step=pl.coalesce(names))
    return explained.alias("explain")
