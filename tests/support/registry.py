"""
What the package promises by name: one row for each public name, with examples written out by hand.

The contract tests are driven from here. `test_public_names.py` fails where a public name, a method of a
namespace or an exported symbol is missing.
"""

from __future__ import annotations

import dataclasses
import inspect
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np
import oracle
import pandas as pd
import polars as pl
import pytest

import anls_frame as af
from anls_frame import gec, readers
from anls_frame._typing import ErrorType
from anls_frame.namespaces import AnlsExprNamespace, AnlsFrameNamespace
from anls_frame.pandas import AnlsPandasAccessor

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


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


@dataclass(frozen=True)
class Example:
    """A row with its scores under the default options."""

    prediction: str | None
    answers: Answers
    nls: float | None = None
    anls: float | None = None
    cer: float | None = None
    exact_match: bool | None = None
    nearest_answer: str | None = None
    char_errors: int | None = None
    reference_length: int | None = None
    answer_index: int | None = None
    levenshtein: int | None = None
    lcs_distance: int | None = None
    hamming: int | None = None
    error_type: str | None = None
    edit_ops: list[dict[str, Any]] | None = None
    wer: float | None = None
    word_errors: dict[str, int] | None = None
    edit_counts: dict[str, int] | None = None
    page_errors: dict[str, int] | None = None

    def expected(self, name: str) -> Any:
        """Return the value of the expression of this name: one of the above, or what its definition gives."""
        if name == "score":
            if self.nls is None:
                return None
            return {field: getattr(self, field) for field in SCORE_DTYPE.to_schema()}
        if name in Example.__dataclass_fields__:
            return getattr(self, name)
        [row] = [row for row in ROW_EXPRESSIONS if row.name == name]
        protocols = [af.PROTOCOLS[str(one.default)] for one in row.options if one.name == "protocol"]
        return getattr(oracle, name)(self.prediction, self.answers, *protocols)


_1_9, _8_9, _5_9, _4_9 = 0.1111111111111111, 0.8888888888888888, 0.5555555555555556, 0.4444444444444444
_1_7, _6_7 = 0.14285714285714285, 0.8571428571428572
_COKE = "Coca Cola"

# One text against one text. NLS prepares the texts (case, whitespace), CER and the distances do not.
# prediction, reference, nls, anls, cer, exact_match, nearest_answer, char_errors, reference_length,
# answer_index, levenshtein, lcs_distance, hamming
_TEXT_TABLE: tuple[tuple[Any, ...], ...] = (
    ("rain", "shine", 0.4, 0.0, 0.6, False, "shine", 3, 5, 0, 3, 5, None),
    ("lnaguaeg", "language", 0.5, 0.0, 0.5, False, "language", 4, 8, 0, 4, 4, 4),
    ("CocaCola", _COKE, _8_9, _8_9, _1_9, False, _COKE, 1, 9, 0, 1, 1, None),
    ("Coca cola", _COKE, 1.0, 1.0, _1_9, True, _COKE, 1, 9, 0, 1, 2, 1),
    ("Cola", _COKE, _4_9, 0.0, _5_9, False, _COKE, 5, 9, 0, 5, 5, None),
    ("", _COKE, 0.0, 0.0, 1.0, False, _COKE, 9, 9, 0, 9, 9, None),
    (None, _COKE),
    ("Cola", "Cola", 1.0, 1.0, 0.0, True, "Cola", 0, 4, 0, 0, 0, 0),
    ("a", "a", 1.0, 1.0, 0.0, True, "a", 0, 1, 0, 0, 0, 0),
    ("Cola", "", 0.0, 0.0, 4.0, False, "", 4, 0, 0, 4, 4, None),
    ("Cola", None),
    ("", "", 1.0, 1.0, 0.0, True, "", 0, 0, 0, 0, 0, 0),
    (None, None),
    (
        "na\u00efve \U0001f600",
        "naive \U0001f600",
        _6_7,
        _6_7,
        _1_7,
        False,
        "naive \U0001f600",
        1,
        7,
        0,
        1,
        2,
        1,
    ),
)

_BRANDS: Answers = [_COKE, None, "Pepsi"]

# One text against a list of at most three. Nulls in a list are skipped, but keep their positions.
_LIST_TABLE: tuple[tuple[Any, ...], ...] = (
    ("rain", ["shine"], 0.4, 0.0, 0.6, False, "shine", 3, 5, 0),
    ("CocaCola", _BRANDS, _8_9, _8_9, _1_9, False, _COKE, 1, 9, 0),
    ("Coca cola", _BRANDS, 1.0, 1.0, _1_9, True, _COKE, 1, 9, 0),
    ("PEPSI", _BRANDS, 1.0, 1.0, 0.8, True, "Pepsi", 4, 5, 2),
    ("", _BRANDS, 0.0, 0.0, 1.0, False, _COKE, 9, 9, 0),
    (None, _BRANDS),
    ("Cola", ["", None], 0.0, 0.0, 4.0, False, "", 4, 0, 0),
    ("", ["a", ""], 1.0, 1.0, 0.0, True, "", 0, 0, 1),
    # The first of equals.
    ("ab", ["ba", "ax", "xb"], 0.5, 0.0, 0.5, False, "ax", 1, 2, 1),
    # The best similarity and the lowest error rate can belong to different answers.
    ("abcd", ["ab", "abxyz"], 0.5, 0.0, 0.6, False, "ab", 3, 5, 0),
    ("Cola", [None]),
    ("Cola", []),
    ("Cola", None),
    (None, None),
    ("Cola", [None, None, "Cola"], 1.0, 1.0, 0.0, True, "Cola", 0, 4, 2),
)

# The error type of each row of the tables, and the edits in the first: operation, position in the reference
# and in the prediction, characters there.
_TEXT_ERRORS = (
    ("wrong", ("replace 0 0 s r", "replace 1 1 h a", "delete 4 4 e")),
    ("wrong", ("insert 1 1 n", "delete 2 3 n", "insert 6 6 e", "delete 7 8 e")),
    ("whitespace", ("delete 4 4 _",)),
    ("case", ("replace 5 5 C c",)),
    ("truncated", ("delete 2 2 c", "delete 3 2 a", "delete 4 2 _", "delete 5 2 C", "delete 6 2 o")),
    ("empty", tuple(f"delete {position} 0 {letter}" for position, letter in enumerate("Coca_Cola"))),
    ("missing", None),
    ("exact", ()),
    ("exact", ()),
    ("invented", tuple(f"insert 0 {position} {letter}" for position, letter in enumerate("Cola"))),
    (None, None),
    ("exact", ()),
    (None, None),
    ("diacritics", ("replace 2 2 i \u00ef",)),
)
_LIST_ERRORS = (
    *("wrong", "whitespace", "case", "case", "empty", "missing", "invented", "exact"),
    *("wrong", "wrong", None, None, None, None, "exact"),
)

# Substitutions, deletions, insertions and hits of each row: words of the first table; words and characters of
# the second, each of the answer with the lowest rate.
_TEXT_WORDS = (
    *((1, 0, 0, 0), (1, 0, 0, 0), (1, 1, 0, 0), (1, 0, 0, 1), (0, 1, 0, 1), (0, 2, 0, 0), None, (0, 0, 0, 1)),
    *((0, 0, 0, 1), (0, 0, 1, 0), None, (0, 0, 0, 0), None, (1, 0, 0, 1)),
)
_LIST_WORDS = (
    *((1, 0, 0, 0), (1, 1, 0, 0), (1, 0, 0, 1), (1, 1, 0, 0), (0, 2, 0, 0), None, (0, 0, 1, 0), (0, 0, 0, 0)),
    *((1, 0, 0, 0), (1, 0, 0, 0), None, None, None, None, (0, 0, 0, 1)),
)
_LIST_CHARACTERS = (
    *((2, 1, 0, 2), (0, 1, 0, 8), (1, 0, 0, 8), (4, 0, 0, 1), (0, 9, 0, 0), None, (0, 0, 4, 0), (0, 0, 0, 0)),
    *((1, 0, 0, 1), (2, 1, 0, 2), None, None, None, None, (0, 0, 0, 4)),
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


def _edit(text: str) -> dict[str, Any]:
    op, reference, prediction, *letters = text.split()
    characters: list[str | None] = [" " if letter == "_" else letter for letter in letters]
    if op == "insert":
        characters.insert(0, None)
    elif op == "delete":
        characters.append(None)
    return dict(zip(EDIT_DTYPE.to_schema(), [op, int(reference), int(prediction), *characters], strict=True))


def _with_errors(
    values: tuple[Any, ...], error_type: str | None, edits: tuple[str, ...] | None = None
) -> Example:
    edit_ops = None if edits is None else [_edit(edit) for edit in edits]
    return dataclasses.replace(Example(*values), error_type=error_type, edit_ops=edit_ops)


def _characters(example: Example) -> tuple[int, ...] | None:
    """Return how many characters the edits of a row substitute, delete and insert, and what stays."""
    if example.edit_ops is None or example.reference_length is None:
        return None
    kinds = [edit["op"] for edit in example.edit_ops]
    substitutions, deletions, insertions = map(kinds.count, ("replace", "delete", "insert"))
    return substitutions, deletions, insertions, example.reference_length - substitutions - deletions


def _with_counts(
    example: Example, words: tuple[int, int, int, int] | None, characters: tuple[int, ...] | None
) -> Example:
    if words is None or characters is None:
        return example
    names = EDIT_COUNTS_DTYPE.to_schema()
    substitutions, deletions, insertions, hits = words
    edits = substitutions + deletions + insertions
    return dataclasses.replace(
        example,
        wer=edits / max(substitutions + deletions + hits, 1),
        word_errors=dict(zip(names, words, strict=True)),
        edit_counts=dict(zip(names, characters, strict=True)),
        page_errors=_page_errors(example, characters),
    )


def _page_errors(example: Example, characters: tuple[int, ...]) -> dict[str, int]:
    """Return the errors by kind of a row without blocks: words are missing in "Cola" and "" alone."""
    substitutions, deletions, insertions, _ = characters
    omitted = deletions if example.prediction in ("", "Cola") else 0
    added = insertions if example.reference_length == 0 else 0
    misread = substitutions + deletions + insertions - omitted - added
    values = (misread, omitted, added, 0, 0, 0, example.reference_length)
    return dict(zip(PAGE_ERRORS_DTYPE.to_schema(), values, strict=True))


_TEXT_ROWS = [_with_errors(values, *errors) for values, errors in zip(_TEXT_TABLE, _TEXT_ERRORS, strict=True)]
_LIST_ROWS = [
    _with_errors(values, error_type) for values, error_type in zip(_LIST_TABLE, _LIST_ERRORS, strict=True)
]

TEXT_EXAMPLES = tuple(map(_with_counts, _TEXT_ROWS, _TEXT_WORDS, map(_characters, _TEXT_ROWS)))
"""Rows with one text on either side."""

LIST_EXAMPLES = tuple(map(_with_counts, _LIST_ROWS, _LIST_WORDS, _LIST_CHARACTERS))
"""Rows with a list of answers."""

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
            (("CocaCola", [_COKE, "Coca Cola Company"]), _8_9),
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
        *("find_slices", "format_tax", "length_scores", "mean_over_epochs", "pass_at_k", "report"),
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
