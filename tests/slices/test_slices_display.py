"""Found slices as text, in notebooks and in files."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import anls_frame as af
from anls_frame.slices.result import Slices


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    n = 600
    return pl.DataFrame(
        {
            "doc": [place % 50 for place in range(n)],
            "old": ["yes"] * n,
            "prediction": ["?" if place % 3 == 0 and place % 4 else "yes" for place in range(n)],
            "answer": ["yes"] * n,
            "kind": [["fax", "form", "a | b\x1b[31m"][place % 3] for place in range(n)],
            "id": [f"q{place}" for place in range(n)],
            "same": [1] * n,
        }
    )


@pytest.fixture(scope="module")
def found(rows: pl.DataFrame) -> Slices:
    return af.find_slices(rows, "prediction", "answer", ["kind", "id", "same"], cluster="doc")


def test_print_has_the_slice_its_score_and_what_was_looked_at(found: Slices) -> None:
    printed = repr(found)
    assert "kind = fax" in printed
    assert "0.250 [" in printed
    assert "Searched 3 slices of up to 2 conditions; p is adjusted for all of them." in printed
    assert "Left out: id (it has 600 values, more than 50)." in printed
    assert "same" not in printed
    assert found.signature in printed


def test_a_sentence_says_how_much_worse_and_how_much_of_the_loss(rows: pl.DataFrame, found: Slices) -> None:
    (sentence,) = found.sentences
    low, high = found.frame.select("score_low", "score_high").row(0)
    assert sentence == (
        f"kind = fax: 0.250 [{low:.3f}, {high:.3f}], 0.750 below the rest; "
        "33 % of the rows, 100 % of the total loss"
    )
    lost = af.find_slices(rows, {"old": "old", "new": "prediction"}, "answer", ["kind"], cluster="doc")
    assert lost.sentences[0].startswith("kind = fax: -0.750 [")
    assert "the rest 0.000; 33 % of the rows" in lost.sentences[0].replace("+", "")
    rates = af.find_slices(rows, "prediction", "answer", ["kind"], cluster="doc", metrics="cer_corpus")
    assert "above the rest" in rates.sentences[0]


def test_slices_of_several_systems_name_the_one_that_lost(rows: pl.DataFrame, tmp_path: Path) -> None:
    form = pl.when(pl.col("kind") == "form").then(pl.lit("?")).otherwise(pl.lit("yes"))
    systems = ["old", "prediction", "third"]
    lost = af.find_slices(rows.with_columns(third=form), systems, "answer", ["kind"], cluster="doc")
    assert lost.frame.select("description", "system").rows() == [
        ("kind = form", "third"),
        ("kind = fax", "prediction"),
    ]
    printed = repr(lost)
    assert "Where prediction, third lost against old (ANLS)" in printed
    assert "Searched 3 slices of up to 2 conditions for 2 systems; p is adjusted for all of them." in printed
    line = next(line for line in printed.splitlines() if "kind = form" in line)
    assert [cell.strip(" │") for cell in line.split("┆")[:2]] == ["kind = form", "third"]
    assert lost.sentences[0].startswith("kind = form (third): -1.000 [")
    written = json.loads(lost.write(tmp_path / "lost.json").read_text(encoding="utf-8"))
    assert [row["system"] for row in written["tables"]["Slices"]] == ["third", "prediction"]


def test_a_plot_shows_the_slices_of_one_system(rows: pl.DataFrame) -> None:
    form = pl.when(pl.col("kind") == "form").then(pl.lit("?")).otherwise(pl.lit("yes"))
    frame = rows.with_columns(third=form)
    lost = af.find_slices(frame, ["old", "prediction", "third"], "answer", ["kind"], cluster="doc")
    for system, label in ((None, "kind = form"), ("third", "kind = form"), ("prediction", "kind = fax")):
        for slices in (lost, lost.frame):
            ax = af.plot.worse_slices(slices, system=system)
            assert [text.get_text() for text in ax.get_yticklabels()] == [label]
            shown = " ".join(ax.get_xlabel().split())
            assert shown.startswith(f"{system or 'third'}: change in ANLS")
            assert "1 slice of other systems not shown" in shown
    with pytest.raises(ValueError, match="system must be one of 'third', 'prediction', got 'old'"):
        lost.plot(system="old")
    alone = af.find_slices(frame, "third", "answer", ["kind"], cluster="doc")
    with pytest.raises(ValueError, match='system="third" is for slices in which systems lost'):
        alone.plot(system="third")


def test_honest_slices_say_on_what_they_were_tested(rows: pl.DataFrame) -> None:
    search = af.SliceSearch(holdout=0.4)
    honest = af.find_slices(rows, "prediction", "answer", ["kind"], cluster="doc", search=search)
    assert "Searched 3 slices of up to 2 conditions on 60 % of the documents." in repr(honest)
    assert honest.n_tests == honest.frame.height == 1
    assert honest.frame["n"][0] < 200
    assert honest.settings["holdout"] == 0.4


def test_control_characters_are_visible(rows: pl.DataFrame) -> None:
    other = rows.with_columns(
        prediction=pl.when(pl.col("kind").str.starts_with("a")).then(pl.lit("?")).otherwise(pl.lit("yes"))
    )
    found = af.find_slices(other, "prediction", "answer", ["kind"], cluster="doc")
    assert "\x1b" not in repr(found)
    assert "\x1b" not in found._repr_html_()
    assert other.filter(found.filter(0))["kind"].unique().to_list() == ["a | b\x1b[31m"]


def test_all_formats_are_written(found: Slices, tmp_path: Path) -> None:
    for suffix in ("html", "csv", "tsv", "json", "jsonl", "md", "tex", "xlsx", "parquet"):
        assert found.write(tmp_path / f"slices.{suffix}").stat().st_size > 100
    table = pl.read_csv(tmp_path / "slices.csv")
    assert table["description"].to_list() == found.frame["description"].to_list()
    assert table["score"].to_list() == found.frame["score"].to_list()
    assert "overlapping" in table.columns
    written = json.loads((tmp_path / "slices.json").read_text(encoding="utf-8"))
    assert written["tables"]["Slices"][0]["p_adjusted"] == found.frame["p_adjusted"][0]
    # A note repeats no row of the table.
    assert not any("below the rest" in note for note in written["notes"])
    assert any("such a list would appear" in note for note in written["notes"])


def test_nothing_found_is_written_too(rows: pl.DataFrame, tmp_path: Path) -> None:
    none = af.find_slices(rows, "old", "answer", ["kind"], cluster="doc")
    assert none.sentences == []
    for suffix in ("html", "csv", "json", "md", "tex", "xlsx", "parquet"):
        none.write(tmp_path / f"none.{suffix}")
    assert "none found" in (tmp_path / "none.md").read_text(encoding="utf-8")
    assert "none found" in none._repr_html_()
    assert "such a list" not in repr(none)
    assert none.plot().get_yticks().size == 0
