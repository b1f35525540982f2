"""Benchmark scores that are not edit distances: those of ChartQA, VQA, TextVQA and OCRBench."""

from __future__ import annotations

from typing import Literal

import polars as pl

from anls_frame import _plugin
from anls_frame._arguments import choice, flag, share
from anls_frame._typing import IntoColumn, IntoExprColumn, Missing
from anls_frame.metrics.row_functions import on_columns

__all__ = ["contains_answer", "relaxed_accuracy", "vqa_accuracy"]

Processing = Literal["evalai", "vqa", "vqa_always", "vlmevalkit"]
Mean = Literal["exact", "sum", "numpy"]
Spaces = Literal["keep", "remove"]


@on_columns
def relaxed_accuracy(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    tolerance: float = 0.05,
    strip: bool = False,
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Relaxed accuracy of each row: 1 if the prediction agrees with an answer, else 0; the score of ChartQA.

    Two numbers agree if they differ by at most `tolerance` times the answer. Anything else agrees if it is
    equal in lower case.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
    answers
        Column with the accepted answer, or with a list of accepted answers; the best one counts. Null
        entries of a list are skipped.
    tolerance
        Largest accepted deviation of a number from the answer, relative to the answer: 0.05 is 5 %.
    strip
        Whether to strip whitespace around predictions, as VLMEvalKit does. pix2struct and lmms-eval keep it.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Float64`, named `relaxed_accuracy`: 1 or 0. Null where the prediction is null or the row has no
        answer (null, an empty list, only nulls).

    Raises
    ------
    ValueError
        If the tolerance is outside [0, 1].
    TypeError
        If an argument is not a column, or the tolerance is not a number.

    See Also
    --------
    exact_match : equality after the preparation of a protocol.

    Notes
    -----
    Methani et al. (2020), "PlotQA", and Masry et al. (2022), "ChartQA", as pix2struct, lmms-eval and
    VLMEvalKit compute it. A text is a number if Python's `float` reads it; a final `%` divides the number by
    100. Therefore `"1,000"` and `"$5"` are texts, `"2%"` does not agree with `"2"`, and the year 2021 agrees
    with 2020. An answer of 0 is compared as text.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["10.4", "10.6", "Blue"], "answer": ["10", "10", "blue"]})
    >>> df.select(af.relaxed_accuracy("prediction", "answer")).to_series().to_list()
    [1.0, 0.0, 1.0]
    """
    return _plugin.score(
        "relaxed_accuracy",
        prediction,
        answers,
        missing,
        tolerance=share("tolerance", tolerance),
        strip=flag("strip", strip),
    )


@on_columns
def vqa_accuracy(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    processing: Processing = "evalai",
    mean: Mean = "exact",
    missing: Missing = "drop",
) -> pl.Expr:
    """
    VQA accuracy of each row: 1 if at least three people gave the predicted answer, else a fraction.

    The score is the mean of min(1, k / 3) over the answers, where k is the number of *other* answers that
    equal the prediction. Predictions and answers are cleaned first: lower case, no punctuation, no articles,
    numbers as digits.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
    answers
        Column with the list of all answers that people gave, usually ten, including repeated answers. Null
        entries are skipped. With one answer the score is always 0.
    processing
        The cleaning rules to reproduce: `"evalai"` (TextVQA in MMF and lmms-eval), `"vqa"` (the official code
        of VQA, which cleans only where answers differ), `"vqa_always"` (VQAv2 in lmms-eval) or
        `"vlmevalkit"`.
    mean
        How the mean is rounded, which affects only its last bit: `"exact"` (rounded once, as in lmms-eval),
        `"sum"` (added up in the order of the answers, as in MMF and the official code) or `"numpy"` (as in
        VLMEvalKit).
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Float64` in [0, 1], named `vqa_accuracy`. Null where the prediction is null or the row has no answer
        (null, an empty list, only nulls).

    Raises
    ------
    ValueError
        If `processing` or `mean` is unknown.
    TypeError
        If an argument is not a column.

    Notes
    -----
    Antol et al. (2015), "VQA: Visual Question Answering". The original implementations are reproduced with
    their oddities: they delete the sign of a number, split hyphenated words, remove at most 32 full stops,
    and read "none" as 0. The official code identifies answers by their ids and drops equal answers without
    ids; here, every answer counts separately.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> answers = ["two", "2", "2.", "three", "3"]
    >>> df = pl.DataFrame({"prediction": ["Two", "3", "five"], "answers": [answers] * 3})
    >>> df.select(af.vqa_accuracy("prediction", "answers")).to_series().round(3).to_list()
    [0.8, 0.533, 0.0]
    """
    return _plugin.score(
        "vqa_accuracy",
        prediction,
        answers,
        missing,
        processing=choice("processing", processing, ("evalai", "vqa", "vqa_always", "vlmevalkit")),
        mean=choice("mean", mean, ("exact", "sum", "numpy")),
    )


@on_columns
def contains_answer(
    prediction: IntoExprColumn,
    answers: IntoColumn,
    *,
    ignore_case: bool = True,
    spaces: Spaces = "keep",
    fold_width: bool = False,
    missing: Missing = "drop",
) -> pl.Expr:
    """
    Containment of each row: 1 if the prediction contains an answer, else 0; the score of OCRBench.

    Parameters
    ----------
    prediction
        Column with the predicted text. A string is a column name; wrap a constant in `pl.lit`. Two pandas
        Series with the same index give a Series.
    answers
        Column with the accepted answer, or with a list of accepted answers, any of which counts. Null entries
        of a list are skipped. Every prediction contains the empty answer.
    ignore_case
        Whether upper and lower case count as equal.
    spaces
        `"keep"`, or `"remove"` to delete spaces from both texts, as OCRBench does for its formulas (HME100k,
        together with ``ignore_case=False``).
    fold_width
        Whether full-width letters, digits and punctuation count as equal to their ASCII forms.
    missing
        `"drop"`, the default, gives null for a null prediction; `"empty"` scores it as an empty string.

    Returns
    -------
    Expr
        `Float64`, named `contains_answer`: 1 or 0. Null where the prediction is null or the row has no answer
        (null, an empty list, only nulls).

    Raises
    ------
    ValueError
        If `spaces` is unknown.
    TypeError
        If an argument is not a column.

    Notes
    -----
    Liu et al. (2024), "OCRBench". Both texts are stripped, and line breaks count as spaces. lmms-eval has
    folded full-width characters since 2026-07-30.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["The total is 42 EUR.", "forty"], "answer": ["42 eur", "42"]})
    >>> df.select(af.contains_answer("prediction", "answer")).to_series().to_list()
    [1.0, 0.0]
    """
    return _plugin.score(
        "contains_answer",
        prediction,
        answers,
        missing,
        ignore_case=flag("ignore_case", ignore_case),
        remove_spaces=choice("spaces", spaces, ("keep", "remove")) == "remove",
        fold_width=flag("fold_width", fold_width),
    )
