"""The points that wrapping costs, by step, add up to the difference of the comparison."""

from __future__ import annotations

import itertools
import re

import polars as pl
import pytest

import anls_frame as af

SAMPLE = af.sample().filter(pl.col("answers").list.len() > 0)
PREDICTION = "rapidocr"


def damaged() -> pl.DataFrame:
    """Return the sample with 30 % of its predictions wrapped in one of three ways."""
    row = pl.int_range(pl.len())
    text = pl.col(PREDICTION)
    wrapped = (
        pl.when(row % 10 == 0)
        .then("The answer is " + text)
        .when(row % 10 == 1)
        .then("```\n" + text + "\n```")
        .when(row % 10 == 2)
        .then("<think>hm</think>" + text)
        .otherwise(text)
    )
    return SAMPLE.with_columns(wrapped.alias("wrapped"))


def test_steps_add_up_to_the_total() -> None:
    frame = damaged()
    tax = af.format_tax(frame, "wrapped", "answers", cluster="doc_id", by="question_types")
    total = tax.overall["difference"].item() * tax.overall["n"].item()
    steps = tax.steps
    assert (steps["difference"] * steps["n"]).sum() == pytest.approx(total, abs=1e-9)
    assert steps["share"].sum() == pytest.approx(1, abs=1e-12)
    assert steps["n"].sum() == tax.overall["n"].item()
    assert steps["n_clusters"].null_count() == 0
    assert {"marker", "code_fence", "reasoning", "none"} <= set(steps["unwrap_steps"])
    # The answers inside are those of the undamaged predictions.
    clean = af.report(frame, PREDICTION, "answers").overall["anls"]
    assert tax.overall["score"].item() == pytest.approx(clean, abs=0.005)
    assert tax.by("question_types").height > 1


def test_steps_are_those_of_the_comparison_and_take_no_test(monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = ["anls", "exact_match"]
    tax = af.format_tax(damaged(), "wrapped", "answers", metrics=metrics, cluster="doc_id")
    renamed = {"baseline_score": "given", "score": "unwrapped"}
    tested = tax.by("unwrap_steps").rename(renamed).sort("metric", "unwrap_steps")

    def test_anything(*_: object, **__: object) -> None:
        raise AssertionError("p-values were computed, and are not shown")

    monkeypatch.setattr(af.statistics, "pairwise", test_anything)
    steps = tax.steps.drop("share").sort("metric", "unwrap_steps")
    assert steps.equals(tested.select(steps.columns))
    with pytest.raises(AssertionError, match="p-values were computed"):
        tax.by("unwrap_steps")


def test_rows_as_they_were_have_a_difference_without_an_interval() -> None:
    """Unwrapping cannot change them in any sample."""
    frame = damaged()
    tax = af.format_tax(frame, "wrapped", "answers", cluster="doc_id", by="lang")
    inferred = ["difference_low", "difference_high", "p_value", "p_adjusted"]
    steps = tax.by("unwrap_steps")
    as_given, others = steps.filter(unwrap_steps="none"), steps.filter(pl.col("unwrap_steps") != "none")
    assert as_given.select("difference", *inferred).row(0) == (0.0, None, None, None, None)
    assert as_given["score_low"].null_count() == 0
    assert others.select(inferred).null_count().row(0) == (0, 0, 0, 0)
    assert tax.by("lang").select(inferred).null_count().row(0) == (0, 0, 0, 0)
    assert tax.by("lang", "unwrap_steps").filter(unwrap_steps="none").select(
        pl.col(inferred).is_null().all(), pl.col("difference").abs().max()
    ).row(0) == (True, True, True, True, 0.0)
    wide = tax.differences(simultaneous=True).filter(unwrap_steps="none")
    assert wide.select("simultaneous_low", "simultaneous_high").row(0) == (None, None)
    [line] = [line for line in str(tax).splitlines() if line.startswith("│ none ")]
    assert "0.000 [\N{EN DASH}] " in line

    tested = frame.with_columns(af.unwrap("wrapped").struct.unnest()).drop_nulls("steps")
    systems = {"given": "wrapped", "unwrapped": "text"}
    alone = af.compare(tested, systems, "answers", by="steps", cluster="doc_id").by("steps")
    joined = others.join(alone, left_on="unwrap_steps", right_on="steps", suffix="_alone")
    assert joined.height == alone.height
    assert joined["difference_low"].to_list() == pytest.approx(joined["difference_low_alone"].to_list())


def test_pandas_lazy_frames_and_taken_names() -> None:
    frame = damaged().head(50)
    expected = af.format_tax(frame, "wrapped", "answers", metrics=["anls", "exact_match"]).steps
    lazy = af.format_tax(frame.lazy(), "wrapped", "answers", metrics=["anls", "exact_match"]).steps
    assert lazy.equals(expected)
    pandas = af.format_tax(
        frame.select("wrapped", "answers").to_pandas(), "wrapped", "answers", metrics=["anls", "exact_match"]
    ).steps
    assert pl.from_pandas(pandas)["share"].to_list() == pytest.approx(expected["share"].to_list())
    with pytest.raises(af.DuplicateColumnError, match=re.escape("already has the columns ['unwrapped']")):
        af.format_tax(frame.with_columns(unwrapped=1), "wrapped", "answers")
    clean = af.format_tax(pl.DataFrame({"p": ["a"], "a": ["a"]}), "p", "a").steps
    assert clean.row(0, named=True)["share"] is None


def test_predictions_that_are_no_texts_are_named_by_column_in_every_frame() -> None:
    numbers = pl.DataFrame({"prediction": [1, 2], "answer": ["1", "2"]})
    lists = pl.DataFrame({"prediction": [["a"], ["b"]], "answer": ["a", "b"]})
    for frame, told in ((numbers, "column 'prediction' has dtype Int64"), (lists, "dtype List\\(String\\)")):
        for given in (frame, frame.lazy(), frame.to_pandas(), frame.to_arrow()):
            with pytest.raises(af.DTypeError, match=told):
                af.format_tax(given, "prediction", "answer")
            with pytest.raises(af.exceptions.ColumnNotFoundError, match="did you mean 'prediction'"):
                af.format_tax(given, "predction", "answer")


def test_hundreds_of_slices_add_up_to_the_total() -> None:
    wrappings = (
        "The answer is {}",
        "```\n{}\n```",
        "<think>hm</think>{}",
        "**{}**",
        '"{}"',
        "{}.",
        '{{"answer": "{}"}}',
    )
    rows = []
    for chosen in itertools.chain.from_iterable(itertools.permutations(wrappings, n) for n in range(5)):
        text = str(len(rows) % 7)
        for wrapping in chosen:
            text = wrapping.format(text)
        rows.append((text, str(len(rows) % 5), f"kind {len(rows) % 300}"))
    frame = pl.DataFrame(rows, schema=["prediction", "answer", "kind"], orient="row")

    tax = af.format_tax(frame, "prediction", "answer", metrics="exact_match", by="kind")
    unwrapped = frame.with_columns(af.unwrap("prediction").struct.unnest())
    gains = unwrapped.select(
        pl.col("steps").fill_null("none"),
        gain=af.exact_match("text", "answer").cast(pl.Int64)
        - af.exact_match("prediction", "answer").cast(pl.Int64),
    )
    expected = dict(gains.group_by("steps").agg(pl.col("gain").sum()).iter_rows())

    steps = tax.steps
    points = steps.select("unwrap_steps", (pl.col("difference") * pl.col("n")).round(9))
    assert dict(points.iter_rows()) == expected
    assert steps.height > 100
    assert tax.by("kind").height == 300
    assert steps["share"].sum() == pytest.approx(1, abs=1e-12)
