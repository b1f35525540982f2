"""Predictions and accepted answers from training loops: strings, lists, columns of any library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import polars as pl

from anls_frame.exceptions import DTypeError
from anls_frame.frames.answer_texts import warn_of_answers
from anls_frame.frames.conversion import is_pandas
from anls_frame.frames.missing_values import is_missing
from anls_frame.pairs.units import in_python

_KINDS = "a string, a list, a Polars or pandas Series, a numpy array or an Arrow array"


class Pairs(NamedTuple):
    """Checked pairs, each with a string as prediction and at least one answer."""

    predictions: list[str]
    answers: list[list[str]]
    n_missing: int


def read(predictions: Any, answers: Any) -> Pairs:
    """Return the pairs, with the empty string for missing predictions; raise an error for missing answers."""
    if isinstance(predictions, str):
        # A list of answers belongs to this one prediction and is not a batch.
        predictions, answers = [predictions], [answers]
    indexes = [values.index for values in (predictions, answers) if is_pandas(values, "Series")]
    predictions, answers = _values("predictions", predictions), _values("answers", answers)
    if len(predictions) != len(answers):
        raise ValueError(
            f"there are {len(predictions)} predictions and {len(answers)} answers; answers must have one "
            "entry for each prediction, a string or a list of strings"
        )
    if len(indexes) > 1:
        from anls_frame.frames.from_pandas import check_index  # noqa: PLC0415 - imports pyarrow

        check_index("predictions and answers", *indexes)
    # pandas has NaN, NaT or NA in place of a missing string.
    texts = [None if is_missing(prediction) else prediction for prediction in predictions]
    for index, prediction in enumerate(texts):
        if not (prediction is None or isinstance(prediction, str)):
            raise TypeError(f"predictions[{index}] must be a text or None, got {_described(prediction)}")
    accepted = [_accepted(index, answer) for index, answer in enumerate(answers)]
    return Pairs([text or "" for text in texts], accepted, texts.count(None))


def check_unicode(pairs: Pairs) -> None:
    """Raise an error that names the first string that is not valid Unicode."""
    for name, texts in (("predictions", [[text] for text in pairs.predictions]), ("answers", pairs.answers)):
        for index, text in ((index, text) for index, entry in enumerate(texts) for text in entry):
            if any("\ud800" <= character <= "\udfff" for character in text):
                raise ValueError(
                    f"{name}[{index}] must be valid Unicode, got {_described(text)} with half of a "
                    "surrogate pair"
                )


def _values(name: str, values: Any) -> Sequence[Any]:
    """Return the values as a sequence of Python values."""
    if isinstance(values, (list, tuple)):
        return values
    if isinstance(values, str):
        return [values]
    column = None
    if isinstance(values, pl.Series):
        column = values
    elif is_pandas(values, "Series"):
        from anls_frame.frames.from_pandas import to_polars  # noqa: PLC0415 - imports pyarrow

        column = to_polars(values.to_frame(name=name), [name]).to_series()
    elif hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        column = _from_arrow(name, values)
    if column is not None:
        if name == "answers":
            warn_of_answers(column.alias(name))
        return column.to_list()
    if hasattr(values, "tolist") and hasattr(values, "dtype"):
        listed = values.tolist()
        return listed if isinstance(listed, list) else [listed]
    if isinstance(values, Sequence) and not isinstance(values, (bytes, bytearray, memoryview)):
        return list(values)
    raise TypeError(f"{name} must be {_KINDS}, got {type(values).__name__}")


def _from_arrow(name: str, values: Any) -> pl.Series:
    import pyarrow as pa  # noqa: PLC0415 - only for those who use it

    from anls_frame.frames.from_arrow import to_series  # noqa: PLC0415

    try:
        return to_series(name, values)
    except (pa.ArrowException, TypeError) as error:
        if isinstance(error, DTypeError):
            raise
        raise TypeError(f"{name} must be {_KINDS}, got {type(values).__name__}: {error}") from None


def _accepted(index: int, answer: Any) -> list[str]:
    answer = in_python(answer)
    entries = answer if isinstance(answer, (list, tuple)) else [answer]
    texts = [entry for entry in entries if not is_missing(entry)]
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"answers[{index}] must be a text or a list of texts, got {_described(text)}")
    if not texts:
        raise ValueError(
            f"answers[{index}] must have at least one answer; leave the pair out, or pass the empty string "
            "if that is the answer"
        )
    return texts


def _described(value: object) -> str:
    shown = repr(value)
    return f"{shown if len(shown) < 50 else shown[:50] + '...'} of type {type(value).__name__}"  # noqa: PLR2004
