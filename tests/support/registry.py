"""
What the package promises by name: one row for each public name, with examples to score.

The contract tests are driven from here. `test_public_names.py` fails where a public name, a method of a
namespace or an exported symbol is missing.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import ModuleType
from typing import Any, Literal, cast, get_args

import error_oracle
import numpy as np
import oracle
import pandas as pd
import polars as pl
import pytest
from rapidfuzz.distance import Levenshtein

import anls_frame as af
from anls_frame import gec, readers
from anls_frame._typing import ErrorType
from anls_frame.namespaces import AnlsExprNamespace, AnlsFrameNamespace
from anls_frame.pandas import AnlsPandasAccessor

Role = Literal["text", "answers"]
Answers = str | list[str | None] | None


SCORE_DTYPE = pl.Struct(
    {
        "nls": pl.Float64,
        "anls": pl.Float64,
        "cer": pl.Float64,
        "exact_match": pl.Boolean,
        "char_errors": pl.Int64,
        "reference_length": pl.Int64,
        "answer_index": pl.Int64,
    }
)


EDIT_COUNTS_DTYPE = pl.Struct(dict.fromkeys(("substitutions", "deletions", "insertions", "hits"), pl.Int64))

PAGE_ERRORS_DTYPE = pl.Struct(
    dict.fromkeys(
        ("misread", "omitted", "added", "fabricated", "repeated", "moved", "reference_length"), pl.Int64
    )
)

EDIT_DTYPE = pl.Struct(
    {
        "op": pl.String,
        "reference_pos": pl.Int64,
        "prediction_pos": pl.Int64,
        "reference_char": pl.String,
        "predicted_char": pl.String,
    }
)


@dataclass(frozen=True)
class Example:
    """A row to score."""

    prediction: str | None
    answers: Answers

    def expected(self, name: str) -> Any:
        """Return the value of an expression, or of a field of `score`, by its definition."""
        return _value(
            name, self.prediction, tuple(self.answers) if isinstance(self.answers, list) else self.answers
        )


@functools.cache
def _value(name: str, prediction: str | None, answers: Any) -> Any:
    """Return the value under the default options."""
    raw, anls = af.PROTOCOLS["raw"], af.PROTOCOLS["anls"]
    if name in SCORE_DTYPE.to_schema():
        score = _value("score", prediction, answers)
        return score and score[name]
    if name == "score":
        return oracle.score(prediction, answers, anls, 0.5, raw)
    if name == "error_type":
        return error_oracle.error_type(prediction, answers, anls)
    if not oracle.given(prediction, answers):
        return None
    if name in _DEFINITIONS:
        return _DEFINITIONS[name](prediction, answers)
    [row] = [row for row in ROW_EXPRESSIONS if row.name == name]
    protocols = [af.PROTOCOLS[str(one.default)] for one in row.options if one.name == "protocol"]
    return getattr(oracle, name)(prediction, answers, *protocols)


def _edit_ops(prediction: str, reference: str) -> list[dict[str, Any]]:
    """Return the edits of rapidfuzz."""
    return [
        {
            "op": edit.tag,
            "reference_pos": edit.src_pos,
            "prediction_pos": edit.dest_pos,
            "reference_char": None if edit.tag == "insert" else reference[edit.src_pos],
            "predicted_char": None if edit.tag == "delete" else prediction[edit.dest_pos],
        }
        for edit in Levenshtein.editops(reference, prediction)
    ]


def _counts(units: Callable[[str], Any], prediction: str, answers: Any) -> dict[str, int]:
    """Return the edits of units by kind, and the hits, for the first answer with the lowest rate."""
    texts = [units(answer) for _, _, answer in oracle.given(prediction, answers)]
    read = units(prediction)
    nearest = min(texts, key=lambda text: Levenshtein.distance(text, read) / max(len(text), 1))
    tags = [edit.tag for edit in Levenshtein.editops(nearest, read)]
    substitutions, deletions, insertions = map(tags.count, ("replace", "delete", "insert"))
    hits = len(nearest) - substitutions - deletions
    names = EDIT_COUNTS_DTYPE.to_schema()
    return dict(zip(names, (substitutions, deletions, insertions, hits), strict=True))


def _wer(prediction: str, answers: Any) -> float:
    substitutions, deletions, insertions, hits = _counts(str.split, prediction, answers).values()
    return (substitutions + deletions + insertions) / max(substitutions + deletions + hits, 1)


def _page_errors(prediction: str, answers: Any) -> dict[str, int]:
    """Return the errors by kind of a row without blocks: words are missing in "Cola" and "" alone."""
    substitutions, deletions, insertions, hits = _counts(str, prediction, answers).values()
    length = substitutions + deletions + hits
    omitted = deletions if prediction in ("", "Cola") else 0
    added = 0 if length else insertions
    misread = substitutions + deletions + insertions - omitted - added
    return dict(zip(PAGE_ERRORS_DTYPE.to_schema(), (misread, omitted, added, 0, 0, 0, length), strict=True))


_DEFINITIONS: dict[str, Callable[[str, Any], Any]] = {
    "levenshtein": oracle.edit_distance,
    "lcs_distance": lambda prediction, reference: oracle.edit_distance(prediction, reference, 2),
    "hamming": oracle.hamming,
    "edit_ops": _edit_ops,
    "edit_counts": lambda prediction, answers: _counts(str, prediction, answers),
    "word_errors": lambda prediction, answers: _counts(str.split, prediction, answers),
    "wer": _wer,
    "page_errors": _page_errors,
}

_COKE = "Coca Cola"
_BRANDS: Answers = [_COKE, None, "Pepsi"]

TEXT_EXAMPLES = (
    Example("rain", "shine"),
    Example("lnaguaeg", "language"),
    Example("CocaCola", _COKE),
    Example("Coca cola", _COKE),
    Example("Cola", _COKE),
    Example("", _COKE),
    Example(None, _COKE),
    Example("Cola", "Cola"),
    Example("a", "a"),
    Example("Cola", ""),
    Example("Cola", None),
    Example("", ""),
    Example(None, None),
    Example("na\u00efve \U0001f600", "naive \U0001f600"),
)
"""Rows with one text on either side."""

LIST_EXAMPLES = (
    Example("rain", ["shine"]),
    Example("CocaCola", _BRANDS),
    Example("Coca cola", _BRANDS),
    Example("PEPSI", _BRANDS),
    Example("", _BRANDS),
    Example(None, _BRANDS),
    Example("Cola", ["", None]),
    Example("", ["a", ""]),
    # The first of equals.
    Example("ab", ["ba", "ax", "xb"]),
    # The best similarity and the lowest error rate can belong to different answers.
    Example("abcd", ["ab", "abxyz"]),
    Example("Cola", [None]),
    Example("Cola", []),
    Example("Cola", None),
    Example(None, None),
    Example("Cola", [None, None, "Cola"]),
)
"""Rows with a list of at most three answers. Nulls in a list are skipped, but keep their positions."""

TEXTS, LISTS = (
    pl.DataFrame({name: [getattr(row, name) for row in rows] for name in ("prediction", "answers")})
    for rows in (TEXT_EXAMPLES, LIST_EXAMPLES)
)
"""The same rows as frames."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """A keyword argument with values that are taken and values that are refused at call time."""

    name: str
    default: object
    valid: tuple[object, ...]
    invalid: tuple[tuple[object, type[Exception]], ...]


_BAD_PROTOCOLS: tuple[tuple[object, type[Exception]], ...] = (
    ("docvqa", ValueError),
    ("ANLS", ValueError),
    ("", ValueError),
    (None, TypeError),
    (3, TypeError),
    (["anls"], TypeError),
    ({"threshold": 0.5}, TypeError),
)
_CUSTOM = af.ScoreProtocol(unicode_form="NFKC", whitespace="strip", threshold=0.3)


def _protocol(default: str) -> Option:
    return Option(
        name="protocol",
        default=default,
        valid=(*af.PROTOCOLS, _CUSTOM),
        invalid=_BAD_PROTOCOLS,
    )


# ANLS cuts, so a protocol without a threshold is an error.
CUTTING_PROTOCOL = Option(
    name="protocol",
    default="anls",
    valid=(*(name for name, preset in af.PROTOCOLS.items() if preset.threshold is not None), _CUSTOM),
    invalid=(
        *_BAD_PROTOCOLS,
        ("raw", ValueError),
        ("jiwer", ValueError),
        (af.ScoreProtocol(whitespace="strip"), ValueError),
    ),
)
THRESHOLD = Option(
    name="threshold",
    default=None,
    valid=(None, 0, 0.0, 0.3, 1, Fraction(1, 2)),
    invalid=(
        (float("nan"), ValueError),
        (float("inf"), ValueError),
        (float("-inf"), ValueError),
        (-0.1, ValueError),
        (1.1, ValueError),
        (10**30, ValueError),
        ("0.5", TypeError),
        (True, TypeError),
        ([0.5], TypeError),
    ),
)
SUBSTITUTION_COST = Option(
    name="substitution_cost",
    default=1,
    valid=(0, 1, 2, 3, 10**30),
    invalid=(
        (-1, ValueError),
        (-(10**30), ValueError),
        (1.5, TypeError),
        (1.0, TypeError),
        (float("nan"), TypeError),
        (True, TypeError),
        ("1", TypeError),
        (None, TypeError),
    ),
)
MIN_WORDS = Option(
    name="min_words",
    default=4,
    valid=(1, 2, 4, 10**30),
    invalid=((0, ValueError), (-1, ValueError), (1.0, TypeError), (True, TypeError), (None, TypeError)),
)
MISSING = Option(
    name="missing",
    default="drop",
    valid=("drop", "empty"),
    invalid=(
        ("null", ValueError),
        ("", ValueError),
        (None, TypeError),
        (True, TypeError),
        (["drop"], TypeError),
    ),
)


def _choices(name: str, default: str, *others: str) -> Option:
    """Return an option with choices, the first of which is its default."""
    invalid = (("none", ValueError), (None, TypeError), (True, TypeError))
    return Option(name=name, default=default, valid=(default, *others), invalid=invalid)


def _flag(name: str, *, default: bool) -> Option:
    return Option(
        name=name, default=default, valid=(True, False), invalid=((1, TypeError), (None, TypeError))
    )


@dataclass(frozen=True, kw_only=True)
class RowExpression:
    """An expression that scores each row."""

    function: Callable[..., pl.Expr]
    inputs: tuple[tuple[str, Role], ...]
    options: tuple[Option, ...]
    dtype: pl.DataType

    @property
    def name(self) -> str:
        """The name of the function, the plugin's function and the result."""
        return self.function.__name__

    @property
    def takes_lists(self) -> bool:
        """Whether the second input may hold lists."""
        return self.inputs[1][1] == "answers"


_REFERENCE: tuple[tuple[str, Role], ...] = (("prediction", "text"), ("reference", "text"))
_ANSWERS: tuple[tuple[str, Role], ...] = (("prediction", "text"), ("answers", "answers"))

ROW_EXPRESSIONS = (
    RowExpression(
        function=af.levenshtein,
        inputs=_REFERENCE,
        options=(_protocol("raw"), SUBSTITUTION_COST, MISSING),
        dtype=pl.Int64(),
    ),
    RowExpression(
        function=af.lcs_distance,
        inputs=_REFERENCE,
        options=(_protocol("raw"), MISSING),
        dtype=pl.Int64(),
    ),
    RowExpression(
        function=af.hamming,
        inputs=_REFERENCE,
        options=(_protocol("raw"), MISSING),
        dtype=pl.Int64(),
    ),
    RowExpression(
        function=af.nls,
        inputs=_ANSWERS,
        options=(_protocol("anls"), SUBSTITUTION_COST, MISSING),
        dtype=pl.Float64(),
    ),
    RowExpression(
        function=af.anls,
        inputs=_ANSWERS,
        options=(CUTTING_PROTOCOL, THRESHOLD, MISSING),
        dtype=pl.Float64(),
    ),
    RowExpression(function=af.cer, inputs=_ANSWERS, options=(_protocol("raw"), MISSING), dtype=pl.Float64()),
    RowExpression(
        function=af.exact_match,
        inputs=_ANSWERS,
        options=(_protocol("anls"), MISSING),
        dtype=pl.Boolean(),
    ),
    RowExpression(
        function=af.nearest_answer,
        inputs=_ANSWERS,
        options=(_protocol("anls"), MISSING),
        dtype=pl.String(),
    ),
    RowExpression(
        function=af.score,
        inputs=_ANSWERS,
        options=(CUTTING_PROTOCOL, MISSING),
        dtype=SCORE_DTYPE,
    ),
    RowExpression(
        function=af.relaxed_accuracy,
        inputs=_ANSWERS,
        options=(
            Option(
                name="tolerance",
                default=0.05,
                valid=(0, 0.05, 1),
                invalid=((1.5, ValueError), (float("nan"), ValueError), ("1", TypeError), (None, TypeError)),
            ),
            _flag("strip", default=False),
            MISSING,
        ),
        dtype=pl.Float64(),
    ),
    RowExpression(
        function=af.vqa_accuracy,
        inputs=_ANSWERS,
        options=(
            _choices("processing", "evalai", "vqa", "vqa_always", "vlmevalkit"),
            _choices("mean", "exact", "sum", "numpy"),
            MISSING,
        ),
        dtype=pl.Float64(),
    ),
    RowExpression(
        function=af.contains_answer,
        inputs=_ANSWERS,
        options=(
            _flag("ignore_case", default=True),
            _choices("spaces", "keep", "remove"),
            _flag("fold_width", default=False),
            MISSING,
        ),
        dtype=pl.Float64(),
    ),
    RowExpression(
        function=af.edit_ops,
        inputs=_REFERENCE,
        options=(_protocol("raw"), MISSING),
        dtype=pl.List(EDIT_DTYPE),
    ),
    RowExpression(
        function=af.error_type,
        inputs=_ANSWERS,
        options=(CUTTING_PROTOCOL, MISSING),
        dtype=pl.Enum(get_args(ErrorType)),
    ),
    RowExpression(function=af.wer, inputs=_ANSWERS, options=(_protocol("raw"), MISSING), dtype=pl.Float64()),
    RowExpression(
        function=af.words.edit_counts,
        inputs=_ANSWERS,
        options=(_protocol("raw"), MISSING),
        dtype=EDIT_COUNTS_DTYPE,
    ),
    RowExpression(
        function=af.words.word_errors,
        inputs=_ANSWERS,
        options=(_protocol("raw"), MISSING),
        dtype=EDIT_COUNTS_DTYPE,
    ),
    RowExpression(
        function=af.page_errors,
        inputs=_ANSWERS,
        options=(_protocol("raw"), MIN_WORDS, MISSING),
        dtype=PAGE_ERRORS_DTYPE,
    ),
)
LIST_EXPRESSIONS = tuple(row for row in ROW_EXPRESSIONS if row.takes_lists)

Engine = Literal["in-memory", "streaming"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
each_engine = pytest.mark.parametrize("engine", ENGINES)
each_row = pytest.mark.parametrize("row", ROW_EXPRESSIONS, ids=lambda row: row.name)
each_row_with_lists = pytest.mark.parametrize("row", LIST_EXPRESSIONS, ids=lambda row: row.name)


@dataclass(frozen=True, kw_only=True)
class ScalarFunction:
    """A function of Python strings, with calls and the values they give."""

    name: str
    function: Callable[..., Any]
    calls: tuple[tuple[tuple[object, ...], object], ...]
    refused: tuple[tuple[tuple[object, ...], type[Exception]], ...]


SCALAR_FUNCTIONS = (
    ScalarFunction(
        name="anls_score",
        function=af.anls_score,
        calls=(
            (("CocaCola", [_COKE, "Coca Cola Company"]), 1 - 1 / 9),
            (("rain", ["shine"]), 0.0),
            (("rain", ["shine"], 0.7), 0.4),
            (("", [""]), 1.0),
        ),
        refused=(
            (("a", "a"), TypeError),
            ((None, ["a"]), TypeError),
            (("a", None), TypeError),
            (("a", 3), TypeError),
            (("a", ["a", None]), TypeError),
            (("a", []), ValueError),
            (("a", ["a"], 1.5), ValueError),
            (("a", ["a"], float("nan")), ValueError),
            (("a", ["a"], "0.5"), TypeError),
        ),
    ),
    ScalarFunction(
        name="edit_distance",
        function=af.pairs.edit_distance,
        calls=(
            (("cat", "cafe"), 2),
            (("", ""), 0),
            (("", "ab"), 2),
            (("😀", "a"), 1),
            ((["the", "cat"], ("a", "cat", "sat")), 2),
            (([], ["a"]), 1),
            ((pl.Series(["ab", "ba"]), np.array(["ba", "ab"])), 2),
        ),
        refused=(
            ((None, "a"), TypeError),
            (("a", 1), TypeError),
            ((["a"], "a"), TypeError),
            ((["a"], ["a", None]), TypeError),
            (([1], [2]), TypeError),
            (({"a"}, ["a"]), TypeError),
        ),
    ),
    ScalarFunction(
        name="hamming_distance",
        function=af.pairs.hamming_distance,
        calls=(
            (("karolin", "kathrin"), 3),
            (("", ""), 0),
            (("😀a", "😀b"), 1),
            (([1, 0, 1, 1], [1, 1, 1, 0]), 2),
            (((True, False), [1, 1]), 1),
            ((["the", "cat"], ["the", None]), 1),
            ((range(3), [0, 1, 2]), 0),
            ((np.array([0, 1]), pl.Series([1, 1])), 1),
            ((pd.Series([0, 1], index=[5, 6]), np.array([1, 0])), 2),
            (([], []), 0),
        ),
        refused=(
            (("ab", "abc"), ValueError),
            (([1], [1, 0]), ValueError),
            (("a", ["a"]), TypeError),
            ((None, [1]), TypeError),
            ((1, 2), TypeError),
            (({0, 1}, {0, 1}), TypeError),
            ((np.zeros((2, 2)), np.zeros((2, 2))), ValueError),
            ((np.float64(1), np.float64(1)), ValueError),
        ),
    ),
    ScalarFunction(
        name="get_cer",
        function=af.pairs.get_cer,
        calls=((("lnvoice 42", "Invoice 42"), 0.1), (("abc", ""), 3.0), (("", ""), 0.0), (("", "ab"), 1.0)),
        refused=(((None, "a"), TypeError), (("a", 1), TypeError), (("a", ["a"]), TypeError)),
    ),
)


def _offered(*modules: ModuleType, classes: bool = False) -> dict[str, Any]:
    """Return the public functions of modules, or their classes, by name."""
    values = {name: getattr(module, name) for module in modules for name in module.__all__}
    return {name: one for name, one in values.items() if callable(one) and inspect.isclass(one) is classes}


FUNCTIONS = _offered(af, af.pairs, af.repeats, af.words, readers)
GEC_FUNCTIONS = _offered(gec)
CLASSES = _offered(af, gec, classes=True)
FRAME_FUNCTIONS = {
    name: FUNCTIONS[name]
    for name in (
        *("add_scores", "audit_sample", "browse", "changes", "compare", "confusions", "corrected"),
        *(
            "find_slices",
            "format_tax",
            "length_scores",
            "mean_over_epochs",
            "overview",
            "pass_at_k",
            "report",
        ),
        *("selective", "summarize", "variance_components", "worst"),
    )
}
"""The functions that are methods of `df.anls`."""
OF_OTHERS = ("bag_of_words_error", "explain", "mer", "reading_order_free_cer", "unwrap", "wil")
"""Row functions that are made of others, or take one column."""
NAMESPACES: dict[type[Any], dict[str, Callable[..., Any]]] = {
    AnlsExprNamespace: {
        **{row.name: row.function for row in ROW_EXPRESSIONS},
        **{name: FUNCTIONS[name] for name in OF_OTHERS},
        "hamming_vectors": af.hamming_vectors,
    },
    AnlsFrameNamespace: FRAME_FUNCTIONS,
}
NAMESPACES[AnlsPandasAccessor] = NAMESPACES[AnlsFrameNamespace] | NAMESPACES[AnlsExprNamespace]
"""The methods of each namespace, with the function that each forwards to."""


def namespace(owner: object) -> Any:
    """Return ``owner.anls``, which type checkers cannot see."""
    return cast("Any", owner).anls
