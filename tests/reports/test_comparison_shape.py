"""Code for two systems in one metric works with any number of systems and metrics, in Polars and pandas."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import anls_frame as af

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ["total", "12 EUR", "Jackson", "yes"]
TEN = [f"system {number}" for number in range(10)]
CASES = {"two in one": (TEN[:2], ["anls"]), "ten in three": (TEN, ["anls", "exact_match", "cer_corpus"])}
COLUMNS = [
    *("metric", "baseline", "system", "n", "score", "score_low", "score_high", "baseline_score"),
    *("difference", "difference_low", "difference_high", "p_value", "p_adjusted"),
    *("wins", "ties", "losses", "few_rows", "n_clusters"),
]


def questions() -> pl.DataFrame:
    """Ten systems, of which each is right a little less often than the one before it."""
    dice = np.random.default_rng(7)
    answers = [WORDS[place] for place in dice.integers(0, 4, 240)]
    table: dict[str, Any] = {"answer": answers, "doc": np.arange(240) // 4, "lang": ["de", "en"] * 120}
    for place, system in enumerate(TEN):
        wrong = dice.random(240) < 0.05 + 0.06 * place
        table[system] = [f"{text}x" if bad else text for text, bad in zip(answers, wrong, strict=True)]
    return pl.DataFrame(table)


def compared(kind: str, case: str) -> tuple[af.Comparison, int]:
    """Return a comparison, and the number of its lines for each slice."""
    systems, metrics = CASES[case]
    frame = questions() if kind == "polars" else questions().to_pandas()
    options: dict[str, Any] = {"by": "lang", "cluster": "doc", "metrics": metrics, "draws": 199}
    return af.compare(frame, systems, "answer", **options), (len(systems) - 1) * len(metrics)


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a Polars or pandas frame."""
    return (frame if isinstance(frame, pl.DataFrame) else pl.from_pandas(frame)).to_dicts()


@pytest.mark.parametrize(("kind", "case"), [("polars", "two in one"), ("pandas", "ten in three")])
def test_the_same_cell_reads_every_comparison(kind: str, case: str, tmp_path: Path) -> None:
    comparison, lines = compared(kind, case)
    overall, groups, alone = comparison.overall, comparison.by_group, comparison.by("lang")

    for frame in (overall, groups, alone, comparison.regressions(), comparison.differences()):
        assert isinstance(frame, pl.DataFrame if kind == "polars" else pd.DataFrame)
    assert list(overall.columns) == COLUMNS
    assert list(groups.columns) == list(alone.columns) == ["lang", *COLUMNS]
    assert (
        comparison.to_polars().columns == list(comparison.to_pandas().columns) == ["slice", *groups.columns]
    )
    assert (len(overall), len(groups), comparison.to_polars().height) == (lines, 2 * lines, 3 * lines)

    first = rows_of(overall)[0]
    assert (first["metric"], first["baseline"], first["system"]) == ("anls", "system 0", "system 1")
    assert first["difference"] == first["score"] - first["baseline_score"]
    assert first["score_low"] <= first["score"] <= first["score_high"]
    assert float(overall["difference"].max()) >= first["difference"]
    lost = [row["system"] for row in rows_of(comparison.regressions()) if row["slice"] == "overall"]
    assert set(lost) <= set(overall["system"])

    for plan in (comparison.detectable_difference(), comparison.sample_size(0.1)):
        assert len(plan) == 3 * lines
        assert list(plan["system"])[:lines] == list(overall["system"])

    # The first table of all rows is that of `differences`, which compares all pairs.
    pairs = [row for row in rows_of(comparison.differences("system 0")) if row["slice"] == "overall"]
    assert [{name: row[name] for name in COLUMNS} for row in pairs] == rows_of(overall)
    for suffix in ("csv", "json", "md", "html", "xlsx", "parquet"):
        assert comparison.write(tmp_path / f"comparison.{suffix}").stat().st_size
    assert comparison.plot().get_xlabel()
    assert comparison.plot(kind="slices").get_title()
    assert comparison.to_gt() is not None
    assert repr(comparison)


@pytest.mark.parametrize("metrics", [["anls"], ["anls", "exact_match"]])
def test_data_files_of_two_systems_have_the_columns_of_the_frames(metrics: list[str], tmp_path: Path) -> None:
    made = af.compare(questions(), TEN[:2], "answer", by="lang", metrics=metrics, draws=99)
    frame = made.to_polars()
    written = pl.read_parquet(made.write(tmp_path / "comparison.parquet"))
    assert written.select(frame.columns).equals(frame)
    of_csv = pl.read_csv(made.write(tmp_path / "comparison.csv"))
    assert of_csv.columns == [*frame.columns, "signature", "digest"]
    tables = json.loads(made.write(tmp_path / "comparison.json").read_text("utf-8"))["tables"]
    for name, rows in tables.items():
        expected = ["slice", *COLUMNS] if name == "All rows" else frame.columns
        assert [list(row) for row in rows] == [expected] * len(rows)
    assert made.to_document().single.frame.equals(frame)


def test_metrics_with_scores_in_different_rows_keep_their_names() -> None:
    # Recall has no score in rows without an answer, so the other metrics have more rows.
    frame = pl.DataFrame(
        {
            "a": ["x", "y", None, "u", "v", "w"] * 5,
            "b": ["x", "z", "w", None, "v", "w"] * 5,
            "answer": ["x", "y", None, None, "v", "q"] * 5,
            "lang": (["de"] * 3 + ["en"] * 3) * 5,
        }
    )
    metrics = ["field_recall", "exact_match", "field_precision", "wrong_share"]
    comparison = af.compare(frame, ["a", "b"], "answer", metrics=metrics, by="lang", draws=99)
    by = {"overall": af.report(frame, "b", "answer", metrics=metrics).overall}
    sliced = af.report(frame, "b", "answer", metrics=metrics, by="lang").by_group
    by |= {line["lang"]: line for line in sliced.iter_rows(named=True)}
    lines = comparison.to_polars().to_dicts()
    assert len(lines) == 3 * len(metrics)
    for line in lines:
        assert line["score"] == pytest.approx(by[line["lang"] or "overall"][line["metric"]], abs=1e-12)
    for key in ("overall", "de", "en"):
        assert [line["metric"] for line in lines if (line["lang"] or "overall") == key] == metrics
    labels = ("recall of fields", "exact match", "precision of fields", "share of wrong fields")
    first_table = str(comparison).partition(" by lang")[0]
    printed = [line for line in first_table.splitlines() if line.startswith("│ ")][1:]
    for line, label, name in zip(printed, labels, metrics, strict=True):
        cells = [cell.strip() for cell in line.split("┆")]
        assert (cells[0].lstrip("│ "), cells[3]) == (label, f"{by['overall'][name]:.3f}")
