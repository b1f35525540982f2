"""Advice: the planted fault comes first, and nothing is advised where nothing is wrong."""

from __future__ import annotations

import functools
import itertools
import re
from typing import Any

import polars as pl
import pytest
from campaign import amount
from overview_cases import pages, planted

import anls_frame as af

DRAWS = amount(1, 20)
DRAWS_WITHOUT = amount(2, 20)
FAULTS = {
    "unwrap": "unwrap",
    "slice": "slice",
    "confusion": "confusion",
    "missing": "missing",
    "gold": "gold",
    "extra_text": "extra_text",
    "confidence": "confidence",
    "useless": "confidence",
    "invented": "invented",
}


@functools.cache
def overview_of(fault: str, seed: int) -> Any:
    """Return the overview of a table with a fault; several tests look at it."""
    frame, options = planted(fault, seed)
    return af.overview(frame, **options)


@functools.cache
def overview_of_pages(fault: str, seed: int) -> Any:
    return af.overview(pages(fault, seed), "ocr", "gt", metrics="ocr", cluster="book")


def result_of(call: str, df: pl.DataFrame) -> Any:
    """Run the call of a step, as a user does who copies it."""
    return eval(call, {"af": af, "df": df, "pl": pl})  # noqa: S307 - our own code


@pytest.mark.parametrize("fault", FAULTS)
def test_the_planted_fault_comes_first(fault: str) -> None:
    first = [next(iter(overview_of(fault, seed).advice["rule"]), None) for seed in range(DRAWS)]
    assert first.count(FAULTS[fault]) >= DRAWS - DRAWS // 20


@pytest.mark.parametrize("fault", FAULTS)
def test_steps_have_no_score_whose_notation_could_differ_from_that_of_the_page(fault: str) -> None:
    steps = overview_of(fault, 0).advice["step"]
    # A confidence is on a scale of its own.
    assert [step for step in steps if re.search(r"\d\.\d{3}", step.partition(" unread: ")[2] or step)] == []


@pytest.mark.parametrize(
    "fault", ["confusion", "unreadable", "slice", "omitted", "fabricated", "repeated", "moved"]
)
def test_the_planted_fault_of_pages_comes_first(fault: str) -> None:
    first = [next(iter(overview_of_pages(fault, seed).advice["rule"]), None) for seed in range(DRAWS)]
    assert first.count(fault) >= DRAWS - DRAWS // 20


def test_nothing_is_advised_for_pages_without_a_fault() -> None:
    advised = [overview_of_pages("", seed).advice.height for seed in range(DRAWS_WITHOUT)]
    assert advised.count(0) >= DRAWS_WITHOUT - DRAWS_WITHOUT // 10


@pytest.mark.parametrize("fault", ["confusion", "unreadable", "omitted", "moved"])
def test_a_step_for_pages_wins_what_is_said(fault: str) -> None:
    before, without = (overview_of_pages(one, 0) for one in (fault, ""))
    won = before.report.overall["cer_corpus"] - without.report.overall["cer_corpus"]
    first = before.advice.row(0, named=True)
    assert first["gain"] == pytest.approx(won, rel=0.1)
    assert first["gain_low"] <= won <= first["gain_high"]


def test_nothing_is_advised_without_a_fault() -> None:
    # A search for slices finds one by chance in 5 % of cases.
    advised = [overview_of("", seed).advice.height for seed in range(DRAWS_WITHOUT)]
    assert advised.count(0) >= DRAWS_WITHOUT - DRAWS_WITHOUT // 10


NO_ANSWERS = [
    "N/A",
    "None",
    "null",
    "NaN",
    "<NA>",
    "#N/A",
    "Unknown.",
    " unanswerable ",
    "not answerable",
    "No answer.",
    "NOT_FOUND",
    "not_answerable",
]
MESSAGES = [
    "ERROR",
    "API error: 429",
    "Error code: 429 - {'error': {'message': 'Rate limit reached'}}",
    "openai.RateLimitError: try again",
    "[Error 500]",
    "Failed to obtain answer via API.",
    "I'm sorry, but I cannot read the document.",
    "I cannot find the answer",
    "Unfortunately, the value is not visible.",
    "The answer is not mentioned",
    "The document does not specify a date.",
    "Not specified",
]


@pytest.mark.parametrize("texts", [NO_ANSWERS, MESSAGES], ids=["no answer", "messages"])
def test_texts_that_stand_for_no_answer_and_messages_of_errors_are_a_step(texts: list[str]) -> None:
    """By hand: these rows could be as good as the others, whose ANLS is that without them."""
    df, _ = planted("", 0)
    told = dict(zip(range(0, df.height, 10), itertools.cycle(texts)))
    rows = pl.int_range(pl.len())
    df = df.with_columns(prediction=rows.replace_strict(told, default=pl.col("prediction")))
    is_failed = rows % 10 == 0
    step = af.overview(df).advice.row(0, named=True)
    assert (step["rule"], step["n"]) == ("placeholder", len(told))
    assert any(text.strip()[:20] in step["step"] for text in texts)
    others = af.report(df.filter(~is_failed), "prediction", "answers", metrics="anls").overall["anls"]
    assert step["gain"] == pytest.approx(0.1 * others)
    assert result_of(step["call"], df)["prediction"].to_list() == [*told.values()]


ANSWERS_LIKE_MESSAGES = [
    ("None", "none"),
    ("Error 404", "Error 405"),
    ("API error: 429", "API error: 428"),
    ("Not specified", "not specified"),
    ("Terror attack", "Fire"),
    ("Terror", "Fire"),
    ("Standard error of 0.4", "0.5"),
    ("Sorry for your loss", "My condolences"),
    ("Unknown Pleasures", "Closer"),
    ("Nan Goldin", "Cindy Sherman"),
    ("I do", "yes"),
    ("Failed to appear in court", "Perjury"),
    ("The red and not the blue one", "blue"),
    ("I cannot let you pass, he said", "You shall wait"),
    ("The company does not provide insurance", "no"),
    ("Sorry seems to be the hardest word", "Elton John"),
]


def test_answers_like_messages_are_no_placeholders() -> None:
    """Each is often enough for a step, were it alone."""
    rows = [*ANSWERS_LIKE_MESSAGES * 20, *[("same", "same")] * 80]
    frame = pl.DataFrame(rows, ["prediction", "answers"], orient="row")
    assert "placeholder" not in af.overview(frame).advice["rule"].to_list()


@pytest.mark.parametrize(("text", "rule"), [("ERROR", "placeholder"), (None, "missing")])
def test_a_system_without_any_answer_is_told_so(text: str | None, rule: str) -> None:
    """There are no others to be as good as, and the columns are right."""
    df, _ = planted("", 0)
    advice = af.overview(df.with_columns(prediction=pl.lit(text, pl.String)), "prediction").advice
    assert advice.select("rule", "n", "gain").rows() == [(rule, df.height, None)]


def test_a_refusal_is_not_invented_where_there_is_no_answer() -> None:
    df, _ = planted("invented", 0)
    none = pl.col("answers").is_null()
    df = df.with_columns(prediction=pl.when(none).then(pl.lit("I cannot find it.")).otherwise("prediction"))
    step = af.overview(df, unanswerable="empty").advice.row(0, named=True)
    assert (step["rule"], step["n"]) == ("placeholder", df.filter(none).height)
    chosen = result_of(step["call"], df)
    assert chosen.height == step["n"]


@pytest.mark.parametrize(
    ("predicted", "answer", "kind", "metrics"),
    [
        ("a b c d e", "abcde", "whitespace", "anls"),
        ("2,000.00", "2000", "number format", "anls"),
        ("a-b", "a, b", "punctuation", "nls"),
        ("Größe", "grosse", None, "anls"),
        ("Café", "cafe", "diacritics", "exact_match"),
    ],
)
def test_losses_of_form_have_a_step(predicted: str, answer: str, kind: str | None, metrics: str) -> None:
    rows = [(predicted, [answer])] * 30 + [("COLA", ["cola"])] * 20 + [("x", ["x"])] * 50
    df = pl.DataFrame(rows, ["prediction", "answers"], orient="row")
    made = af.overview(df, metrics=metrics)
    steps = made.advice.filter(rule="form")
    assert steps.height == (kind is not None)
    for step in steps.iter_rows(named=True):
        assert f"({kind})" in step["step"]
        # All that is lost is lost to form.
        assert step["gain"] == pytest.approx(1 - made.report.overall[metrics])
        assert step["n"] == 30
        assert result_of(step["call"], df).height == 30


def test_calls_have_the_columns_and_options_of_the_overview() -> None:
    """Without them, a call would score other rows, or in another way."""
    df, _ = planted("extra_text", 0)
    df = df.rename({"prediction": 'the "model"', "answers": "a\\b"}).with_columns(
        pl.when(pl.int_range(pl.len()) % 9 == 0).then(None).otherwise("a\\b").alias("a\\b")
    )
    options = {"metrics": "exact_match", "protocol": "rrc", "by": ["lang"], "cluster": False}
    made = af.overview(df, 'the "model"', "a\\b", **options)
    call = made.advice.filter(pl.col("call").str.contains("unanswerable"))["call"].item()
    same = result_of(call, df)
    wanted = af.overview(df, 'the "model"', "a\\b", unanswerable="empty", **options)
    assert same.signature == wanted.signature
    assert same.roles.by == wanted.roles.by
    assert same.report.overall == wanted.report.overall
    extra = made.advice.filter(rule="extra_text").row(0, named=True)
    assert result_of(extra["call"], df).height == extra["n"]


@pytest.mark.parametrize("fault", ["extra_text", "gold"])
def test_the_calls_choose_the_rows_that_are_counted(fault: str) -> None:
    df, _ = planted(fault, 0)
    step = overview_of(fault, 0).advice.filter(rule=fault).row(0, named=True)
    chosen = step["call"].removeprefix("af.audit_sample(").rpartition(", n=")[0] or step["call"]
    assert result_of(chosen, df).height == step["n"]
    assert 0 < result_of(step["call"], df).height <= step["n"]


@pytest.mark.parametrize(("part", "whole", "n"), [("ab cde", "ab cde fghi", 0), ("ab cd", "ab cd fghij", 12)])
def test_texts_that_cannot_score_for_their_length_are_told(part: str, whole: str, n: int) -> None:
    """Of 11 characters, 6 are more than half, and 5 are not; then the gold is not checked first."""
    longer, other = pl.Series([whole] * 12 + ["same"] * 8), pl.Series(["z" * len(whole)] * 12 + ["same"] * 8)
    shorter = pl.Series([part] * 12 + ["same"] * 8)
    cases = ((other, shorter, []), (shorter, longer, ["gold"]))
    for predictions, answers, others in cases:
        frame = pl.DataFrame({"prediction": predictions, "answers": answers})
        advice = af.overview(frame).advice
        rules = advice["rule"].to_list()
        assert [rule for rule in rules if rule in ("gold", "lengths")] == (["lengths"] if n else others)
        for step in advice.filter(rule="lengths").iter_rows(named=True):
            chosen = result_of(step["call"], frame)
            assert step["n"] == chosen.height == n
    # Where predictions contain the answers, the columns are right.
    rules = af.overview(pl.DataFrame({"prediction": longer, "answers": shorter})).advice["rule"].to_list()
    assert "extra_text" in rules
    assert "lengths" not in rules


def test_a_useful_confidence_is_not_called_useless() -> None:
    useful, useless = (overview_of(fault, 0).advice["step"][0] for fault in ("confidence", "useless"))
    assert useful.startswith("Accept answers with confidence of at least ")
    assert useless.startswith("Do not rely on confidence: ")


def test_steps_have_figures_intervals_and_calls_and_are_ordered_by_their_gain() -> None:
    frame, _ = planted("unwrap", 0)
    missing, _ = planted("missing", 0)
    frame = frame.with_columns(
        prediction=frame["prediction"].zip_with(missing["prediction"].is_not_null(), missing["prediction"])
    )
    advice = af.overview(frame).advice
    assert advice["rule"].to_list() == ["missing", "unwrap"]
    assert advice["gain"].is_sorted(descending=True)
    assert (advice["gain_low"] > 0).all()
    assert (advice["gain_low"] <= advice["gain"]).all()
    assert (advice["gain"] <= advice["gain_high"]).all()
    for step, gain in advice.select("step", "gain").iter_rows():
        assert f"{100 * gain:.1f} [" in step
    # What is advised wins what is said.
    fixed = frame.with_columns(prediction=af.unwrap("prediction").struct.field("text"))
    before, after = (af.overview(one).report.overall["anls"] for one in (frame, fixed))
    assert after - before == pytest.approx(advice["gain"][1])


def test_a_confusion_wins_what_is_said() -> None:
    frame, _ = planted("confusion", 3)
    made = af.overview(frame)
    fixed = frame.with_columns(frame["prediction"].str.replace_all("1", "l"))
    won = af.overview(fixed).report.overall["anls"] - made.report.overall["anls"]
    assert made.advice["gain"][0] == pytest.approx(won, abs=0.002)


@pytest.mark.parametrize("n_rows", [1, 40])
def test_one_document_has_no_intervals_and_only_the_step_to_score_more(n_rows: int) -> None:
    rows = pl.DataFrame({"prediction": ["abc"], "answers": ["abd"], "doc": ["a"]})
    rows = pl.concat([rows, rows.with_columns(prediction=pl.lit(None, pl.String))]).sample(
        n_rows, with_replacement=True, seed=1
    )

    result = af.overview(rows, "prediction", "answers", cluster="doc")

    assert result.report.overall["anls_low"] is None
    assert result.causes["loss"].sum() == pytest.approx(1 - result.report.overall["anls"])
    assert result.causes.select("loss_low", "loss_high").null_count().row(0) == (result.causes.height,) * 2
    assert result.advice["rule"].to_list() == ["documents"]
    assert "with 1 document, ANLS has no interval" in result.advice["step"][0]


def test_one_page_has_no_intervals() -> None:
    page = af.sample("pages").filter(pl.col("tesseract") != pl.col("reference")).head(1)

    causes = af.overview(page, "tesseract", "reference", metrics="ocr").causes

    assert causes.height
    assert causes.select("loss_low", "loss_high").null_count().row(0) == (causes.height,) * 2
