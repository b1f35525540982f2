"""Predictions and accepted answers from training loops: strings, lists, columns of any library."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import polars as pl

from anls_frame.exceptions import DTypeError
from anls_frame.frames.answer_texts import warn_of_answers
from anls_frame.frames.checks import check_dtypes

# Up to these limits, scoring pair by pair is faster than building columns and running a query (measured on
# short pairs), and long pairs are too few to keep other cores busy.
MOST_PAIRS = 1_000
MOST_CHARACTERS = 100_000

_KINDS = "a string, a list, a Polars or pandas Series, a numpy array or an Arrow array"


class Pairs(NamedTuple):
    """A few checked pairs, each with a string as prediction and at least one answer."""

    predictions: list[str]
    answers: list[list[str]]
    n_missing: int


class Columns(NamedTuple):
    """Many pairs, as columns without null predictions and with unchecked dtypes."""

    predictions: pl.Series
    answers: pl.Series
    n_missing: int


def read(predictions: Any, answers: Any) -> Pairs | Columns:
    """Return the pairs, with the empty string for missing predictions; raise an error for missing answers."""
    if isinstance(predictions, str):
        # A list of answers belongs to this one prediction and is not a batch.
        predictions, answers = [predictions], [answers]
    texts, accepted = _values("predictions", predictions), _values("answers", answers)
    if len(texts) != len(accepted):
        raise ValueError(
            f"there are {len(texts)} predictions and {len(accepted)} answers; answers must have one entry "
            "for each prediction, a string or a list of strings"
        )
    if isinstance(accepted, pl.Series):
        warn_of_answers(accepted)
    if isinstance(texts, pl.Series) or isinstance(accepted, pl.Series):
        return _columns(texts, accepted)
    pairs = _pairs(texts, accepted)
    characters = sum(map(len, pairs.predictions)) + sum([sum(map(len, texts)) for texts in pairs.answers])
    if len(pairs.predictions) > MOST_PAIRS or characters > MOST_CHARACTERS:
        return Columns(_text_column(pairs.predictions), _list_column(pairs.answers), pairs.n_missing)
    return pairs


def score(columns: Columns, expression: pl.Expr) -> pl.Series:
    """Return the result of an expression of the columns `predictions` and `answers`."""
    frame = pl.DataFrame([columns.predictions, columns.answers])
    check_dtypes(frame.schema, expression)
    scores = frame.select(expression).to_series()
    if scores.null_count():
        # No prediction is null, so the answer is missing.
        raise _no_answer(scores.is_null().arg_max() or 0)
    return scores


def check_unicode(predictions: Any, answers: Any) -> None:
    """Raise an error that names the first string that is not valid Unicode."""
    if isinstance(predictions, str):
        predictions, answers = [predictions], [answers]
    for name, values in (("predictions", predictions), ("answers", answers)):
        for index, value in enumerate([values] if isinstance(values, str) else values):
            for text in [value] if isinstance(value, str) else () if value is None else value:
                if isinstance(text, str) and any("\ud800" <= character <= "\udfff" for character in text):
                    raise ValueError(
                        f"{name}[{index}] must be valid Unicode, got {_described(text)} with half of a "
                        "surrogate pair"
                    )


def _values(name: str, values: Any) -> Sequence[Any] | pl.Series:
    """Return the values as a sequence of Python values or as a Series."""
    if isinstance(values, (list, tuple)):
        return values
    if isinstance(values, str):
        return [values]
    column = None
    if isinstance(values, pl.Series):
        column = values.alias(name)
    elif hasattr(values, "to_frame"):
        column = _from_pandas(name, values)
    elif hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        column = _from_arrow(name, values)
    if column is not None:
        return column
    if hasattr(values, "tolist") and hasattr(values, "dtype"):
        return _from_numpy(values)
    if isinstance(values, Sequence) and not isinstance(values, (bytes, bytearray, memoryview)):
        return list(values)
    raise TypeError(f"{name} must be {_KINDS}, got {type(values).__name__}")


def _from_pandas(name: str, values: Any) -> pl.Series | None:
    if sys.modules.get("pandas") is None:
        return None
    import pandas as pd  # noqa: PLC0415 - loaded already, but not by everyone

    from anls_frame.frames.from_pandas import to_polars  # noqa: PLC0415 - imports pyarrow

    if not isinstance(values, (pd.Series, pd.Index)):
        return None
    return to_polars(values.to_frame(name=name), [name]).to_series()


def _from_numpy(values: Any) -> Sequence[Any]:
    entries = values.tolist()
    if not isinstance(entries, list):
        entries = [entries]
    if values.dtype != object:
        return entries
    # pandas has NaN in place of a missing string.
    return [None if isinstance(entry, float) and entry != entry else entry for entry in entries]  # noqa: PLR0124


def _from_arrow(name: str, values: Any) -> pl.Series:
    import pyarrow as pa  # noqa: PLC0415 - only for those who use it

    from anls_frame.frames.from_arrow import to_series  # noqa: PLC0415

    try:
        return to_series(name, values)
    except (pa.ArrowException, TypeError) as error:
        if isinstance(error, DTypeError):
            raise
        raise TypeError(f"{name} must be {_KINDS}, got {type(values).__name__}: {error}") from None


def _pairs(predictions: Sequence[Any], answers: Sequence[Any]) -> Pairs:
    texts, accepted, missing = [], [], 0
    for index, (prediction, answer) in enumerate(zip(predictions, answers, strict=True)):
        if isinstance(prediction, str):
            texts.append(prediction)
        elif prediction is None:
            texts.append("")
            missing += 1
        else:
            raise TypeError(f"predictions[{index}] must be a text or None, got {_described(prediction)}")
        accepted.append([answer] if isinstance(answer, str) else _accepted(index, answer))
    return Pairs(texts, accepted, missing)


def _accepted(index: int, answer: Any) -> list[str]:
    if answer is None:
        raise _no_answer(index)
    if isinstance(answer, pl.Series):
        answer = answer.to_list()
    elif hasattr(answer, "tolist"):
        answer = answer.tolist()
    if not isinstance(answer, (list, tuple)):
        raise TypeError(f"answers[{index}] must be a text or a list of texts, got {_described(answer)}")
    texts = [entry for entry in answer if entry is not None]
    for entry in texts:
        if not isinstance(entry, str):
            raise TypeError(
                f"answers[{index}] must be a text or a list of texts, but holds {_described(entry)}"
            )
    if not texts:
        raise _no_answer(index)
    return texts


def _no_answer(index: int) -> ValueError:
    return ValueError(
        f"answers[{index}] must have at least one answer; leave the pair out, or pass the empty string if "
        "that is the answer"
    )


def _described(value: object) -> str:
    shown = repr(value)
    return f"{shown if len(shown) < 50 else shown[:50] + '...'} of type {type(value).__name__}"  # noqa: PLR2004


def _columns(predictions: Sequence[Any] | pl.Series, answers: Sequence[Any] | pl.Series) -> Columns:
    """Return columns if predictions or answers already are a column."""
    missing = 0
    if not isinstance(predictions, pl.Series):
        # The other side is checked as a column: an empty string stands in for it.
        predictions, _, missing = _pairs(predictions, [""] * len(predictions))
        predictions = _text_column(predictions)
    if not isinstance(answers, pl.Series):
        answers = _list_column(_pairs([""] * len(answers), answers).answers)
    if predictions.dtype in (pl.Categorical, pl.Enum, pl.Null):
        predictions = predictions.cast(pl.String)
    if predictions.dtype == pl.String:
        missing += predictions.null_count()
        predictions = predictions.fill_null("")
    return Columns(predictions, answers, missing)


def _text_column(texts: list[str]) -> pl.Series:
    return pl.Series("predictions", texts, dtype=pl.String)


def _list_column(answers: list[list[str]]) -> pl.Series:
    import pyarrow as pa  # noqa: PLC0415 - makes nested columns a hundred times faster than Polars

    if all(len(texts) == 1 for texts in answers):
        return pl.Series("answers", [text for (text,) in answers], dtype=pl.String)
    return pl.Series("answers", pl.from_arrow(pa.array(answers, type=pa.large_list(pa.large_string()))))
