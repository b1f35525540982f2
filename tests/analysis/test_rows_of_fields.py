"""Rows of `fields` in every function: a value that gold has not is an error, whatever the function."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
import shell

import anls_frame as af

N = 200
DOCUMENTS = pl.DataFrame(
    {
        "page": range(N),
        "gold": ['{"total":"5 EUR","po":null}'] * N,
        # Half of the order numbers are invented.
        "model": [json.dumps({"total": "5 EUR", "po": "PO1" if row % 2 else None}) for row in range(N)],
        "rules": [json.dumps({"total": "5 EUR"}) for _ in range(N)],
        "sure": [json.dumps({"total": 0.9 + row / 9999, "po": 0.9 + row / 9999}) for row in range(N)],
    }
)
ROWS = af.fields(DOCUMENTS.drop("rules"), "model", "gold", id="page", model_confidence="sure")
TEXTS = ("prediction", "answers")


def through_csv(rows: pl.DataFrame) -> pl.DataFrame:
    return pl.read_csv(io.StringIO(rows.write_csv()))


def through_pandas_csv(rows: pl.DataFrame) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(rows.write_csv()))


def through_parquet(rows: pl.DataFrame) -> pl.DataFrame:
    written = io.BytesIO()
    rows.write_parquet(written)
    written.seek(0)
    return pl.read_parquet(written)


KINDS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": pl.DataFrame,
    "lazy": pl.DataFrame.lazy,
    "pandas": pl.DataFrame.to_pandas,
    "arrow": pl.DataFrame.to_arrow,
    "csv": through_csv,
    "csv in pandas": through_pandas_csv,
    "parquet": through_parquet,
}


@pytest.mark.parametrize("kind", KINDS)
def test_invented_values_count_in_every_function(kind: str) -> None:
    rows = KINDS[kind](ROWS)
    chosen = af.selective(rows, *TEXTS, "confidence", metrics="exact_match", cluster="page")
    found = pl.DataFrame(chosen.threshold(0.02)).select("n", "status").row(0)
    # 200 totals, all right, and 100 order numbers, all invented.
    assert found == (300, "risk_too_high")
    report = af.report(rows, *TEXTS, metrics="exact_match", by="field")
    assert (report.overall["n"], report.overall["n_unanswerable"]) == (300, 0)
    assert report.overall["exact_match"] == pytest.approx(2 / 3)
    assert dict(pl.DataFrame(report.by_group).select("field", "exact_match").rows()) == {"total": 1, "po": 0}
    found = af.find_slices(rows, *TEXTS, ["field"], metrics="exact_match")
    assert pl.DataFrame(found.table).select("description", "n").rows() == [("field = po", 100)]
    worst = af.worst(rows, *TEXTS, n=1)
    assert pl.DataFrame(worst)["field"].to_list() == ["po"]
    scored = af.repeats.mean_over_epochs(rows, *TEXTS, id=["page", "field"], metrics="exact_match")
    assert pl.DataFrame(scored)["exact_match"].sum() == 200


def test_what_the_user_asks_for_is_done() -> None:
    report = af.report(ROWS, *TEXTS, metrics="exact_match", unanswerable="empty")
    assert (report.overall["n"], report.overall["exact_match"]) == (300, pytest.approx(2 / 3))
    assert af.report(ROWS, *TEXTS, metrics="fields").overall["n"] == 300


def test_parts_of_fields_add_up() -> None:
    parts = [
        af.summarize(part, *TEXTS, metrics="exact_match") for part in (ROWS[:150], through_csv(ROWS[150:]))
    ]
    merged = af.Report.from_summary(af.merge(parts)).overall
    assert (merged["n"], merged["exact_match"]) == (300, pytest.approx(2 / 3))


def test_of_several_systems_each_has_its_own_fields() -> None:
    # "rules" predicts no order number, and every other total wrong: beside "model", that is still a half.
    half = pl.Series("rules", [json.dumps({"total": ["5 EUR", "6 EUR"][row % 2]}) for row in range(N)])
    systems = {"model": "model", "rules": "rules"}
    rows = af.fields(DOCUMENTS.drop("sure").with_columns(half), systems, "gold", id="page")
    for frame in (rows, through_csv(rows)):
        compared = af.compare(frame, ["rules", "model"], "answers", metrics="exact_match")
        found = compared.overall.select("n", "baseline_score", "score").row(0)
        assert found == (300, 0.5, pytest.approx(2 / 3))
        # Each system has the fields with a gold value or a prediction of its own.
        counted = compared.account.frame.drop("metric").fill_null("")
        assert counted.rows() == [
            ("rules", "given", "", 300),
            ("rules", "used", "", 200),
            ("rules", "left out", "neither gold nor prediction", 100),
            ("model", "given", "", 300),
            ("model", "used", "", 300),
            ("model", "changed", "no accepted answer, scored against the empty text", 100),
        ]
        assert "texts predicted there are wrong (100 of model)" in str(compared)


STATUS = pl.Series("status", ["matched", "open"] * 150)


@pytest.mark.parametrize(
    "rows",
    [
        # Not made by `fields`: other values, the same values without the fields, no texts.
        ROWS.with_columns(STATUS),
        ROWS.with_columns(pl.col("status").cast(pl.String)).rename({"field": "key"}),
        ROWS.with_columns(status=pl.lit(1)),
        ROWS.with_columns(status=pl.lit(None, pl.String)),
    ],
)
def test_a_column_of_this_name_that_the_user_made_is_an_ordinary_one(rows: pl.DataFrame) -> None:
    assert af.report(rows, *TEXTS, metrics="exact_match").overall["n"] == 200
    assert af.report(rows, *TEXTS, metrics="exact_match", by="status").by_group["n"].sum() == 200


def test_the_command_line_certifies_nothing_that_is_invented(tmp_path: Path) -> None:
    ROWS.write_csv(tmp_path / "fields.csv")
    how = ("--model-confidence", "confidence", "-m", "exact_match", "--risk", "0.02", "--json")
    found = json.loads(shell.fine(shell.run(tmp_path, "selective", "fields.csv", *how)))
    assert "risk_too_high" in json.dumps(found)


def test_the_set_of_fields_names_what_selective_needs() -> None:
    with pytest.raises(ValueError, match=r"one score of rows, .*; pass 'exact_match'"):
        af.selective(ROWS, *TEXTS, "confidence", metrics="fields")
