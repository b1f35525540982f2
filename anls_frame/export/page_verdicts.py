"""Verdicts on rows of a page, and digests that identify the texts of rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from anls_frame.frames.reserved_columns import EPOCH, SYSTEM
from anls_frame.frames.strict_json import Number

OF_TEXTS = ("our_error", "answer_wrong", "answer_incomplete", "ambiguous_question", "format", "score_right")
"""Verdicts on a comparison of texts: why a row scores less than 1."""

OF_JUDGE = ("right", "wrong")
"""Verdicts on a given score, such as that of an LLM judge: they say what is true, whatever the score."""

VERDICTS = (*OF_TEXTS, *OF_JUDGE)

REPEATS = (SYSTEM, EPOCH)
"""Columns that tell rows with the same id apart."""

SCORE = "score"
"""Column with the name of the score that was judged: the first of the page."""


def repeating(schema: pl.Schema) -> list[str]:
    """Return the columns of a frame that distinguish rows with the same id, with texts or integers."""
    kinds = (pl.String, pl.Categorical, pl.Enum)
    return [
        name for name in REPEATS if name in schema and (schema[name] in kinds or schema[name].is_integer())
    ]


def digest(predictions: Sequence[str | None], answers: Sequence[str | None] | None) -> str:
    """Return the digest of the texts of a row as the page's script computes it: FNV-1a, 64 bits, of JSON."""
    text = json.dumps([predictions, answers], ensure_ascii=False, separators=(",", ":"))
    state = 0xCBF29CE484222325
    for byte in text.encode():
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return f"{state:016x}"


def verdict_frame(verdicts: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return verdicts as a frame; numeric ids stay as written until all ids are known."""
    names = ("id", "row", "verdict", "digest", *REPEATS, SCORE)
    columns = {name: [verdict.get(name) for verdict in verdicts] for name in names}
    dtypes: dict[str, Any] = dict.fromkeys(names, pl.String) | {
        "row": pl.Int64,
        "verdict": pl.Enum(VERDICTS),
    }
    plain = {name: [str(cell) if isinstance(cell, str) else cell for cell in columns[name]] for name in names}
    frame = pl.DataFrame(plain, schema=dtypes)
    known = [id_ for id_ in columns["id"] if id_ is not None]
    if known and all(isinstance(id_, Number) for id_ in known):
        # Integers, unless an id is not an integer or has more digits.
        numbers = frame["id"].cast(pl.Int64, strict=False)
        if numbers.null_count() == frame["id"].null_count():
            return frame.with_columns(numbers)
    return frame
