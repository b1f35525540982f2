"""What a comparison's rows and documents can show, and its decisions about a margin."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import anls_frame as af
from anls_frame.exceptions import InputWarning
from anls_frame.reports.decisions import needed_in_words
from anls_frame.statistics import sample_sizes

SYSTEMS = {"old": "old", "new": "new"}
QUESTIONS = af.sample()
ENGINES = {"rapidocr": "rapidocr", "tesseract": "tesseract"}


def scores(seed: int = 0, documents: int = 80, rows: int = 8) -> pl.DataFrame:
    """Scores of two systems, whose differences are alike in documents of unequal size."""
    random = np.random.default_rng(seed)
    doc = np.repeat(np.arange(documents), random.integers(1, rows, documents))
    old = random.random(len(doc)).round(3)
    shift = random.normal(0, 0.1, documents)[doc] * (random.random(len(doc)) < 0.3)
    new = np.clip(old + shift, 0, 1)
    kind = random.choice(["u", "v"], len(doc), p=[0.7, 0.3])
    return pl.DataFrame({"doc": doc, "kind": kind, "old": old, "new": new})


def by_hand(rows: pl.DataFrame, *, clustered: bool = True) -> sample_sizes.Changes:
    """What changed in rows, from loops over their documents."""
    x = rows["new"] - rows["old"]
    groups = [list(part) for part in pl.DataFrame({"doc": rows["doc"], "x": x}).group_by("doc").agg("x")["x"]]
    units = groups if clustered else [[value] for value in x]
    n, sums = [len(unit) for unit in units], [sum(unit) for unit in units]
    return sample_sizes.group_changes(np.zeros(len(n), np.int64), 1, np.ones(len(n)), n, sums, unseen=1.0)


@pytest.mark.parametrize("clustered", [True, False])
def test_slices_have_the_figures_of_their_rows(*, clustered: bool) -> None:
    frame = scores()
    made = af.compare(frame, SYSTEMS, None, by="kind", cluster="doc" if clustered else None)
    detectable, needed = made.detectable_difference(), made.sample_size(0.02)
    decided = made.decide(0.02, slices=True)

    assert detectable["slice"].to_list() == needed["slice"].to_list() == ["overall", "group", "group"]
    assert detectable["kind"].to_list() == needed["kind"].to_list() == [None, "u", "v"]
    assert needed.select("n", "n_clusters").equals(made.to_polars().select("n", "n_clusters"))
    for row, value in enumerate([None, "u", "v"]):
        rows = frame if value is None else frame.filter(kind=value)
        changes = by_hand(rows, clustered=clustered)
        expected = sample_sizes.detectable_difference(changes, 0.8, 0.05).item()
        assert detectable["detectable"][row] == pytest.approx(expected, rel=1e-9)
        ends = sample_sizes.needed_units(changes, 0.02, 0.8, 0.05)
        for name, factor in (("needed", ends.high.item()), ("needed_low", ends.low.item())):
            assert needed[f"n_{name}"][row] == np.ceil(rows.height * factor)
            if clustered:
                assert needed[f"n_clusters_{name}"][row] == np.ceil(rows["doc"].n_unique() * factor)
            else:
                assert needed[f"n_clusters_{name}"][row] is None
        level = 0.05 if value is None else 0.025
        low, high = (bound.item() for bound in sample_sizes.difference_bounds(changes, level))
        found = decided.frame.row(0, named=True)
        if value is not None:
            assert decided.slices is not None
            found = decided.slices.row(by_predicate=pl.col("kind") == value, named=True)
        assert found["difference_low"] == pytest.approx(low, rel=1e-9)
        assert found["difference_high"] == pytest.approx(high, rel=1e-9)


def test_several_tables_and_list_columns_have_all_their_slices() -> None:
    made = af.compare(QUESTIONS, ENGINES, "answers", by=[["question_types"], ["lang"]], cluster="doc_id")
    keys = ["slice", "table", "question_types", "lang", "n", "n_clusters"]
    expected = made.to_polars().select(keys)
    assert made.detectable_difference().select(keys).equals(expected)
    assert made.sample_size(0.01).select(keys).equals(expected)
    assert made.decide(slices=True).slices.select(keys[1:]).equals(made.by_group.select(keys[1:]))


def test_pandas_gets_pandas() -> None:
    made = af.compare(scores().to_pandas(), SYSTEMS, None, by="kind", cluster="doc")
    assert isinstance(made.detectable_difference(), pd.DataFrame)
    assert isinstance(made.sample_size(0.1), pd.DataFrame)
    decision = made.decide(slices=True)
    assert isinstance(decision.frame, pd.DataFrame)
    assert isinstance(decision.slices, pd.DataFrame)


def test_few_documents_show_nothing() -> None:
    frame = pl.DataFrame({"doc": [*"aabbccddee"], "old": [1.0] * 10, "new": [1.0, 0.0] * 5})
    made = af.compare(frame, SYSTEMS, None, cluster="doc")
    assert made.detectable_difference()["detectable"].to_list() == [None]
    assert made.detectable_difference(alpha=0.1)["detectable"].item() > 0
    with pytest.warns(InputWarning, match="comes from 5 documents; it is unreliable with fewer than 60 doc"):
        assert made.sample_size(0.4)["n_clusters_needed"].item() >= 6
    decision = made.decide(0.1)
    bounds = decision.frame.select("difference_low", "difference_high").row(0)
    assert (decision.answer, bounds) == ("undecided", (None, None))


@pytest.mark.parametrize("cluster", ["doc_id", None])
@pytest.mark.parametrize("metric", ["cer_corpus", "cer_mean", "exact_match", "anls"])
def test_direction_of_a_loss_is_the_metrics(metric: str, cluster: str | None) -> None:
    def decided(systems: dict[str, str], within: float) -> Any:
        return af.compare(QUESTIONS, systems, "answers", metrics=metric, cluster=cluster).decide(within)

    worse, better = ENGINES, dict(reversed(ENGINES.items()))
    assert decided(worse, 0.01).answer == "regressed"
    assert decided(better, 0.01).answer == "fine"
    close = abs(decided(worse, 0.01).frame["difference"].item())
    assert decided(worse, close).answer == "undecided"
    assert decided(worse, close + 0.1).answer == "fine"
    ends = ["difference_low", "difference_high"]
    one, other = (decided(systems, 0.01).frame.select(ends).row(0) for systems in (worse, better))
    assert one == pytest.approx((-other[1], -other[0]), rel=1e-9)


def test_rates_of_equal_lengths_have_the_figures_of_means() -> None:
    # All references are ten characters long, so that the rate is the mean of the rows' rates.
    random = np.random.default_rng(3)
    answers = ["abcdefghij"] * 300
    columns = {
        name: ["".join("x" if random.random() < p else c for c in text) for text in answers]
        for name, p in (("old", 0.05), ("new", 0.08))
    }
    frame = pl.DataFrame({**columns, "answer": answers, "doc": np.arange(300) // 10})
    for cluster in ("doc", None):
        corpus, mean = (
            af.compare(frame, SYSTEMS, "answer", metrics=metric, cluster=cluster)
            for metric in ("cer_corpus", "cer_mean")
        )
        figures = [
            [
                made.detectable_difference()["detectable"].item(),
                *made.decide().frame.select("difference_low", "difference_high").row(0),
            ]
            for made in (corpus, mean)
        ]
        assert figures[0] == pytest.approx(figures[1], rel=1e-6)


@pytest.mark.parametrize("factor", [1e-4, 1e6])
def test_scores_without_bounds_can_have_any_unit(factor: float) -> None:
    def bounds(unit: float) -> list[float]:
        frame = scores().with_columns(pl.col("old", "new") * 5 * unit)
        metric = af.Metric(SYSTEMS, name="loss", bounds=(0, None), higher_is_better=False)
        made = af.compare(frame, SYSTEMS, None, metrics=metric, cluster="doc")
        ends = made.decide(0.1 * unit).frame.select("difference_low", "difference_high").row(0)
        return [value / unit for value in (*ends, made.detectable_difference()["detectable"].item())]

    assert bounds(factor) == pytest.approx(bounds(1.0), rel=1e-6)


def gain(wins: int, losses: int, rows: int, kind: str = "a") -> list[tuple[str, float, float]]:
    return [
        *[(kind, 0.0, 1.0)] * wins,
        *[(kind, 1.0, 0.0)] * losses,
        *[(kind, 1.0, 1.0)] * (rows - wins - losses),
    ]


def decision(rows: list[tuple[str, float, float]], **options: Any) -> Any:
    frame = pl.DataFrame(rows, schema=["kind", "old", "new"], orient="row")
    return af.compare(frame, SYSTEMS, None, by="kind").decide(**options)


def test_a_decision_is_one_sentence() -> None:
    assert (
        str(decision(gain(2, 2, 2000)))
        == "fine: new is not worse than old by 0.01 or more (difference +0.000)"
    )
    assert (
        str(decision(gain(0, 200, 2000)))
        == "regressed: new is worse than old by more than 0.01 (difference -0.100)"
    )
    assert str(decision(gain(5, 5, 300))) == (
        "undecided: new could be worse than old by more than 0.01; 300 rows can decide margins of at least "
        "0.03; this one needs 1,900 to 3,700 if the systems are equal"
    )
    assert str(decision(gain(0, 85, 10_000))).endswith(
        "can decide margins of at least 0.0024, but the difference is close to the margin"
    )


def test_one_slice_can_decide() -> None:
    rows = [*gain(2, 2, 5000), *gain(0, 60, 200, "b"), *gain(0, 0, 3, "c")]
    assert decision(rows, within=0.02).answer == "fine"
    regressed = decision(rows, within=0.02, slices=True)
    assert str(regressed) == "regressed: new is worse than old by more than 0.02, in 1 of 2 slices"
    assert regressed.slices["answer"].to_list() == ["fine", "regressed", None]
    assert regressed.frame["answer"].to_list() == ["fine"]
    undecided = decision([*gain(2, 2, 5000), *gain(1, 1, 40, "b")], within=0.02, slices=True)
    assert str(undecided) == (
        "undecided: new could be worse than old by more than 0.02, in 1 of 2 slices; "
        "the smallest of them has 40 rows"
    )
    fine = decision([*gain(2, 2, 5000), *gain(1, 1, 5000, "b")], within=0.02, slices=True)
    said = "fine: new is not worse than old by 0.02 or more, on all rows and in 2 of 2 slices"
    assert str(fine) == f"{said} (difference +0.000)"


def test_equal_systems_are_fine_if_there_are_enough_rows() -> None:
    assert decision(gain(0, 0, 300)).answer == "fine"
    assert decision(gain(0, 0, 200)).answer == "undecided"


def test_decisions_about_several_systems_are_those_about_each() -> None:
    frame = scores().with_columns(other="old", third=pl.col("new") * 0.6)
    options: dict[str, Any] = {"by": "kind", "cluster": "doc"}
    systems = {**SYSTEMS, "other": "other", "third": "third"}
    made = af.compare(frame, systems, None, **options).decide(0.02, 0.06, slices=True)
    assert made.slices is not None
    answers = set()
    for number, name in enumerate(["new", "other", "third"]):
        alone = af.compare(frame, {"old": "old", name: name}, None, **options)
        decision = alone.decide(0.02, 0.02, slices=True)
        assert_frame_equal(made.frame[number], decision.frame)
        assert_frame_equal(made.slices.filter(system=name), decision.slices)
        assert str(decision) in made.sentences
        answers.add(decision.frame["answer"].item())
    assert made.answer == "regressed"
    assert {"fine", "regressed"} <= answers
    assert made.sentences[0].startswith("regressed: ")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda made: made.decide(0), "within must be a number above 0"),
        (lambda made: made.regressed(-1), "drop must be a number of at least 0"),
        (lambda made: made.decide(alpha=0.5), r"alpha must be a number in \(0, 0.5\)"),
        (lambda made: made.sample_size(-0.1), "effect must be a number above 0"),
        (lambda made: made.detectable_difference(power=1), r"power must be a number in \(0, 1\)"),
        (lambda made: made.detectable_difference(0.05, 0.05), "power must be larger than alpha"),
    ],
)
def test_wrong_numbers_are_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(af.compare(scores(), SYSTEMS, None))


def of_range(bounds: tuple[float | None, float | None] | None, values: list[float]) -> af.Comparison:
    """Return the comparison of scores from 0 with some of a range."""
    frame = pl.DataFrame({"old": [0.0] * len(values), "new": values})
    return af.compare(frame, SYSTEMS, None, metrics=af.Metric(SYSTEMS, name="points", bounds=bounds))


@pytest.mark.parametrize(
    ("bounds", "reached", "unreachable", "hint"),
    [
        ((0, 100), 99.9, 100, ""),
        ((-1, 1), 1.9, 2, "; 1 percentage point is 0.01"),
        ((0, 1), 0.99, 50, "; 1 percentage point is 0.01"),
        # From the scores themselves.
        (None, 0.99, 1, "; 1 percentage point is 0.01"),
    ],
)
def test_a_margin_that_no_loss_can_reach_is_refused(
    bounds: tuple[float, float] | None, reached: float, unreachable: float, hint: str
) -> None:
    made = of_range(bounds, [1.0, 0.5] * 20)
    assert made.decide(reached).answer == "fine"
    assert not made.regressed(reached)
    for call in (made.decide, made.regressed, made.regressions, made.sample_size):
        with pytest.raises(ValueError, match=f"got {unreachable}{hint}$"):
            call(unreachable)


RATES = ["cer_mean", "cer_corpus", "wer_mean", "wer_corpus", "substitutions", "insertions", "bag_of_words"]


@pytest.mark.parametrize("name", RATES)
def test_a_margin_of_an_error_rate_is_less_than_1(name: str) -> None:
    """Rates have no upper bound: here every word is read as three."""
    frame = pl.DataFrame(
        {"old": ["a b"] * 90, "new": ["a b"] * 89 + ["aaa bbb ccc ddd eee"], "t": ["a b"] * 90}
    )
    made = af.compare(frame, ["old", "new"], "t", metrics=name)
    assert made.decide(0.99).answer == "fine"
    assert not made.regressed(0.99)
    for call in (made.decide, made.regressed, made.regressions, made.sample_size):
        for given in (1, 2.5):
            told = f"less than 1, which is 100 percentage points of .*, got {given}; 1 percentage point is"
            with pytest.raises(ValueError, match=told):
                call(given)


def test_counts_and_own_scores_keep_any_margin_unless_they_are_rates() -> None:
    frame = pl.DataFrame({"old": ["a" * 9] * 40, "new": ["a" * 8, "a" * 9] * 20, "t": ["a" * 9] * 40})
    assert af.compare(frame, ["old", "new"], "t", metrics="char_errors").decide(2).answer == "fine"
    lengths = {"name": "rate", "bounds": (0, None), "higher_is_better": False}
    own = af.Metric(lambda prediction, _: prediction.str.len_chars(), **lengths)
    rate = af.Metric(lambda prediction, _: prediction.str.len_chars(), **lengths, format="rate")
    assert af.compare(frame, ["old", "new"], "t", metrics=own).decide(2).answer == "fine"
    with pytest.raises(ValueError, match="which is 100 percentage points of rate, got 2; 1 percentage point"):
        af.compare(frame, ["old", "new"], "t", metrics=rate).decide(2)


def test_a_margin_must_be_within_reach_of_every_metric() -> None:
    frame = pl.DataFrame({"old": ["a"] * 9, "new": ["x"] * 9, "t": ["a"] * 9})
    made = af.compare(frame, ["old", "new"], "t", metrics=["anls", "cer_corpus"])
    assert made.regressed(0.5)
    for call in (made.regressed, made.sample_size):
        with pytest.raises(ValueError, match="because ANLS lies between 0 and 1"):
            call(1)


@pytest.mark.parametrize(
    ("sizes", "clustered", "warned"),
    [
        ([3] * 60, True, None),
        ([3] * 59, True, "comes from 59 documents; it is unreliable with fewer than 60 documents"),
        ([3] * 59, False, None),
        ([1] * 59, False, "comes from 59 rows; it is unreliable with fewer than 60 rows"),
        ([1] * 78 + [200] * 2, True, "comes from 80 documents (effective number: 3)"),
    ],
)
def test_small_pilots_warn(sizes: list[int], warned: str | None, *, clustered: bool) -> None:
    doc = np.repeat(np.arange(len(sizes)), sizes)
    frame = pl.DataFrame({"doc": doc, "old": 1.0, "new": (doc % 5 > 0).astype(float)})
    made = af.compare(frame, SYSTEMS, None, cluster="doc" if clustered else None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = made.sample_size(0.1)
    assert found["n_needed"].item() >= found["n_needed_low"].item() > 0
    assert [str(one.message)[9:] for one in caught if warned and warned in str(one.message)] == [
        str(one.message)[9:] for one in caught
    ]
    assert len(caught) == (warned is not None)


def test_no_range_has_one_number() -> None:
    assert needed_in_words(None, 300) == "at least 300"
    assert needed_in_words(825, 830) == "about 830"
    assert needed_in_words(812, 911) == "820 to 920"
    assert str(decision(gain(0, 0, 200))) == (
        "undecided: new could be worse than old by more than 0.01; 200 rows can decide margins of at least "
        "0.015; this one needs at least 300 if the systems are equal"
    )


def test_documents_that_do_not_differ_are_counted_not_their_rows() -> None:
    for documents, answer in ((100, "undecided"), (299, "undecided"), (300, "fine")):
        doc = np.repeat(np.arange(documents), 10)
        frame = pl.DataFrame({"doc": doc, "old": 1.0, "new": 1.0})
        decided = af.compare(frame, SYSTEMS, None, cluster="doc").decide(0.01)
        assert decided.answer == answer
        assert decided.frame.select("n_clusters_needed_low", "n_clusters_needed").row(0) == (None, 300)


def test_pilots_that_cannot_tell_say_so() -> None:
    doc = np.repeat(np.arange(100), 10)
    frame = pl.DataFrame({"doc": doc, "old": 1.0, "new": 1.0})
    equal = af.compare(frame, SYSTEMS, None, cluster="doc")
    with pytest.warns(
        InputWarning,
        match="'old' and 'new' do not differ in score, so this pilot cannot tell how many documents",
    ):
        planned = equal.sample_size(0.02)
    assert planned.select("n_needed_low", "n_needed").row(0) == (None, None)
    assert equal.detectable_difference()["detectable"].item() is None
    two = frame.with_columns(new=pl.when(pl.col("doc") < 2).then(0.0).otherwise(1.0))
    with pytest.warns(InputWarning, match=r"lies in few documents \(effective number: 2\.1\), so this pilot"):
        planned = af.compare(two, SYSTEMS, None, cluster="doc").sample_size(0.02)
    assert planned["n_clusters_needed"].item() > planned["n_clusters_needed_low"].item() > 100


@pytest.mark.parametrize("rows", [0, 2])
def test_no_scored_row_plans_nothing(rows: int) -> None:
    """Without a word of numpy: warnings are errors in tests."""
    frame = pl.DataFrame({"old": [None] * rows, "new": [0.5] * rows}).cast(pl.Float64)
    made = af.compare(frame, {"old": "old", "new": "new"}, None)
    assert made.decide(within=0.02).answer == "undecided"
    assert made.detectable_difference()["detectable"].to_list() == [None]
    with pytest.warns(af.InputWarning, match="take a pilot in which rows change"):
        assert made.sample_size(0.02)["n_needed"].to_list() == [None]
