"""
The preset "torchmetrics": rates of torchmetrics 1.9 on generated texts and sample pages, kept in a file.

torchmetrics computes in single precision. Its rates are ours, rounded to it, to the last bit.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import anls_frame as af

GOLDEN = Path(__file__).parents[1] / "golden" / "torchmetrics-1.9.0.json"
FUNCTIONS = {"wer": af.wer, "cer": af.cer, "mer": af.words.mer, "wil": af.words.wil}


def test_rates_of_texts_and_pages_are_those_of_the_package() -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    rows: list[dict[str, Any]] = golden["rows"]
    pages = {page["doc_id"]: page for page in af.sample("pages").to_dicts()}
    references = [row.get("reference", pages.get(row.get("doc_id"), {}).get("reference")) for row in rows]
    read = [row["read"] if "read" in row else pages[row["doc_id"]][row["engine"]] or "" for row in rows]
    frame = pl.DataFrame({"read": read, "reference": references})
    found = frame.select(
        function("read", "reference", protocol="torchmetrics") for function in FUNCTIONS.values()
    )

    assert len(rows) > 400
    assert golden["rates"] == found.columns == [*FUNCTIONS]
    for row, rates, reference in zip(rows, found.iter_rows(), references, strict=True):
        expected = dict(zip(FUNCTIONS, map(float.fromhex, row["rates"]), strict=True))
        for name, rate in zip(FUNCTIONS, rates, strict=True):
            if math.isfinite(expected[name]):
                assert float(np.float32(rate)) == expected[name], (name, row)
            else:  # divided by no words, or no characters, where ours count insertions
                assert not reference.split() or (name == "wil" and rate == 1.0), (name, row)
    # Single precision rounds three times; rounded once, many would be others.
    assert found["wil"].cast(pl.Float32).cast(pl.Float64).equals(found["wil"])


def test_texts_without_words_have_rates() -> None:
    # torchmetrics' rates are nan, and infinite if only the reference is empty.
    frame = pl.DataFrame({"read": ["", "a b", ""], "reference": ["", "", "a"]})
    found = frame.select(
        function("read", "reference", protocol="torchmetrics") for function in FUNCTIONS.values()
    )
    assert found.rows() == [(0, 0, 0, 0), (2, 3, 1, 1), (1, 1, 1, 1)]


def test_hits_are_what_mer_and_wil_differ_by() -> None:
    # A word is missing and another one added: the alignment has 2 hits and 2 edits, lengths are 3.
    frame = pl.DataFrame({"read": ["b c d"], "reference": ["a b c"]})
    aligned = frame.select(af.words.mer("read", "reference"), af.words.wil("read", "reference")).row(0)
    longer = frame.select(
        af.words.mer("read", "reference", protocol="torchmetrics"),
        af.words.wil("read", "reference", protocol="torchmetrics"),
    ).row(0)
    assert aligned == (2 / 4, 1 - (2 / 3) * (2 / 3))
    assert longer == (2 / 3, float(np.float32(1) - (np.float32(1) / np.float32(3)) ** 2))
