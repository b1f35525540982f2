"""`anls-frame slices` finds what `find_slices` finds, in text files too, whose numbers are strings."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import shell
from rows_pages import Linked
from shell import fine, refused

import anls_frame as af


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    """Questions that are read wrongly on long pages."""
    random = np.random.default_rng(0)
    pages = random.integers(1, 60, 600)
    # The last of five quantiles.
    wrong = (pages > np.sort(pages)[479]) & (random.random(600) < 0.8)
    return pl.DataFrame(
        {
            "question_id": [f"q{place}" for place in range(600)],
            "doc": [f"d{place % 60}" for place in range(600)],
            "prediction": np.where(wrong, "?", "yes"),
            "answers": ["yes"] * 600,
            "pages": pages,
            "kind": random.choice(["form", "fax"], 600),
        }
    )


def test_one_system_in_a_text_file(rows: pl.DataFrame, tmp_path: Path) -> None:
    rows.write_csv(tmp_path / "results.csv")
    printed = fine(shell.run(tmp_path, *["slices", "results.csv", "-c", "doc", "--json"]))
    found = json.loads(printed)
    expected = af.find_slices(rows, "prediction", "answers", ["kind", "pages"], cluster="doc")
    written = found["tables"]["Slices"]
    assert [one["description"] for one in written] == expected.frame["description"].to_list()
    assert written[0]["description"].startswith("pages >")
    assert written[0]["p_adjusted"] == expected.frame["p_adjusted"][0]
    assert found["settings"]["columns"] == ["kind", "pages"]
    printed = shell.run(
        tmp_path, *["slices", "results.csv", "-c", "doc", "--column", "kind", "--depth", "1"]
    ).stdout
    assert "none found" in printed
    assert "p, adjusted" not in printed  # no headings of a table without rows
    assert "Searched 2 slices of up to 1 condition;" in printed


def test_outcomes_of_fields_are_no_slices(tmp_path: Path) -> None:
    documents = pl.DataFrame(
        {
            "doc": [f"d{place}" for place in range(80)],
            "prediction": [{"total": "1", "date": None if place % 2 else "1"} for place in range(80)],
            "answers": [{"total": "1", "date": "1"}] * 80,
        }
    )
    rows = af.fields(documents, "prediction", "answers", id="doc")
    rows.write_parquet(tmp_path / "fields.parquet")
    written = json.loads(fine(shell.run(tmp_path, *["slices", "fields.parquet", "-c", "doc", "--json"])))
    # Every missing date has the status "missing", in which all rows are wrong.
    assert [one["description"] for one in written["tables"]["Slices"]] == ["field = date"]
    assert written["settings"]["columns"] == ["field"]


def test_what_the_second_of_two_files_lost(rows: pl.DataFrame, tmp_path: Path) -> None:
    rows.with_columns(prediction=pl.lit("yes")).write_ndjson(tmp_path / "old.jsonl")
    rows.write_ndjson(tmp_path / "new.jsonl")
    printed = fine(shell.run(tmp_path, *["slices", "old.jsonl", "new.jsonl", "-c", "doc", "-o", "lost.md"]))
    assert re.match(r"lost\.md: 1 of \d+ slices searched\. The worst: ", printed)
    assert "Where new lost against old" in (tmp_path / "lost.md").read_text(encoding="utf-8")
    options = ["-c", "doc", "-o", "lost.html", "--rows", "600"]
    fine(shell.run(tmp_path, *["slices", "old.jsonl", "new.jsonl", *options]))
    linked = Linked((tmp_path / "lost.html").read_text(encoding="utf-8"))
    last = rows.filter(pl.col("pages") > rows["pages"].sort()[479])
    assert [linked.count(view) for view in linked.views] == [last.height]
    again = shell.run(tmp_path, *["slices", "new.jsonl", "old.jsonl", "-c", "doc"])
    assert "Where old lost against new (ANLS): none found" in again.stdout


def test_what_several_systems_lost(rows: pl.DataFrame, tmp_path: Path) -> None:
    frame = rows.with_columns(old=pl.lit("yes"), third=pl.lit("yes"))
    frame.write_parquet(tmp_path / "rows.parquet")
    line = "slices rows.parquet --systems old,prediction,third -c doc --column pages --json"
    written = json.loads(fine(shell.run(tmp_path, *line.split())))
    systems = {name: name for name in ("old", "prediction", "third")}
    expected = af.find_slices(frame, systems, "answers", "pages", cluster="doc").frame
    assert expected["system"].to_list() == ["prediction"]
    assert written["tables"]["Slices"] == expected.drop("overlapping").to_dicts()
    assert written["title"] == "Where prediction, third lost against old (ANLS)"
    for name in systems:
        frame.select(pl.exclude("prediction"), prediction=name).write_ndjson(tmp_path / f"{name}.jsonl")
    files = [f"{name}.jsonl" for name in systems]
    of_files = json.loads(
        fine(shell.run(tmp_path, "slices", *files, "-c", "doc", "--column", "pages", "--json"))
    )
    assert of_files["tables"] == written["tables"]


def test_a_summary_is_searched_in_the_columns_that_it_is_sliced_by(
    rows: pl.DataFrame, tmp_path: Path
) -> None:
    rows.write_parquet(tmp_path / "results.parquet")
    for part, half in {"1": rows[:200], "2": rows[200:]}.items():
        half.write_parquet(tmp_path / f"rows-{part}.parquet")
        line = f"report rows-{part}.parquet -b pages -b kind -c doc --summary {part}.parquet"
        shell.run(tmp_path, *line.split())
    shell.run(tmp_path, *["merge", "1.parquet", "2.parquet", "--summary", "whole.parquet"])
    printed = fine(shell.run(tmp_path, *["slices", "whole.parquet", "--json"]))
    expected = af.find_slices(rows, "prediction", "answers", ["kind", "pages"], cluster="doc").frame
    written = json.loads(printed)["tables"]["Slices"]
    assert written == expected.drop("overlapping").to_dicts()
    refused(
        shell.run(
            tmp_path, *["slices", "whole.parquet", "results.parquet", "-c", "doc", "--protocol", "raw"]
        ),
        "leave out all other files, --cluster, --protocol",
    )
    for options, message in (
        ("-c doc", "sliced by the columns to search; name them in -b of the command that saved it"),
        ("-b kind", "slices are tested by documents; name their column in --cluster"),
    ):
        shell.run(tmp_path, *f"report results.parquet {options} --summary other.parquet --force".split())
        refused(shell.run(tmp_path, "slices", "other.parquet"), message)


def test_options_are_checked(rows: pl.DataFrame, tmp_path: Path) -> None:
    rows.write_csv(tmp_path / "results.csv")
    for options, message in (
        ("--depth 4", "--depth must be an integer from 1 to 3, got 4"),
        ("--holdout 2", "--holdout must be a number in [0, 1], got 2.0"),
        ("--column nope", "no column 'nope'"),
        ("-o slices.doc", "must end in one of"),
        ("-o slices.md --rows 9", "--rows adds rows to a report in HTML"),
    ):
        refused(shell.run(tmp_path, *f"slices results.csv {options}".split()), message)


def test_columns_that_say_how_a_system_did_explain_no_score(rows: pl.DataFrame, tmp_path: Path) -> None:
    """Of a harness or a judge: a slice of all wrong rows would hide every other one. They can be named."""
    is_right = pl.col("prediction") == pl.col("answers")
    columns = dict.fromkeys(("if_right", "judge_gpt4", "exact_match", "feedback.correct"), is_right)
    columns["word_error_rate"] = columns["CharErrorRate"] = 1 - is_right.cast(pl.Float64)
    columns["CER_reduction"] = columns["wer_improvement"] = columns["score_delta"] = is_right
    rows.with_columns(**columns, noise_reduction="kind").write_csv(tmp_path / "judged.csv")
    found = json.loads(fine(shell.run(tmp_path, "slices", "judged.csv", "-c", "doc", "--json")))
    assert found["tables"]["Slices"][0]["description"].startswith("pages >")
    assert found["settings"]["columns"] == ["kind", "noise_reduction", "pages"]
    printed = " ".join(fine(shell.run(tmp_path, "slices", "judged.csv", "-c", "doc")).split())
    for name in columns:
        assert f"{name} (it says how a system did)" in printed
    named = shell.run(tmp_path, "slices", "judged.csv", "-c", "doc", "--column", "if_right")
    assert 'if_right = "false"' in fine(named)
