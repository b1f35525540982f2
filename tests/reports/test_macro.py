"""Macro averages: means of slices, with intervals from what each document adds to them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats

import anls_frame as af

QUESTIONS = af.sample()
METRICS = ["anls", "exact_match", "cer_corpus", "cer_mean", "wer_corpus", "field_f1"]


@pytest.mark.parametrize("cluster", [None, "doc_id"])
@pytest.mark.parametrize("by", ["lang", "question_types", ["lang", "doc_type"]])
def test_it_is_the_mean_of_the_slices(by: Any, cluster: str | None) -> None:
    report = af.report(QUESTIONS, "rapidocr", "answers", metrics=METRICS, by=by, cluster=cluster)
    macro = report.macro()
    assert macro["metric"].to_list() == METRICS
    for line in macro.iter_rows(named=True):
        figures = report.by_group[line["metric"]]
        assert line["score"] == pytest.approx(figures.mean(), abs=1e-12)
        assert line["score_low"] < line["score"] < line["score_high"]
        assert line["n_slices"] == figures.len()
        assert line["n_clusters"] == (112 if cluster else None)


@pytest.mark.parametrize("cluster", [None, "doc_id"])
def test_that_of_a_single_slice_has_the_interval_of_a_report(cluster: str | None) -> None:
    frame = QUESTIONS.with_columns(all=pl.lit("all"), words=pl.col("n_words").cast(pl.Float64))
    metrics = [*METRICS, "words"]
    report = af.report(frame, "rapidocr", "answers", metrics=metrics, by="all", cluster=cluster)
    for line in report.macro().iter_rows(named=True):
        name = line["metric"]
        ends = [report.overall[name], report.overall[f"{name}_low"], report.overall[f"{name}_high"]]
        assert [line["score"], line["score_low"], line["score_high"]] == pytest.approx(ends, rel=1e-9)
    systems = ["tesseract", "rapidocr"]
    comparison = af.compare(frame, systems, "answers", metrics=METRICS, by="all", cluster=cluster)
    names = ["score", "score_low", "score_high", "baseline_score", "difference"]
    names += ["difference_low", "difference_high"]
    expected = comparison.overall.select(names).to_numpy()
    assert comparison.macro().select(names).to_numpy() == pytest.approx(expected, rel=1e-9, abs=1e-12)


def alike(sizes: list[float]) -> float:
    """Return what units are worth if their rows are alike, as in reports: a correlation of 0.3."""
    by_size = np.array(sizes)
    n, units = by_size.sum(), by_size.sum() ** 2 / (by_size**2).sum()
    weighted = 0.7 * by_size + 0.3 * by_size**2
    correlated = weighted.sum() ** 2 / (weighted**2).sum()
    return float(min(units, max(units * min(correlated / (n**2 / (by_size**2).sum()), 1), 2)))


def by_hand(
    rows: list[tuple[int, list[str], float]], weights: dict[str, float]
) -> tuple[float, float, float]:
    """Return the average of slices and its interval, row by row, from the formulas of the documentation."""
    share = {name: weight / sum(weights.values()) for name, weight in weights.items()}
    members = {name: [(unit, x) for unit, slices, x in rows if name in slices] for name in share}
    mean = {name: np.mean([x for _, x in own]) for name, own in members.items()}
    # What documents add to the average in each slice, stretched by √(G / (G - 1)).
    parts: dict[str, dict[int, float]] = {name: {} for name in share}
    influence: dict[int, float] = {}
    size: dict[int, float] = {}
    worth = {}
    for name, own in members.items():
        worth[name] = alike(list(Counter(unit for unit, _ in own).values()))
        stretch = np.sqrt(worth[name] / (worth[name] - 1))
        for unit, x in own:
            part = stretch * share[name] * (x - mean[name]) / len(own)
            parts[name][unit] = parts[name].get(unit, 0) + part
            influence[unit] = influence.get(unit, 0) + part
            size[unit] = size.get(unit, 0) + share[name] / len(own)
    score = sum(share[name] * mean[name] for name in share)
    n = 1 / sum(share[name] ** 2 / len(own) for name, own in members.items())
    variance = sum(value**2 for value in influence.values())
    of_slice = {
        name: sum(part * influence[unit] for unit, part in own.items()) for name, own in parts.items()
    }
    satterthwaite = variance**2 / sum(of_slice[name] ** 2 / (worth[name] - 1) for name in share)
    degrees = min(alike([n * value for value in size.values()]) - 1, satterthwaite)
    half = stats.t.ppf(0.975, degrees) * np.sqrt(variance)
    return float(score), float(score - half), float(score + half)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("has_clusters", [False, True])
def test_intervals_of_scores_in_overlapping_slices_by_hand(seed: int, has_clusters: bool) -> None:  # noqa: FBT001
    dice = np.random.default_rng(seed)
    documents = dice.integers(0, 25, 300) if has_clusters else np.arange(300)
    offset = dice.normal(0, 3, 300)[documents]
    # Scores below 0, so that the interval is Student's t.
    scores = dice.normal(0, 2, 300) + offset
    slices = [sorted(dice.choice([*"abc"], dice.integers(1, 3), replace=False)) for _ in range(300)]
    weights = {"a": 1.0, "b": 2.0, "c": 0.5}
    frame = pl.DataFrame({"doc": documents, "kind": slices, "score": scores})
    cluster = "doc" if has_clusters else None
    report = af.report(frame, metrics="score", by="kind", cluster=cluster)
    line = report.macro("kind", weights=weights).row(0, named=True)
    expected = by_hand(list(zip(documents.tolist(), slices, scores.tolist(), strict=True)), weights)
    assert (line["score"], line["score_low"], line["score_high"]) == pytest.approx(expected, rel=1e-6)


def test_comparisons_have_the_averages_of_reports() -> None:
    systems = {"tesseract": "tesseract", "rapidocr": "rapidocr"}
    percent = af.Metric(
        lambda prediction, answers: 100 * af.nls(prediction, answers) - 20, name="percent", bounds=(-20, 80)
    )
    share = af.Metric(af.nls, name="share", bounds=(0, 1))
    # A score that can be negative is no mean over the fields of each system.
    for metrics in ([*METRICS, share], ["anls", "cer_corpus", percent]):
        options: dict[str, Any] = {"metrics": metrics, "by": "question_types", "cluster": "doc_id"}
        # Of all rows that both have, which are all.
        macro = af.compare(QUESTIONS, systems, "answers", **options).macro()
        reports = {name: af.report(QUESTIONS, name, "answers", **options).macro() for name in systems}
        for name in ("score", "score_low", "score_high"):
            assert macro[name].to_numpy() == pytest.approx(reports["rapidocr"][name].to_numpy(), rel=1e-9)
        baseline = reports["tesseract"]["score"]
        assert macro["baseline_score"].to_numpy() == pytest.approx(baseline.to_numpy(), rel=1e-9)
        apart = (macro["score"] - macro["baseline_score"]).to_numpy()
        assert macro["difference"].to_numpy() == pytest.approx(apart, abs=1e-12)
    with pytest.raises(
        ValueError, match="'percent' has a lower bound below 0, so it cannot be averaged over"
    ):
        af.compare(QUESTIONS, systems, "answers", metrics=["field_f1", percent])
    assert set(macro["p_value"] < 0.05) == {True}
    same = af.compare(QUESTIONS, {"a": "rapidocr", "b": "rapidocr"}, "answers", **options).macro()
    assert same["p_value"].to_list() == [1.0] * len(metrics)


def test_pandas_and_parts_have_the_same_averages() -> None:
    options: dict[str, Any] = {"metrics": ["anls", "cer_corpus"], "by": "lang", "cluster": "doc_id"}
    whole = af.report(QUESTIONS, "rapidocr", "answers", **options).macro()
    frame = af.report(QUESTIONS.to_pandas(), "rapidocr", "answers", **options).macro()
    assert isinstance(frame, pd.DataFrame)
    assert frame["score_low"].tolist() == whole["score_low"].to_list()
    parts = [af.summarize(QUESTIONS[place::3], "rapidocr", "answers", **options) for place in range(3)]
    merged = af.Report.from_summary(af.merge(parts)).macro()
    for name in ("score", "score_low", "score_high"):
        assert merged[name].to_numpy() == pytest.approx(whole[name].to_numpy(), abs=1e-12)


@pytest.mark.parametrize("cluster", [None, "doc_id"])
def test_averages_do_not_depend_on_the_order_of_rows(cluster: str | None) -> None:
    options: dict[str, Any] = {"metrics": ["anls", "cer_corpus"], "by": "doc_type", "cluster": cluster}
    expected = af.report(QUESTIONS, "rapidocr", "answers", **options).macro()
    for seed in range(4):
        rows = QUESTIONS.sample(fraction=1, shuffle=True, seed=seed)
        found = af.report(rows, "rapidocr", "answers", **options).macro()
        assert_frame_equal(found, expected, check_exact=True)


def test_weights_name_slices() -> None:
    frame = pl.DataFrame({"s": [0.0, 1.0, 0.5, 1.0], "k": [*"aabb"], "m": [*"xyxy"]})
    report = af.report(frame, metrics="s", by=["k", "m"])
    assert report.macro("k", weights={"a": 3, "b": 1})["score"].item() == 0.5625
    crossed = {("a", "x"): 0, ("a", "y"): 0, ("b", "x"): 1, ("b", "y"): 0}
    assert report.macro(weights=crossed)["score"].item() == 0.5
    assert report.macro(weights=crossed)["n_slices"].item() == 1
    with pytest.raises(
        ValueError, match=r"weights must name each slice once; 'c' is not a slice among \['a', 'b'\]"
    ):
        report.macro("k", weights={"a": 1, "b": 1, "c": 1})
    with pytest.raises(ValueError, match="the slice 'b' has none"):
        report.macro("k", weights={"a": 1})
    with pytest.raises(ValueError, match="weights must not all be 0"):
        report.macro("k", weights={"a": 0, "b": 0})
    with pytest.raises(ValueError, match="the report has no slices; name columns in by="):
        af.report(frame, metrics="s").macro()
    with pytest.raises(ValueError, match="the report is not sliced by"):
        report.macro("z")


def test_slices_without_a_score_are_left_out() -> None:
    frame = pl.DataFrame({"s": [0.0, 1.0, None, 1.0], "k": [*"aabc"]})
    line = af.report(frame, metrics="s", by="k").macro().row(0, named=True)
    assert (line["score"], line["n_slices"], line["n"], line["few_rows"]) == (0.75, 2, 3, True)
    nothing = pl.DataFrame({"s": pl.Series([None, None], dtype=pl.Float64), "k": [*"ab"]})
    line = af.report(nothing, metrics="s", by="k").macro().row(0, named=True)
    assert (line["score"], line["score_low"], line["n_slices"]) == (None, None, 0)


@pytest.mark.parametrize("cluster", [None, "doc"])
@pytest.mark.parametrize("by_weight", [False, True])
def test_rows_of_slices_that_are_left_out_do_not_count(cluster: str | None, *, by_weight: bool) -> None:
    """They say nothing about the average, so 40 pages in two slices stay few, whatever the third one has."""
    frame = pl.DataFrame({
        "old": ["abc", "abd"] * 100, "new": ["abc", "ab", "xbc", "abcd"] * 50, "doc": np.arange(200) // 2,
        "kind": ["a", "a", "b", "b"] * 10 + ["c"] * 160,
        "ref": ["abc"] * 40 + ["abc" if by_weight else ""] * 160,
    })  # fmt: skip
    weights = {"a": 1, "b": 1, "c": 0} if by_weight else None
    options: dict[str, Any] = {"metrics": ["cer_corpus"], "by": "kind", "cluster": cluster}
    for systems in ("new", ["old", "new"]):
        function = af.report if systems == "new" else af.compare
        whole, used = (function(rows, systems, "ref", **options) for rows in (frame, frame.head(40)))
        average = whole.macro(weights=weights)
        assert_frame_equal(average, used.macro(), rel_tol=1e-12)
        assert average.select("n", "n_slices", "n_clusters").row(0) == (40, 2, 20 if cluster else None)
        assert average["few_rows"].item()


@pytest.mark.parametrize("sizes", [(4, 40), (3, 6), (12, 15)])
def test_slices_of_rows_of_their_own_have_the_degrees_of_freedom_of_welch(sizes: tuple[int, int]) -> None:
    dice = np.random.default_rng(7)
    first, second = dice.normal(-3, 5, sizes[0]), dice.normal(1, 1, sizes[1])
    frame = pl.DataFrame(
        {
            "s": np.concatenate((first, second)),
            "k": np.repeat(["a", "b"], sizes),
            "doc": np.arange(sum(sizes)),
        }
    )
    # The mean of two means is half of the difference from the negative of one.
    expected = stats.ttest_ind(first, -second, equal_var=False).confidence_interval(0.95)
    for cluster in (None, "doc"):
        line = af.report(frame, metrics="s", by="k", cluster=cluster).macro().row(0, named=True)
        assert (2 * line["score_low"], 2 * line["score_high"]) == pytest.approx(expected, rel=1e-9)
        systems = frame.with_columns(none=pl.lit(0.0))
        compared = af.compare(systems, ["none", "s"], None, by="k", cluster=cluster, metrics="cer")
        assert_welch(compared.macro().row(0, named=True), first, second)


def assert_welch(line: dict[str, Any], first: Any, second: Any) -> None:
    """Check the difference of a comparison with a system that has 0 in all rows."""
    expected = stats.ttest_ind(first, -second, equal_var=False)
    low, high = expected.confidence_interval(0.95)
    # A row that wins and one that loses are added to those that differ, which are all rows.
    half = (high - low) / 2 * np.sqrt(1 + 2 / line["n"])
    ends = (low + high) / 2 - half, (low + high) / 2 + half
    assert (2 * line["difference_low"], 2 * line["difference_high"]) == pytest.approx(ends, rel=1e-9)
    assert line["p_value"] == pytest.approx(expected.pvalue, rel=1e-9)


def test_an_average_is_marked_if_a_slice_is_worth_few_documents() -> None:
    dice = np.random.default_rng(3)
    for least, is_few in ((14, True), (15, False)):
        kind = np.repeat(["a", "b", "c"], (least, 50, 60))
        document = np.repeat(np.arange(len(kind)), 10)
        old, new = (dice.random((2, len(document))) < 0.7) * 1.0
        frame = pl.DataFrame({"doc": document, "k": np.repeat(kind, 10), "old": old, "new": new})
        report = af.report(frame, metrics="old", by="k", cluster="doc")
        assert report.macro()["few_rows"].item() is is_few
        # A slice without a weight does not count.
        assert report.macro(weights={"a": 0, "b": 1, "c": 1})["few_rows"].item() is False
        compared = af.compare(frame, ["old", "new"], None, by="k", cluster="doc", metrics="anls")
        assert compared.macro()["few_rows"].item() is is_few


def test_a_difference_that_few_documents_carry_is_marked() -> None:
    document = np.repeat(np.arange(120), 10)
    old = (np.random.default_rng(3).random(1200) < 0.7) * 1.0
    frame = pl.DataFrame({"doc": document, "k": document % 3, "old": old})
    for lost, is_few in ((4, True), (30, False)):
        new = pl.when(pl.col("doc") < lost).then(0.0).otherwise("old")
        compared = af.compare(
            frame.with_columns(new=new), ["old", "new"], None, by="k", cluster="doc", metrics="anls"
        )
        assert compared.macro()["few_rows"].item() is is_few


def test_an_average_over_a_slice_of_one_document_has_no_interval() -> None:
    document = np.repeat(np.arange(41), 5)
    scores = np.random.default_rng(3).random((2, len(document)))
    frame = pl.DataFrame({"doc": document, "old": scores[0], "new": scores[1]})
    frame = frame.with_columns(k=pl.when(pl.col("doc") < 40).then(pl.col("doc") % 2).otherwise(2))
    report = af.report(frame, metrics="old", by="k", cluster="doc")
    line = report.macro().row(0, named=True)
    assert line["score"] == pytest.approx(report.by_group["old"].mean())
    assert (line["score_low"], line["score_high"], line["few_rows"]) == (None, None, True)
    compared = af.compare(frame, ["old", "new"], None, by="k", cluster="doc", metrics="anls")
    line = compared.macro().row(0, named=True)
    names = ("score_low", "score_high", "difference_low", "difference_high", "p_value", "few_rows")
    assert [line[name] for name in names] == [None, None, None, None, None, True]


@pytest.mark.parametrize("rows", [0, 2])
def test_no_scored_row_has_no_average(rows: int) -> None:
    frame = pl.DataFrame({"old": [None] * rows, "new": [0.5] * rows, "lang": ["de"] * rows})
    frame = frame.with_columns(pl.col("old", "new").cast(pl.Float64), pl.col("lang").cast(pl.String))
    of_one = af.report(frame, metrics="old", by="lang").macro("lang")
    assert of_one.select("n", "n_slices", "score", "score_low").row(0) == (0, 0, None, None)
    of_two = af.compare(frame, {"old": "old", "new": "new"}, None, by="lang").macro("lang")
    assert of_two.select("n", "n_slices", "score", "difference", "p_value").row(0) == (0, 0, None, None, None)
