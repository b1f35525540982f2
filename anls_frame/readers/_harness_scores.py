"""Scores given by a harness: a column, a file of results, or a mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from anls_frame._text import listed, quoted
from anls_frame.frames.strict_json import Number
from anls_frame.readers import _content, _json, _standard
from anls_frame.readers._problems import Advice, Option, Problems, problem
from anls_frame.readers.table import read_raw

_MOST_DIGITS = 15
_TRUTH = {"true": "1", "false": "0"}
_METRICS = ("anls", "nls", "cer", "exact_match", "score", "eval_score")


@dataclass(frozen=True, kw_only=True)
class HarnessScores:
    """The score of each row (null without a score), or a single mean."""

    name: str
    values: pl.Series
    digits: int
    """Number of decimals in the given scores."""
    are_truth_values: bool = False
    """Whether all are 0 or 1: truth values, which say of each row whether it is right."""
    scale: int
    """100 if they are percentages, otherwise 1."""
    is_mean: bool


def find(frame: pl.DataFrame, given: str) -> HarnessScores:
    """Return the scores identified by the name of a column, a file or a number."""
    if given in frame.columns:
        return _from_rows(f"column {quoted(given)}", frame[given])
    try:
        number = float(given)
    except ValueError:
        pass
    else:
        return _mean("the given mean", given, number)
    path = Path(given)
    if not path.exists():
        names = listed([quoted(name) for name in frame.columns], 30)
        raise ValueError(f"against must be a column of the file ({names}), a number or a file, got {given!r}")
    return _from_file(frame, path)


def _from_file(frame: pl.DataFrame, path: Path) -> HarnessScores:
    if _content.file_format(path) == "json":
        value = _json.read_whole(path, _content.read_text(path))
        samples = _member(value, "per_sample_result")
        if isinstance(samples, dict):  # PyPI anls
            by_id = {key: _member(sample, "score") for key, sample in samples.items()}
            return _by_id(frame, path, by_id)
        means = _means(_member(value, "results"))
        if len(means) == 1:  # lmms-eval, lm-evaluation-harness
            [(name, text)] = means.items()
            return _mean(f"{name} of {path}", text, float(text))
        if means:
            among = listed([f"{name} = {text}" for name, text in means.items()])
            raise problem(path, f"holds several means; give the number itself: {among}")
    problems = Problems(path)
    raw = read_raw(path, problems)
    problems.raise_any()
    chosen = _standard.choose(raw.names, {}, (), problems)
    ids = chosen.get("question_id", chosen.get("doc_id"))  # harnesses number questions in doc_id
    metrics = [name for name in raw.names if name.casefold() in _METRICS]
    if len(metrics) != 1 or ids is None:
        names = listed([quoted(name) for name in raw.names])
        what = f"a column of ids and exactly one of {listed([*_METRICS])}"
        raise problem(path, f"must be a table with {what}; it has {names}")
    values = [None if value is None else str(value) for value in raw.column(metrics[0])]
    keys = [str(value) for value in raw.column(ids)]
    if len(set(keys)) < len(keys):
        raise problem(path, f"ids in {ids!r} must be unique")
    return _by_id(frame, path, dict(zip(keys, values, strict=True)))


def _by_id(frame: pl.DataFrame, path: Path, scores: dict[str, Any]) -> HarnessScores:
    if "question_id" not in frame.columns:
        no_ids = "scores rows by id, but the results have no ids; name their column with "
        raise problem(path, Advice(no_ids, Option("question_id")))
    unknown = scores.keys() - set(frame["question_id"].to_list())
    if unknown:
        raise problem(
            path, f"scores {len(unknown):,} questions that the results do not have: {listed(sorted(unknown))}"
        )
    texts = [scores.get(key) for key in frame["question_id"]]
    return _from_rows(
        str(path),
        pl.Series("score", [None if text is None else str(text) for text in texts], dtype=pl.String),
    )


def _from_rows(name: str, column: pl.Series) -> HarnessScores:
    values = _numbers(column)
    if values.null_count() > column.null_count() or values.is_nan().any():
        raise ValueError(f"{name} must hold numbers")
    if values.null_count() == len(values):
        raise ValueError(f"{name} holds no scores")
    texts = column.drop_nulls().cast(pl.String)
    digits = max(map(_decimals, texts))
    # Some harnesses write percentages; no character error rate is that high.
    scale = 100 if (values.max() or 0) > 20 else 1  # type: ignore[operator] # noqa: PLR2004
    are_truth_values = bool(values.drop_nulls().is_in([0.0, 1.0]).all())
    return HarnessScores(
        name=name, values=values, digits=digits, scale=scale, is_mean=False, are_truth_values=are_truth_values
    )


def _numbers(column: pl.Series) -> pl.Series:
    """Return scores as floats; truth values may be written as words."""
    if column.dtype == pl.String:
        column = column.str.strip_chars().str.to_lowercase().replace(_TRUTH)
    return column.cast(pl.Float64, strict=False)


def _mean(name: str, text: str, number: float) -> HarnessScores:
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {text}")
    scale = 100 if number > 1 else 1
    return HarnessScores(
        name=f"{name} {text}", values=pl.Series([number]), digits=_decimals(text), scale=scale, is_mean=True
    )


def _decimals(text: str) -> int:
    """Return the number of decimals with which a number is written."""
    mantissa, _, exponent = text.lower().partition("e")
    digits = len(mantissa.partition(".")[2]) - int(exponent or 0)
    return min(max(digits, 0), _MOST_DIGITS)


def _means(results: Any) -> dict[str, str]:
    """Return the means of known metrics, by task and metric: `{"docvqa_val": {"anls,none": 0.76}}`."""
    means = {}
    for task, metrics in results.items() if isinstance(results, dict) else ():
        for name, value in metrics.items() if isinstance(metrics, dict) else ():
            if name.partition(",")[0] in _METRICS and isinstance(value, Number):
                means[f"{task} {name}"] = str(value)
    return means


def _member(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None
