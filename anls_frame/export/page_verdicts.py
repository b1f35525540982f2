"""What readers of a page say of its rows, and how their texts are known again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

VERDICTS = ("our_error", "answer_wrong", "answer_incomplete", "ambiguous_question", "format", "score_right")

REPEATS = ("system", "epoch")
"""Columns that tell rows with the same id apart."""


def repeating(schema: pl.Schema) -> list[str]:
    """Return the columns of a frame that tell rows with the same id apart: of texts or whole numbers."""
    kinds = (pl.String, pl.Categorical, pl.Enum)
    return [
        name for name in REPEATS if name in schema and (schema[name] in kinds or schema[name].is_integer())
    ]


def digest(predictions: Sequence[str | None], answers: Sequence[str | None] | None) -> str:
    """Return the digest of the texts of a row as the page's script computes it: FNV-1a, 64 bits, of JSON."""
    text = json.dumps([predictions, answers], ensure_ascii=False, separators=(",", ":"))
    found = 0xCBF29CE484222325
    for byte in text.encode():
        found = (found ^ byte) * 0x100000001B3 % 2**64
    return f"{found:016x}"
