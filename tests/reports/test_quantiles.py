"""Quantiles of scores by slice: those of the rows, and the values that the interval of a share leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import anls_frame as af

QUESTIONS = af.sample()
READ = QUESTIONS.with_columns(
    cer=af.cer(pl.col("tesseract").fill_null(""), "answers"),
    wer=af.wer(pl.col("tesseract").fill_null(""), "answers"),
    anls=af.anls(pl.col("tesseract").fill_null(""), "answers"),
    tesseract_confidence=pl.when(pl.col("answers").is_not_null()).then("tesseract_confidence"),
)
SCORES = ["cer", "wer", "anls", "tesseract_confidence"]
PROBABILITIES = [0.5, 0.25, 0.9, 1 / 3]


CHOSEN = [*zip(SCORES, PROBABILITIES, strict=True), ("cer", 0.9)]
"""Each score and each probability, and two probabilities of one score."""


@pytest.mark.parametrize("by", ["lang", "question_types", ["lang", "doc_type"]])
@pytest.mark.parametrize("kind", [pl.DataFrame, pl.DataFrame.lazy, pl.DataFrame.to_pandas])
def test_they_equal_those_of_polars_and_pandas(by: Any, kind: Callable[[Any], Any]) -> None:
    metrics = [af.Metric.quantile(score, p) for score, p in CHOSEN]
    report = af.report(
        kind(QUESTIONS), "tesseract", "answers", metrics=["anls", *metrics], by=by, cluster="doc_id"
    )
    keys = [by] if isinstance(by, str) else by
    rows = READ.explode("question_types", empty_as_null=True) if by == "question_types" else READ
    found = pl.DataFrame(report.by_group)
    for (score, p), metric in zip(CHOSEN, metrics, strict=True):
        expected = rows.group_by(keys).agg(pl.col(score).quantile(p, "linear").alias("expected"))
        both = found.join(expected, on=keys)
        assert both.height == found.height
        assert both[metric.name].to_numpy() == pytest.approx(both["expected"].to_numpy(), rel=1e-14)
        if by == "lang":
            in_pandas = READ.to_pandas().groupby("lang")[score].quantile(p)
            assert both[metric.name].to_list() == pytest.approx(list(in_pandas[both["lang"]]), rel=1e-14)
    alone = af.report(QUESTIONS, "tesseract", "answers", metrics="anls", by=by, cluster="doc_id")
    assert found["anls_low"].to_list() == alone.by_group["anls_low"].to_list()


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("cluster", [None, "document"])
@pytest.mark.parametrize("digits", [0, 8])
def test_the_interval_has_the_values_that_that_of_their_share_leaves(
    digits: int, cluster: str | None, p: float
) -> None:
    random = np.random.default_rng(digits)
    document = random.integers(0, 10, 24)
    score = random.normal(size=10)[document] + random.normal(size=24)
    frame = pl.DataFrame({"document": document, "score": score.round(digits) + 0.0, "half": document % 2})
    metric = af.Metric.quantile("score", p)
    report = af.report(frame, metrics=metric, by="half", cluster=cluster)
    for (value,), rows in [((None,), frame), *frame.group_by("half")]:
        values = [-np.inf, *rows["score"].unique().sort()]
        shares = [
            af.Metric(pl.col("score") <= v, name=f"share_{n}", bounds=(0, 1)) for n, v in enumerate(values)
        ]
        of_shares = af.report(rows, metrics=shares, cluster=cluster).overall
        low = next(v for n, v in enumerate(values) if of_shares[f"share_{n}_high"] >= p)
        high = next((v for n, v in enumerate(values) if of_shares[f"share_{n}_low"] > p), None)
        figures = (
            report.overall
            if value is None
            else report.by_group.row(by_predicate=pl.col("half") == value, named=True)
        )
        name = metric.name
        assert (figures[f"{name}_low"], figures[f"{name}_high"]) == (None if np.isinf(low) else low, high)


@pytest.mark.parametrize("fold", [False, True])
def test_saved_summaries_have_rounded_scores(fold: bool) -> None:  # noqa: FBT001
    scores = ["cer", "tesseract_confidence"]
    some = [af.Metric.quantile(score, 0.75) for score in scores]
    rows = 300
    parts = [
        af.summarize(part, "tesseract", "answers", metrics=some, by="lang", cluster="doc_id")
        for part in (QUESTIONS[:150], QUESTIONS[150:rows])
    ]
    exact = af.Report.from_summary(af.merge(parts)).by_group
    whole = af.report(QUESTIONS[:rows], "tesseract", "answers", metrics=some, by="lang", cluster="doc_id")
    assert exact.equals(whole.by_group)
    loaded = [af.Summary.from_bytes((part.fold_clusters() if fold else part).to_bytes()) for part in parts]
    mixed = [parts[0].fold_clusters() if fold else parts[0], loaded[1]]
    for summaries in (loaded, mixed, loaded[::-1]):
        report = af.Report.from_summary(af.merge(summaries))
        rounded = READ[:rows].with_columns(pl.col(scores).round_sig_figs(3))
        for score, metric in zip(scores, some, strict=True):
            expected = rounded.group_by("lang").agg(pl.col(score).quantile(0.75, "linear").alias("expected"))
            both = report.by_group.join(expected, on="lang")
            assert both[metric.name].to_numpy() == pytest.approx(both["expected"].to_numpy(), rel=1e-12)
        assert "three significant digits" in report.to_text()
        again = af.Report.from_summary(af.Summary.from_bytes(report.summary.to_bytes()))
        assert again.by_group.equals(report.by_group)
    assert "three significant digits" not in whole.to_text()


@pytest.mark.parametrize(
    ("rows", "figures", "few"),
    [
        ([], (None, None, None), True),
        ([None, None], (None, None, None), True),
        ([0.5], (0.5, None, None), True),
        ([0.25, 0.75], (0.5, 0.0, 1.0), True),
        ([0.25] * 300, (0.25, 0.25, 0.25), False),
        ([*[0.0] * 200, *[1.0] * 100], (0.0, 0.0, 0.0), False),
        ([*[0.0] * 150, *[1.0] * 150], (0.5, 0.0, 1.0), False),
    ],
)
def test_few_and_equal_rows(rows: list[Any], figures: tuple[Any, ...], few: bool) -> None:  # noqa: FBT001
    frame = pl.DataFrame({"score": rows}, schema={"score": pl.Float64})
    metric = af.Metric.quantile(af.Metric("score", bounds=(0, 1)))
    found = af.report(frame, metrics=metric).overall
    assert tuple(found[end] for end in metric.ends) == figures
    assert found["few_rows"] is few


@pytest.mark.parametrize(
    ("documents", "probability", "few"),
    [
        # Of 1,000 rows in 100 documents, 30 are high: in three documents, or one in each of thirty.
        (3, 0.985, True),
        (30, 0.985, False),
        (3, 0.5, False),
        (30, 0.5, False),
    ],
)
def test_quantiles_that_few_documents_carry_are_marked(
    documents: int, probability: float, *, few: bool
) -> None:
    high = 30 // documents
    rows = [
        (doc, 10.0 if doc < documents and row < high else row / 10) for doc in range(100) for row in range(10)
    ]
    frame = pl.DataFrame(rows, schema=["doc", "score"], orient="row")
    own = af.Metric("score", bounds=(0, None))
    for sign, share in ((1, probability), (-1, 1 - probability)):
        metric = af.Metric.quantile(own if sign > 0 else af.Metric("score", bounds=(None, 0)), share)
        turned = frame.with_columns(pl.col("score") * sign)
        assert af.report(turned, metrics=metric, cluster="doc").overall["few_rows"] is few
        # Single rows need no documents, and equal ones have no side with few.
        assert not af.report(turned, metrics=metric).overall["few_rows"]
        equal = turned.with_columns(score=sign * 1.0)
        assert not af.report(equal, metrics=metric, cluster="doc").overall["few_rows"]


def test_an_open_end_is_the_bound_or_null() -> None:
    frame = pl.DataFrame({"score": [n / 40 for n in range(40)]})
    for bounds, low, high in [((0, 1), 0, 1), ((0, None), 0, None), ((None, None), None, None)]:
        metrics = [af.Metric.quantile(af.Metric("score", bounds=bounds), p) for p in (0.01, 0.99)]
        found = af.report(frame, metrics=metrics).overall
        assert found["score_quantile_0.01_low"] == low
        assert found["score_quantile_0.99_high"] == high
        assert found["score_quantile_0.99_low"] is not None


def test_scores_of_ones_own() -> None:
    def length(prediction: pl.Expr, answers: pl.Expr) -> pl.Expr:  # noqa: ARG001
        return prediction.str.len_chars()

    own = af.Metric(length, name="length", label="length of the text", bounds=(0, None))
    metrics = [
        af.Metric.quantile(own),
        af.Metric.quantile(af.Metric.of_texts(lambda text, _: len(text), name="texts")),
        af.Metric.quantile(af.Metric(pl.col("n_words") * 2, name="twice"), 0.75),
    ]
    report = af.report(QUESTIONS, "tesseract", "answers", metrics=metrics)
    scored = QUESTIONS.filter(pl.col("answers").list.drop_nulls().list.len() > 0)
    median = scored["tesseract"].fill_null("").str.len_chars().median()
    assert report.overall["length_median"] == report.overall["texts_median"] == median
    assert report.overall["twice_quantile_0.75"] == (QUESTIONS["n_words"] * 2).quantile(0.75, "linear")
    assert report.measures[0].label == "length of the text (median)"
    assert report.measures[0].bounds == (0, None)
    assert (
        not af.report(QUESTIONS, "tesseract", "answers", metrics=af.Metric.quantile("cer"))
        .measures[0]
        .higher_is_better
    )


def test_metrics_of_a_report_make_it_again() -> None:
    first = af.report(
        QUESTIONS, "tesseract", "answers", metrics=[af.Metric.quantile("cer"), "anls"], by="lang"
    )
    again = af.report(QUESTIONS, "tesseract", "answers", metrics=first.measures, by="lang")
    assert again.by_group.equals(first.by_group)
    assert again.signature == first.signature


FRAME = pl.DataFrame(
    {"a": ["x"] * 9, "b": ["y"] * 9, "answer": ["x"] * 9, "g": [1, 2, 3] * 3, "c": [0.5] * 9}
)
MEDIAN = af.Metric.quantile("cer")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: af.compare(FRAME, ["a", "b"], "answer", metrics=MEDIAN),
            "is a quantile, which only reports support",
        ),
        (lambda: af.summarize(FRAME, ["a", "b"], "answer", metrics=MEDIAN), "share of rows at or below"),
        (lambda: af.find_slices(FRAME, "a", "answer", metrics=MEDIAN), "is a quantile"),
        (lambda: af.worst(FRAME, "a", "answer", metrics=MEDIAN), "is a quantile"),
        (lambda: af.report(FRAME, "a", "answer", metrics=MEDIAN, by="g").against_rest(), "is a quantile"),
        (lambda: af.report(FRAME, "a", "answer", metrics=MEDIAN, by="g").macro(), "is a quantile"),
        (lambda: af.repeats.mean_over_epochs(FRAME, "a", "answer", id="g", metrics=MEDIAN), "is a quantile"),
        (lambda: af.Metric.quantile("cer", 1), r"probability must be a number in \(0, 1\)"),
        (lambda: af.Metric.quantile(MEDIAN), "'cer_median' is a quantile"),
        (lambda: af.Metric.quantile(af.Metric("c", denominator="g")), "divides two sums"),
        (lambda: af.report(FRAME, "a", "answer", metrics=af.Metric.quantile("wer_mean")), "of 'anls', 'nls'"),
        (lambda: af.report(FRAME, metrics=MEDIAN), "cer"),
    ],
)
def test_refusals_say_what_does(call: Callable[[], object], message: str) -> None:
    with pytest.raises((ValueError, pl.exceptions.ColumnNotFoundError), match=message):
        call()


def test_other_averages_leave_quantiles_out() -> None:
    report = af.report(FRAME, "a", "answer", metrics=[MEDIAN, "anls"], by="g")
    assert report.macro()["metric"].to_list() == ["anls"]
    assert "rest" in report.against_rest(measure="anls").columns
