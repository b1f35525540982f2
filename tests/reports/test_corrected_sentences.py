"""What is said of corrected scores: no direction without one, no figure that other figures contradict."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import anls_frame as af


def judged(seed: int, share: float, n: int = 2000, drawn: int = 200) -> pl.DataFrame:
    """Return documents of four rows with the scores of a judge, and the truth of rows at random."""
    rows = pl.DataFrame(
        {"doc": [row // 4 for row in range(n)], "judge": [float(row % 3 > 0) for row in range(n)]}
    )
    noise = pl.int_range(n).shuffle(seed)
    wrong = noise < share * n
    rows = rows.with_columns(truth=pl.when(wrong).then(1 - pl.col("judge")).otherwise("judge"))
    return rows.with_columns(people=pl.when(pl.int_range(n).shuffle(seed + 1) < drawn).then("truth"))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("share", [0.02, 0.3])
def test_a_bias_that_may_be_none_has_no_direction(seed: int, share: float) -> None:
    made = af.corrected(judged(seed, share), "judge", "people", cluster="doc")
    line = made.overall.row(0, named=True)
    said = made.to_document().head
    may_be_none = line["bias_low"] <= 0 <= line["bias_high"]
    assert ("they may be right: bias" in said) == may_be_none
    assert ("too high" in said or "too low" in said) != may_be_none


def test_what_more_verdicts_could_remove_is_what_a_full_audit_removes() -> None:
    said, removed = [], []
    for seed in range(8):
        rows = judged(seed, 0.3)
        line = af.corrected(rows, "judge", "people", cluster="doc").overall.row(0, named=True)
        full = af.corrected(rows, "judge", "truth", cluster="doc").overall.row(0, named=True)
        width, least = (one["corrected_high"] - one["corrected_low"] for one in (line, full))
        said.append(line["audit_share"])
        # With every row judged, the interval is that of documents alone.
        removed.append(1 - (least / width) ** 2)
        assert full["audit_share"] == pytest.approx(0, abs=1e-9)
    assert sum(said) / 8 == pytest.approx(sum(removed) / 8, abs=0.04)


@pytest.mark.parametrize(("cluster", "unit"), [("doc", "documents"), (None, "rows")])
def test_what_verdicts_cannot_remove_needs_other_data(cluster: str | None, unit: str) -> None:
    made = af.corrected(judged(1, 0.3), "judge", "people", cluster=cluster)
    (share,) = made.overall["audit_share"]
    said = (
        f"More verdicts can remove {100 * share:.0f} % of the remaining variance; the rest needs more {unit}."
    )
    assert said in made.to_document().head


@pytest.mark.parametrize(("cluster", "unit"), [("doc", "documents"), (None, "rows")])
def test_a_judge_without_an_error_rests_on_few_units(cluster: str | None, unit: str) -> None:
    notes = af.corrected(judged(1, 0.0), "judge", "people", cluster=cluster).to_document().notes
    assert notes.count(f"* few {unit} carry the figure: treat its interval as rough.") == 1


def test_a_screen_explains_the_marks_that_it_shows() -> None:
    """The judge errs often enough overall; in the smaller slice never, so that few rows carry agreement."""
    rows = judged(1, 0.3).with_columns(
        lang=pl.when(pl.col("doc") < 450).then(pl.lit("de")).otherwise(pl.lit("en"))
    )
    is_right = pl.col("people").is_not_null() & (pl.col("lang") == "en")
    people = pl.when(is_right).then("judge").otherwise("people")
    made = af.corrected(rows.with_columns(people=people), "judge", "people", cluster="doc", by="lang")
    is_marked = [made.overall["agreement_few_rows"].item(), *made.by_group["agreement_few_rows"]]
    assert is_marked == [False, False, True]
    told = "* few documents carry the figure: "
    assert told in " ".join(made.to_document().notes)
    alone = af.corrected(rows.with_columns(people=people), "judge", "people", cluster="doc")
    for text, is_told in ((made.to_text(), True), (alone.to_text(), False)):
        figures = [line for line in text.splitlines() if line.startswith(("│", "judge"))]
        assert ("*" in " ".join(figures), told in text) == (is_told, is_told)


def test_slices_without_a_verdict_are_named() -> None:
    rows = judged(1, 0.3).with_columns(
        lang=pl.when(pl.col("doc") < 250).then(pl.lit("de")).otherwise(pl.lit("en"))
    )
    one = rows.with_columns(people=pl.when(pl.col("lang") == "de").then("people"))
    said = " ".join(af.corrected(one, "judge", "people", cluster="doc", by="lang").to_document().notes)
    assert "No verdict in 1 of 2 slices by lang, with 1,000 rows:" in said
    every = " ".join(af.corrected(rows, "judge", "people", cluster="doc", by="lang").to_document().notes)
    assert "No verdict in" not in every


@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_grades_beside_right_and_wrong_have_no_bias(scale: float) -> None:
    """The mean of grades minus a share of right answers is no bias, whatever both are."""
    grades = [1.0, 2.0, 4.0, 5.0] * 100
    right = [grade > 2 if row % 8 else None for row, grade in enumerate(grades)]
    frame = pl.DataFrame({"grade": [scale * grade for grade in grades], "right": right})
    found = af.corrected(frame, "grade", "right", bounds=(0, 5 * scale))
    overall = found.overall.row(0, named=True)
    assert overall["corrected"] == pytest.approx(0.5, abs=0.1)
    assert (overall["bias"], overall["bias_low"], overall["bias_high"]) == (None, None, None)
    head = found.to_document().head
    assert "on another scale than the verdicts, which are 0 or 1; so they have no bias" in head
    assert "too high" not in found.to_text()
    assert "No figure is given" not in found.to_text()


def test_grades_beside_grades_have_a_bias() -> None:
    grades = [1.0, 2.0, 4.0, 5.0] * 100
    better = [min(grade + 1, 5) if row % 5 else None for row, grade in enumerate(grades)]
    found = af.corrected(pl.DataFrame({"g": grades, "t": better}), "g", "t", bounds=(1, 5))
    # Three of four grades are one too low.
    assert found.overall["bias"].item() == pytest.approx(-0.75, abs=0.1)


def test_how_well_the_judge_agrees_is_said_with_intervals_by_slice() -> None:
    rows = judged(1, 0.1).with_columns(half=pl.col("doc") < 250)
    made = af.corrected(rows, "judge", "people", cluster="doc", by="half")
    drawn = rows.drop_nulls("people")
    line = made.overall.row(0, named=True)
    said = next(note for note in made.to_document().notes if note.startswith("judge and verdicts: "))
    words = {
        "agreement": ("agreement", (drawn["judge"] == drawn["people"]).mean()),
        "sensitivity": ("right answers passed", drawn.filter(pl.col("people") == 1)["judge"].mean()),
        "specificity": ("wrong answers caught", 1 - drawn.filter(pl.col("people") == 0)["judge"].mean()),
        "kappa": ("kappa", line["kappa"]),
    }
    for name, (phrase, value) in words.items():
        ends = [line[f"{name}_low"], line[f"{name}_high"]]
        assert line[name] == pytest.approx(value)
        assert ends[0] < value < ends[1]
        mark = r"\*" if line[f"{name}_few_rows"] else "(?!\\*)"
        assert re.search(rf"{phrase} {value:.3f} \[{ends[0]:.3f}, {ends[1]:.3f}\]{mark}", said)
    assert f"where {drawn['people'].mean():.3f} of the judged are right" in said
    for slice_ in made.by_group.iter_rows(named=True):
        own = drawn.filter(pl.col("half") == slice_["half"])
        assert slice_["agreement"] == pytest.approx((own["judge"] == own["people"]).mean())
        assert slice_["agreement_low"] < slice_["agreement"] < slice_["agreement_high"]
        assert slice_["right_share"] == pytest.approx(own["people"].mean())


def test_a_slice_without_an_estimate_has_a_dash_in_each_column_of_figures(tmp_path: Path) -> None:
    few = pl.int_range(pl.len()) < 3
    rows = judged(1, 0.5).drop_nulls("people").with_columns(few=few)
    made = af.corrected(rows, "judge", "people", by="few")
    assert made.by_group.filter("few")["corrected"].to_list() == [None]
    page = made.write(tmp_path / "m.md").read_text(encoding="utf-8")
    (line,) = (line for line in page.splitlines() if line.startswith("| true"))
    assert not re.search(r"\| +\|", line), line


def test_without_a_wrong_answer_none_can_be_caught() -> None:
    rows = judged(1, 0.1).with_columns(people=pl.when(pl.col("people").is_not_null()).then(1.0))
    made = af.corrected(rows.with_columns(judge=1.0), "judge", "people", cluster="doc")
    found = made.overall.select("specificity", "specificity_low", "kappa", "agreement", "agreement_high")
    assert found.row(0) == (None, None, None, 1, 1)
    assert "wrong answers caught \N{EN DASH}." in made.to_text()


def test_grades_have_no_agreement_in_a_slice_where_all_happen_to_be_right_or_wrong() -> None:
    rows = judged(1, 0.1).with_columns(half=pl.col("doc") < 250)
    graded = rows.with_columns(judge=pl.when("half").then("judge").otherwise(pl.col("judge") * 0.9))
    made = af.corrected(graded, "judge", "people", cluster="doc", by="half")
    assert made.to_polars().select("agreement", "right_share", "kappa_few_rows").null_count().row(0) == (
        3,
        3,
        3,
    )
