"""The preset "dinglehopper": rates of dinglehopper 0.11 on files of text, kept in a file, to the last bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
from cases import scoring

import anls_frame as af

GOLDEN = Path(__file__).parents[1] / "golden" / "dinglehopper-0.11.0.json"


def test_rates_of_pages_and_old_prints_are_those_of_the_package() -> None:
    rows: list[dict[str, Any]] = json.loads(GOLDEN.read_text(encoding="utf-8"))["rows"]
    pages = {page["doc_id"]: page for page in af.sample("pages").iter_rows(named=True)}
    references = [row.get("reference") or pages[row["doc_id"]]["reference"] for row in rows]
    read = [row["read"] if "read" in row else pages[row["doc_id"]][row["engine"]] or "" for row in rows]
    frame = pl.DataFrame({"read": read, "reference": references})
    by_clusters = scoring("anls", errors="dinglehopper")
    by_words = scoring("anls", errors=af.PROTOCOLS["dinglehopper"].by("word"))
    found = frame.select(
        cer=af.cer("read", "reference", protocol="dinglehopper"),
        wer=af.wer("read", "reference", protocol="dinglehopper"),
        clusters=af.score("read", "reference", protocol=by_clusters).struct.field("reference_length"),
        words=af.score("read", "reference", protocol=by_words).struct.field("reference_length"),
    )
    assert len(rows) > 300
    for row, scores in zip(rows, found.iter_rows(named=True), strict=True):
        assert scores["cer"].hex() == row["cer"], row
        assert scores["wer"].hex() == row["wer"], row
        assert (scores["clusters"], scores["words"]) == (row["clusters"], row["words"])


def test_an_empty_reference_counts_the_insertions() -> None:
    # dinglehopper's rate is infinite.
    frame = pl.DataFrame({"read": ["a\u0308b", ""], "reference": ["", " \n"]})
    assert frame.select(af.cer("read", "reference", protocol="dinglehopper")).to_series().to_list() == [
        2.0,
        0.0,
    ]
