"""Reports that the tests of the file formats write."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import polars as pl

from anls_frame.export import Document, Kind, Table
from anls_frame.export.columns import of_kinds

SUM = 0.1 + 0.2
DASH = "\u2013"  # for a figure that there is not
NOT_NUMBERS = (math.nan, math.inf, -math.inf)


def report() -> Document:
    """Build a report with a bit of everything."""
    frame = pl.DataFrame(
        {
            "slice": ["overall", "group", "group", "group"],
            "type": [None, "form", None, ""],
            "n": [12_345, 12_000, 340, 5],
            "anls": [0.68, SUM, 1.0, None],
            "anls_low": [0.651, 0.2, 1.0, None],
            "anls_high": [0.708, 0.4, 1.0, None],
            "cer": [0.1, math.nan, math.inf, None],
            "p": [None, 0.000012345, -0.5, 0.25],
            "remark": [None, None, None, "few rows"],
        }
    )
    kinds: dict[str, Kind] = {
        "type": "key",
        "n": "count",
        "anls": "score",
        "anls_low": "score",
        "anls_high": "score",
        "cer": "rate",
        "p": "number",
        "remark": "note",
    }
    worst = pl.DataFrame({"prediction": ["a", "", None], "answers": [["x", "y"], [], None]})
    return Document(
        "Scores of tesseract",
        [Table("By type", frame, of_kinds(kinds)), Table("Worst rows", worst)],
        {
            "protocol": "anls",
            "threshold": 0.5,
            "digest": "0123",
            "cluster": None,
            "versions": {"polars": "2"},
        },
        "anls|protocol:anls|threshold:0.5",
        ["Intervals: 95 %."],
    )


def single(values: Any, kind: Kind | None = None, dtype: Any = None) -> Document:
    """Build a report of one column, `value`."""
    frame = pl.DataFrame({"value": pl.Series(values, dtype=dtype, strict=dtype is None)})
    table = Table("Values", frame, of_kinds({"value": kind} if kind else {}))
    return Document("One column", [table], {}, "s")


def strict_json(path: Path) -> Any:
    """Return what a file of JSON holds; NaN and infinity are no JSON."""
    return parsed_strictly(path.read_bytes())


def parsed_strictly(text: str | bytes) -> Any:
    """Return the value of JSON text; NaN and infinity are no JSON."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)
