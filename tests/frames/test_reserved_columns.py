"""Columns that the package makes and recognises; your own columns of these names are ordinary columns."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import anls_frame as af

DOCUMENTS = pl.DataFrame(
    {
        "page": range(12),
        "gold": ['{"total":"5","po":null}'] * 12,
        "old": [json.dumps({"total": "5", "po": "PO1" if row % 2 else None}) for row in range(12)],
        "new": [json.dumps({"total": str(row)}) for row in range(12)],
        "state": ["open", "paid"] * 6,
    }
)
FIELDS = af.fields(DOCUMENTS, {"old": "old", "new": "new"}, "gold", id="page")


def through_csv(frame: pl.DataFrame) -> pl.DataFrame:
    return pl.read_csv(io.StringIO(frame.write_csv()), infer_schema=False)


PAGE = Path(__file__).parents[2] / "docs/reference/reserved.md"
RESERVED = [line.split("|") for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:3] == "| `"]


def reserved_by(maker: str) -> set[str]:
    """Return the columns that the page says a function makes."""
    return {
        name
        for _, names, made_by, *_ in RESERVED
        if f"`{maker}`" in made_by
        for name in re.findall(r"\w+", names)
    }


def test_the_list_has_the_columns_that_functions_make(tmp_path: Path) -> None:
    sure = '{"total":0.5,"po":0.5}'
    table = DOCUMENTS.select("page", "gold", "old", sure=pl.lit(sure))
    fields = af.fields(table, "old", "gold", id="page", model_confidence="sure", nulls="keep")
    assert {*fields.columns} - {*table.columns} == reserved_by("fields")
    documents = af.documents(fields, "prediction", "answers", id="page", model_confidence="confidence")
    assert {*documents.columns} - {"page", "confidence"} == reserved_by("documents")
    scored = pl.DataFrame({"doc": ["a", "a", "b"] * 30, "score": [0.0, 0.5, 1.0] * 30})
    sample = af.audit_sample(scored, 30, cluster="doc")
    assert {*sample.columns} - {*scored.columns} == reserved_by("audit_sample")
    row = {"question_id": 1, "prediction": "a", "answers": ["a"]}
    (tmp_path / "one.jsonl").write_text(json.dumps(row), encoding="utf-8")
    logs = af.read_logs([tmp_path / "one.jsonl"])
    assert reserved_by("read_logs") <= {*logs.columns}
    for name in ("page.gt.txt", "page.txt"):
        (tmp_path / name).write_text("text", encoding="utf-8")
    pages = af.read_pages(tmp_path / "page.gt.txt", tmp_path / "page.txt")
    assert reserved_by("read_pages") <= {*pages.columns, "doc_id"}


@pytest.mark.parametrize("written", [pl.DataFrame.clone, through_csv, pl.DataFrame.to_pandas])
def test_an_own_status_in_rows_of_fields_is_a_slice(written: Any) -> None:
    """Both systems' statuses are recognised; that of an order is not theirs."""
    rows = written(FIELDS.rename({"state": "order_status"}))
    found = af.find_slices(rows, ["new"], "answers", cluster="page")
    assert {*found.left_out} >= {"old_status", "new_status"}
    assert "order_status" not in found.left_out


def test_an_own_status_alone_is_a_slice() -> None:
    rows = pl.DataFrame(
        {"status": ["matched", "open"] * 20, "field": ["a", "b"] * 20, "p": ["x", "y"] * 20, "a": ["x"] * 40}
    )
    rows = rows.with_columns(item=1, a=pl.when(pl.int_range(40) % 4 == 3).then(None).otherwise("a"))
    # A row without an answer is left out, as elsewhere, rather than wrong, as in rows of `fields`.
    assert af.report(rows, "p", "a").overall["n"] == 30
    assert "status" not in af.find_slices(rows, "p", "a").left_out


def test_an_own_flag_beside_counts_is_a_slice() -> None:
    """`documents` makes truth values beside whole numbers."""
    rows = pl.DataFrame(
        {
            "all_right": ["yes", "no"] * 20,
            "n_fields": [1, 2] * 20,
            "n_wrong": [3, 4] * 20,
            "lang": ["de", "en"] * 20,
            "s": [0.0, 1.0] * 20,
        }
    )
    assert not {"all_right", "n_fields", "n_wrong"} & {*af.find_slices(rows, metrics="s").left_out}
    made = rows.with_columns(all_right=pl.col("all_right") == "yes")
    assert {"all_right", "n_fields", "n_wrong"} <= {*af.find_slices(made, metrics="s").left_out}


def test_an_own_audit_is_an_ordinary_column() -> None:
    """Whether a bill was audited says nothing about which rows of a sample were drawn."""
    scores = [0.0, 1.0, 1.0, 1.0] * 10
    truths = [0.0 if row % 8 == 1 else score for row, score in enumerate(scores)]
    rows = pl.DataFrame({"score": scores, "truth": truths}).with_columns(
        truth=pl.when(pl.int_range(40) % 2 == 1).then("truth")
    )
    plain = af.corrected(rows, "score", "truth").overall
    for values in (["yes", "no"] * 20, [True, False] * 20):
        own = rows.with_columns(audit=pl.Series(values))
        assert af.corrected(own, "score", "truth").overall.equals(plain)


def test_an_own_audit_in_a_sample_is_named() -> None:
    scored = pl.DataFrame({"score": [0.0, 0.5, 1.0] * 30})
    sample = af.audit_sample(scored, 30)
    judged = sample.with_columns(truth=pl.when("audit").then("score"))
    own = judged.with_columns(audit=pl.when("audit").then(2).otherwise(3))
    with pytest.raises(ValueError, match="'audit' must hold true and false, or 1 and 0; rename it"):
        af.corrected(own, "score", "truth")
