"""Rows with their scores are written batch by batch: the same file, whole or not at all."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from campaign import amount
from shell import fine, refused, run

import anls_frame as af
from anls_frame.export import row_files

ROWS = amount(21_000, 120_000)
SUFFIXES = ("csv", "tsv", "jsonl", "json", "parquet")


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    number = pl.int_range(ROWS)
    return pl.select(
        question_id=pl.format("q{}", number),
        prediction=pl.when(number % 11 > 0).then(pl.format("answer {}", number % 101)),
        answers=pl.concat_list(pl.format("answer {}", number % 103), pl.format("ANSWER  {}", number % 101)),
    )


@pytest.fixture(scope="module")
def table(rows: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "rows.parquet"
    rows.write_parquet(path, row_group_size=10_000)
    return path


@pytest.fixture
def folder(table: Path, tmp_path: Path) -> Path:
    shutil.copy(table, tmp_path)
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_rows_are_written_in_their_order(
    folder: Path, rows: pl.DataFrame, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.setattr(row_files, "_BATCH", amount(5_000, 50_000))
    printed = fine(run(folder, "score", "rows.parquet", "-o", f"out.{suffix}", "--json"))
    expected = af.add_scores(rows, "prediction", "answers")
    found = af.read_results(folder / f"out.{suffix}")
    assert found.columns == expected.columns
    texts = ["question_id", "prediction", "answers"]
    assert found.select(texts).equals(expected.select(texts))
    # Read as texts, each of which is the shortest that is this number.
    for name in ("nls", "anls", "cer"):
        assert found[name].cast(pl.Float64).equals(expected[name])
    assert json.loads(printed)["anls"] == pytest.approx(expected["anls"].fill_null(0).mean(), abs=0.1)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("height", [0, 1, 6, 7, 8, 100])
def test_batches_leave_no_mark_on_the_file(
    tmp_path: Path, rows: pl.DataFrame, monkeypatch: pytest.MonkeyPatch, suffix: str, height: int
) -> None:
    frame = rows.head(height).with_columns(number=pl.int_range(height))
    for batch, name in ((1_000, "whole"), (7, "batches")):
        monkeypatch.setattr(row_files, "_BATCH", batch)
        row_files.write(frame.lazy(), tmp_path / f"{name}.{suffix}", escape_formulas=True)

    files = [tmp_path / f"{name}.{suffix}" for name in ("whole", "batches")]
    assert files[0].read_bytes() == files[1].read_bytes()
    if suffix == "parquet":
        assert pl.read_parquet(files[0]).equals(frame)
    if suffix == "jsonl":
        assert len(files[0].read_bytes().splitlines()) == height


def test_damage_far_down_leaves_no_file(folder: Path, rows: pl.DataFrame) -> None:
    texts = rows.with_columns(
        answers=pl.when(pl.int_range(pl.len()) == ROWS - 5).then(pl.lit("['a', b]")).otherwise(pl.lit("a"))
    )
    texts.write_parquet(folder / "damaged.parquet", row_group_size=10_000)

    for suffix in ("parquet", "csv"):
        options = ["--reader", "table,answers_format=list", "-o", f"out.{suffix}"]
        refused(
            run(folder, "score", "damaged.parquet", *options), "looks like a list but cannot be read as one"
        )
    assert names(folder) == ["damaged.parquet", "rows.parquet"]


def test_the_first_rows_are_shown_and_the_others_counted(folder: Path) -> None:
    printed = fine(run(folder, "score", "rows.parquet"))
    assert "q9" in printed
    assert "q10" not in printed
    assert f"... and {ROWS - 10:,} more rows" in printed
    pl.DataFrame(schema={"prediction": pl.String, "answers": pl.String}).write_parquet(
        folder / "none.parquet"
    )
    refused(run(folder, "score", "none.parquet"), "there is nothing to score. 0 rows were given")
    refused(run(folder, "convert", "none.parquet", "out.csv"), "none.parquet: holds no rows")


def test_parts_without_rows_to_score_have_summaries_too(tmp_path: Path) -> None:
    rows = pl.DataFrame(
        {
            "id": ["1", "2", "3"],
            "prediction": ["Coke", "Fanta", None],
            "answers": pl.Series([["coke"], ["Pepsi"], []], dtype=pl.List(pl.String)),
        }
    )
    parts = {"rows": rows[:2], "unanswerable": rows[2:], "empty": rows[:0]}
    for name, part in parts.items():
        part.write_parquet(tmp_path / f"{name}.parquet")
        done = run(tmp_path, "report", f"{name}.parquet", "--summary", f"{name}.summary.parquet", "--json")
        said = "anls-frame: empty.parquet: holds no rows\n" if name == "empty" else ""
        assert json.loads(fine(done, said))["tables"]["All rows"][0]["n"] == (2 if name == "rows" else 0)
    nothing = "0 of 1 row was used; 1 has no accepted answer and was left out: --unanswerable empty scores it"
    refused(run(tmp_path, "report", "unanswerable.parquet"), nothing)
    for command in ("report", "overview", "browse -o page.html", "convert out.csv"):
        name, *more = command.split()
        chosen = run(tmp_path, name, "rows.parquet", *more, "--where", "question_id = '9'")
        assert (chosen.returncode, chosen.stderr) == (2, "anls-frame: no row fulfils question_id = '9'\n")
    assert not (tmp_path / "page.html").exists()

    summaries = [f"{name}.summary.parquet" for name in parts]
    merged = json.loads(fine(run(tmp_path, "merge", *summaries, "--json")))["tables"]["All rows"][0]
    assert (merged["n"], merged["n_unanswerable"], merged["anls"]) == (2, 1, 0.5)
