"""Types of the public functions."""

from __future__ import annotations

from typing import Literal, TypeAlias

import polars as pl

IntoExprColumn: TypeAlias = pl.Expr | str | pl.Series
"""A column: an expression, a column's name, or a Series."""

MissingPrediction: TypeAlias = Literal["null", "empty"]
"""How a row expression scores a null prediction: as null, or as an empty string."""

PluginName: TypeAlias = Literal[
    "levenshtein",
    "lcs_distance",
    "hamming",
    "nls",
    "anls",
    "cer",
    "exact_match",
    "nearest_answer",
    "score",
    "edit_ops",
    "error_type",
]
"""A row expression that the compiled plugin exports."""

InternalPluginName: TypeAlias = Literal[
    "confusion_counts",
    "score_details",
    "gec_m2",
    "gec_m2_edits",
    "gec_i_measure",
    "gec_i_measure_references",
    "gec_align3",
    "gec_errant",
]
"""A function that the plugin exports only for this package."""

ScoreColumn: TypeAlias = Literal[
    "nls",
    "anls",
    "cer",
    "exact_match",
    "char_errors",
    "reference_length",
    "answer_index",
]
"""A field of `score`."""

ErrorType: TypeAlias = Literal[
    "missing",
    "empty",
    "exact",
    "case",
    "whitespace",
    "punctuation",
    "diacritics",
    "number_format",
    "extra_text",
    "truncated",
    "near",
    "wrong",
]
"""Error types, in the order in which they are tried."""
