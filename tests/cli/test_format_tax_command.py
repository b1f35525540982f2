"""`format-tax` prints and writes the table of the package."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import shell
from shell import fine, refused

import anls_frame as af
from anls_frame.reports.wrapping_costs import FormatTax

Run = Callable[..., shell.Done]

ROWS = pl.DataFrame(
    {
        "id": ["1", "2", "3", "4"],
        "prediction": ["The answer is 42.", "```7```", "x", "**9**"],
        "answer": ["42", "7", "x", "8"],
        "lang": ["de", "fr", "fr", "de"],
    }
)


def test_tables_are_those_of_the_package(run: Run, tmp_path: Path) -> None:
    ROWS.write_ndjson(tmp_path / "in.jsonl")
    tax = af.format_tax(ROWS, "prediction", "answer", metrics="exact_match", by="lang")
    options = ("-m", "exact_match", "-b", "lang")

    printed = fine(run("format-tax", "in.jsonl", *options))
    tables = json.loads(fine(run("format-tax", "in.jsonl", *options, "--json")))
    written = fine(run("format-tax", "in.jsonl", *options, "-o", "tax.parquet"))

    said = "exact match: 0.250 as given, 0.750 unwrapped, 4 rows"
    assert printed.startswith(f"{said}.\n")
    assert written == f"{said}: tax.parquet\n"
    assert "metric" not in printed  # the only one is named above
    assert "fr" in printed
    assert "taken off" in printed
    assert "documents" not in printed.rsplit("* few", 1)[0]  # without clusters, no row has a number of them
    assert "[\N{EN DASH}]" in printed
    rough = "or a figure that rests on few of them: treat the interval as rough"
    assert printed.endswith(f"* few rows or documents, {rough}; where they are too few, there is none.\n")
    assert tables["steps"] == tax.steps.to_dicts()
    assert tables["account"] == tax.account.frame.to_dicts()
    figures = {"n": "n", "given": "baseline_score", "unwrapped": "score", "difference": "difference"}
    (overall,), slices = tables["overall"], {line["lang"]: line for line in tables["slices"]}
    assert [overall[name] for name in figures] == [4, 0.25, 0.75, 0.5]
    assert slices.keys() == {"de", "fr"}
    for line in tax.by_group.iter_rows(named=True):
        if line["lang"] is not None:
            own = slices[line["lang"]]
            assert [own[name] for name in figures] == [line[name] for name in figures.values()]
    assert pl.read_parquet(tmp_path / "tax.parquet").equals(tax.steps)


@pytest.mark.parametrize("metric", ["cer_mean", "wer_corpus"])
def test_error_rates_are_printed_in_per_cent_and_written_as_fractions(
    run: Run, tmp_path: Path, metric: str
) -> None:
    """Of four words, three are added and one is another: 4 of 4 as given, and 1 of 4 unwrapped."""
    rows = ROWS.with_columns(prediction=pl.Series(["The answer is 42", "7", "x", "9"]))
    rows.write_ndjson(tmp_path / "in.jsonl")
    options = ("in.jsonl", "-m", metric, "-b", "lang")
    printed = fine(run("format-tax", *options))
    total = af.format_tax(rows, "prediction", "answer", metrics=metric).overall.row(0, named=True)
    before, after = (f"{100 * total[name]:.1f} %" for name in ("baseline_score", "score"))
    assert f"{before} as given, {after} unwrapped, 4 rows" in printed
    if metric == "wer_corpus":
        assert (before, after) == ("100.0 %", "25.0 %")
    assert not re.search(r"\d\.\d{3}", printed)
    assert len(re.findall(r"[-+]\d+\.\d pp", printed)) >= 2
    tables = json.loads(fine(run("format-tax", *options, "--json")))
    assert tables["overall"][0]["given"] == total["baseline_score"]
    both = fine(run("format-tax", *options, "-m", "exact_match"))
    assert "exact match: 0." in both


def test_a_file_without_slices_needs_no_figures_of_them(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    figures_by = FormatTax.figures_by
    monkeypatch.setattr(
        FormatTax, "figures_by", lambda self, by: asked.append(tuple(by)) or figures_by(self, by)
    )
    ROWS.write_ndjson(tmp_path / "in.jsonl")
    fine(run("format-tax", "in.jsonl", "-b", "lang", "-o", "tax.csv"))
    assert ("lang",) not in asked
    fine(run("format-tax", "in.jsonl", "-b", "lang"))
    assert ("lang",) in asked


def test_steps_and_markers_are_those_that_are_asked_for(run: Run, tmp_path: Path) -> None:
    ROWS.with_columns(prediction="Antwort: " + pl.col("answer")).write_ndjson(tmp_path / "in.jsonl")
    found = {
        row["unwrap_steps"]: row["unwrapped"]
        for row in json.loads(fine(run("format-tax", "in.jsonl", "--markers", "Antwort:", "--json")))["steps"]
    }
    kept = json.loads(fine(run("format-tax", "in.jsonl", "--steps", "quotes", "--json")))

    assert found == {"marker": 1.0}
    assert [row["unwrap_steps"] for row in kept["steps"]] == ["none"]
    refused(
        run("format-tax", "in.jsonl", "--steps", "marks"), "--steps must be one of 'reasoning', 'answer_tag'"
    )


def test_counts_are_printed_with_commas(run: Run, tmp_path: Path) -> None:
    rows = pl.DataFrame({"prediction": ["a.", "a"] * 1000, "answers": "a"})
    rows.write_ndjson(tmp_path / "many.jsonl")
    printed = fine(run("format-tax", "many.jsonl", "--steps", "final_punctuation"))
    assert "2,000 rows." in printed
    assert len(re.findall(r"┆ 1,000\*? +┆", printed)) == 2
