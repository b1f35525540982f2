"""Slices against the rest of the rows: held against loops over rows, and against what must not matter."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import slices_oracle
from polars.testing import assert_frame_equal
from scipy import stats

import anls_frame as af
from anls_frame.reports import rest
from anls_frame.statistics.dealt import deals

Row = tuple[frozenset[str], str, float, float]
"""Slices of a row, its document, score (or errors), and 1 (or its length)."""


def slow(rows: list[Row], name: str) -> tuple[float, float]:
    """Return the difference of a slice to the rest, and the p-value of Student's t, from the definitions."""
    n, total, length = len(rows), sum(row[2] for row in rows), sum(row[3] for row in rows)
    unit, ratio = n / length, total / length
    inside = [row for row in rows if name in row[0]]
    outside = [row for row in rows if name not in row[0]]
    y_in, y_out = (unit * sum(row[3] for row in part) for part in (inside, outside))
    of_inside, of_rest = (
        sum(row[2] for row in part) / sum(row[3] for row in part) for part in (inside, outside)
    )
    difference = of_inside - of_rest
    documents: dict[str, list[Row]] = {}
    for row in rows:
        documents.setdefault(row[1], []).append(row)

    def residual(row: Row, around: float) -> float:
        return unit * (row[2] - around * row[3])

    squares = sum(residual(row, ratio) ** 2 for row in rows)
    if squares == 0:
        return difference, 1.0
    sizes = [unit * sum(row[3] for row in group) for group in documents.values()]
    design = sum(sum(residual(row, ratio) for row in group) ** 2 for group in documents.values()) / squares
    more = sum(size**2 for size in sizes) / sum(sizes) - 1
    alike = min(max((design - 1) / more, 0.0), 1.0) if more > 1e-12 else 0.0
    shown, weights = 0.0, []
    for group in documents.values():
        # Around the figure of the slice, and that of the rest.
        effect = sum(
            residual(row, of_inside) / y_in if name in row[0] else -residual(row, of_rest) / y_out
            for row in group
        )
        shown += effect**2
        size_in = unit * sum(row[3] for row in group if name in row[0])
        size_out = unit * sum(row[3] for row in group if name not in row[0])
        common = (size_in / y_in - size_out / y_out) ** 2
        weights.append((1 - alike) * (size_in / y_in**2 + size_out / y_out**2) + alike * common)
    variance = max(shown, squares / n * sum(weights))
    df = sum(weights) ** 2 / sum(weight**2 for weight in weights) - 1
    return difference, float(2 * stats.t.sf(abs(difference) / math.sqrt(variance), max(df, 1)))


def sample(seed: int, rows: int = 60) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    answers = ["Coca Cola", "1871", "Zürich", "yes", "half right"]
    picked = random.integers(0, len(answers), rows)
    spoilt = random.random(rows) < 0.4
    return pl.DataFrame(
        {
            "prediction": [
                answers[i][: 1 + 2 * int(bad)] if bad else answers[i]
                for i, bad in zip(picked, spoilt, strict=True)
            ],
            "answer": [answers[i] for i in picked],
            "types": [[t for t in "abc" if random.random() < 0.4] or None for _ in range(rows)],
            "doc": [f"d{random.integers(0, 9)}" for _ in range(rows)],
            "row": [str(i) for i in range(rows)],
        }
    )


@pytest.mark.parametrize("cluster", [None, "doc", "row"])
@pytest.mark.parametrize("measure", ["anls", "nls", "exact_match", "zeros", "cer_mean", "cer_corpus"])
@pytest.mark.parametrize("seed", range(3))
def test_differences_and_p_values_are_those_of_the_definition(
    cluster: str | None, measure: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As with very many rows.
    monkeypatch.setattr(rest, "MOST_DEALT", 0)
    frame = sample(seed)
    columns = ["anls", "nls", "exact_match", "cer", "char_errors", "reference_length"]
    scored = af.add_scores(frame, "prediction", "answer", columns=columns)
    x, y = {
        "zeros": ((pl.col("anls") == 0), pl.lit(1)),
        "cer_mean": (pl.col("cer"), pl.lit(1)),
        "cer_corpus": (pl.col("char_errors"), pl.col("reference_length")),
    }.get(measure, (pl.col(measure), pl.lit(1)))
    documents = pl.col(cluster or "row")
    rows: list[Row] = [
        (frozenset(types or ["none"]), document, float(x), float(y))
        for types, document, x, y in scored.select(
            "types", documents.alias("doc"), x.alias("x"), y.alias("y")
        ).iter_rows()
    ]
    report = af.report(frame, "prediction", "answer", by="types", cluster=cluster)
    tested = report.against_rest(measure=measure)
    assert tested["p_value"].is_sorted()
    for name, difference, p in tested.select("types", "difference", "p_value").iter_rows():
        assert (difference, p) == pytest.approx(slow(rows, name or "none"), rel=1e-9, abs=1e-12)
    of_holm = af.statistics.holm(tested["p_value"].to_numpy())
    assert tested["p_adjusted"].to_numpy() == pytest.approx(of_holm, rel=1e-12)


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_adjusted_p_values_of_a_slice_and_its_rest_are_uniform(
    cluster: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are one test: if nothing differs, half of the adjusted p are at most 0.5, and not a quarter."""
    monkeypatch.setattr(rest, "MOST_DEALT", 0)
    random = np.random.default_rng(0)
    frame = pl.DataFrame({"half": ["a", "b"] * 40, "doc": np.arange(80) // 2})
    few = []
    for _ in range(60):
        scored = frame.with_columns(score=random.normal(size=80))
        tested = af.report(scored, metrics="score", by="half", cluster=cluster).against_rest()
        assert tested["p_adjusted"].to_list() == tested["p_value"].to_list()
        few.append(tested["p_adjusted"][0] <= 0.5)
    # 0.5 and 1.5 standard errors; a quarter is 2.7 below them.
    assert 0.4 < np.mean(few) < 0.6


def test_slices_that_share_rows_are_two_tests_at_any_size() -> None:
    """Six and four of ten rows are no rests of each other if one row has both labels and one has none."""
    p, sizes = np.array([0.01, 0.03, np.nan]), np.array([6.0, 4.0, 1.0])
    assert rest.by_holm(p, sizes, np.array([10.0])).tolist()[:2] == [0.02, 0.03]
    same = np.array([0.01, 0.01])
    assert rest.by_holm(same, sizes[:2], np.array([10.0])).tolist() == [0.01, 0.01]


@pytest.mark.parametrize("measure", ["score", "rate"])
@pytest.mark.parametrize("seed", range(3))
def test_p_values_of_documents_are_those_of_rows_dealt_anew(seed: int, measure: str) -> None:
    random = np.random.default_rng(seed)
    document = np.repeat(np.arange(12), random.integers(1, 9, 12))
    n = len(document)
    frame = pl.DataFrame(
        {
            "doc": document,
            "score": random.integers(0, 2, n).astype(float),
            "wrong": random.integers(0, 4, n),
            "length": random.integers(1, 9, n),
            "kind": random.choice(["a", "b", "c"], n),
        }
    )
    metrics = [af.Metric("score", bounds=(0, 1)), af.Metric("wrong", denominator="length", name="rate")]
    report = af.report(frame, metrics=metrics, by="kind", cluster="doc")
    tested = report.against_rest(draws=39, seed=seed, measure=measure).sort("kind")
    (metric,) = [one for one in report.measures if one.name == measure]
    kinds = tested.select(key_0="kind")
    losses, codes = rest.losses_of(report.summary.report_sums.cells[measure], kinds, metric)
    places = [np.flatnonzero(codes.codes == place).tolist() for place in range(kinds.height)]
    loss = losses.values  # noqa: PD011 - an array
    if measure == "score":
        rows = zip(losses.unit, codes.codes, loss < 0, strict=True)
        # Documents are numbered in the order of their texts, in which 10 is before 2.
        numbers = frame.select(pl.col("doc").cast(pl.String).rank("dense"), pl.col("kind").rank("dense")) - 1
        expected = zip(*numbers, frame["score"] == 1, strict=True)
        assert sorted(rows) == sorted(expected)
    test = slices_oracle.Test((-loss).tolist(), losses.unit.tolist(), losses.sizes.tolist())
    observed = [abs(test.statistic(one)) for one in places]
    drawn = [
        [abs(test.statistic(one, given.tolist())) for one in places] for given in deals(losses.unit, 39, seed)
    ]
    for place, value in enumerate(observed):
        p = (1 + sum(one[place] >= value - 1e-5 for one in drawn)) / 40
        adjusted = (1 + sum(max(one) >= value - 1e-5 for one in drawn)) / 40
        found = tested.select("p_value", "p_adjusted").row(place)
        assert found == pytest.approx((p, adjusted), abs=1e-12)


def test_a_slice_of_six_documents_that_fail_is_found() -> None:
    random = np.random.default_rng(0)
    document = np.repeat(np.arange(100), 10)
    maker = np.where(document < 6, "bad", random.choice(["a", "b", "c", "d"], 100)[document])
    score = (random.random(1000) < np.where(document < 6, 0.05, 0.905)).astype(float)
    frame = pl.DataFrame({"score": score, "doc": document, "maker": maker})
    tested = af.report(frame, metrics="score", by="maker", cluster="doc").against_rest()
    assert tested.select("maker", "p_value", "p_adjusted").row(0) == ("bad", 0.005, 0.005)
    assert tested["p_adjusted"][1:].min() > 0.05
    found = af.find_slices(frame, metrics="score", columns="maker", cluster="doc").frame
    assert found.select("description", "p_adjusted").rows() == [("maker = bad", 0.005)]


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_the_order_of_rows_and_the_engine_change_no_bit(cluster: str | None) -> None:
    frame = sample(7, rows=300)
    expected = af.report(frame, "prediction", "answer", by="types", cluster=cluster).against_rest()
    parts = [frame.sample(fraction=1, shuffle=True, seed=3).lazy(), frame.reverse(), frame.to_pandas()]
    for other in parts:
        report = af.report(other, "prediction", "answer", by="types", cluster=cluster)
        found = report.against_rest()
        found = pl.from_pandas(found) if isinstance(found, pd.DataFrame) else found
        assert_frame_equal(found, expected, check_exact=True, check_dtypes=False)
    halves = [
        af.summarize(half, "prediction", "answer", by="types", cluster=cluster)
        for half in (frame[:77], frame[77:])
    ]
    merged = af.Report.from_summary(af.merge(halves))
    assert_frame_equal(merged.against_rest(), expected, check_exact=True)


def test_a_few_rows_that_are_all_right_are_no_better_slice() -> None:
    # Of rows with a mean of 0.8, eight are all right in one of six draws.
    frame = pl.DataFrame(
        {"score": [1.0] * 8 + [1.0, 1.0, 1.0, 1.0, 0.0] * 40, "lang": ["en"] * 8 + ["de"] * 200}
    )
    p = af.report(frame, metrics="score", by="lang").against_rest()["p_value"].to_list()
    assert p[0] == pytest.approx(p[1])
    assert 0.1 < p[0] < 0.3


def test_scores_of_any_size_are_tested() -> None:
    frame = pl.DataFrame({"score": [-3e100, 2e100, 1e100, 4e100] * 5, "lang": ["en", "de"] * 10})
    small = frame.with_columns(pl.col("score") / 1e100)
    big_p, small_p = (
        af.report(one, metrics="score", by="lang").against_rest()["p_value"] for one in (frame, small)
    )
    assert big_p.to_list() == pytest.approx(small_p.to_list(), rel=1e-9)


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_scores_far_above_their_spread_are_tested(cluster: str | None) -> None:
    scores = sample(11).with_columns(
        score=pl.col("doc").str.tail(1).cast(pl.Float64) % 4 + pl.col("row").cast(pl.Float64) % 3
    )
    stamps = scores.with_columns(pl.col("score") + 1.7e9)
    small, large = (
        af.report(one, metrics="score", by="types", cluster=cluster).against_rest()
        for one in (scores, stamps)
    )
    columns = ["types", "difference", "p_value", "p_adjusted"]
    assert_frame_equal(large.select(columns), small.select(columns), rel_tol=1e-6)


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_a_slice_of_all_rows_and_equal_scores_say_nothing(cluster: str | None) -> None:
    frame = pl.DataFrame(
        {"score": [0.5] * 6, "all": ["x"] * 6, "half": ["a", "b"] * 3, "doc": [1, 1, 2, 2, 3, 3]}
    )
    whole = af.report(frame, metrics="score", by="all", cluster=cluster).against_rest()
    assert whole.select("rest", "difference", "p_value", "p_adjusted").row(0) == (None,) * 4
    halves = af.report(frame, metrics="score", by="half", cluster=cluster).against_rest()
    assert halves["p_value"].to_list() == [1.0, 1.0]


def test_a_slice_without_a_scored_row_is_not_tested() -> None:
    frame = pl.DataFrame(
        {"prediction": ["a", "b", "x"], "answer": ["a", "b", None], "lang": ["en", "de", "fr"]}
    )
    tested = af.report(frame, "prediction", "answer", by="lang").against_rest()
    assert tested.filter(lang="fr").select("n", "anls", "p_value").row(0) == (0, None, None)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ({}, {"measure": "wer"}, "measure must be one of 'anls', 'nls', .*, got 'wer'"),
        ({"by": None}, {}, "the report has no slices; name columns in by= when making it"),
    ],
)
def test_what_cannot_be_tested_is_an_error(
    arguments: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    report = af.report(sample(1), "prediction", "answer", **{"by": "types", **arguments})
    with pytest.raises(ValueError, match=message):
        report.against_rest(**options)


def test_a_slicing_column_called_like_one_of_the_result_is_an_error() -> None:
    frame = sample(1).rename({"types": "rest"})
    with pytest.raises(af.DuplicateColumnError, match="rest"):
        af.report(frame, "prediction", "answer", by="rest").against_rest()


def by_size(of_long: float, *, rows: tuple[int, int] = (5, 20)) -> pl.DataFrame:
    """Twenty invoices among a hundred documents, which have more rows than the receipts."""
    random = np.random.default_rng(0)
    is_long = np.arange(100) < 20
    document = np.repeat(np.arange(100), np.where(is_long, rows[1], rows[0]))
    right = random.random(len(document)) < np.where(is_long, of_long, 0.95)[document]
    kind = np.where(is_long, "invoice", "receipt")[document]
    return pl.DataFrame({"doc": document, "kind": kind, "score": right.astype(float)})


@pytest.mark.parametrize("rows", [(5, 20), (3, 60), (20, 3)])
def test_a_slice_of_longer_or_shorter_documents_is_found(rows: tuple[int, int]) -> None:
    frame = by_size(0.5, rows=rows)
    for given in (frame, frame.lazy(), frame.to_pandas()):
        tested = af.report(given, metrics="score", by="kind", cluster="doc").against_rest()
        tested = pl.from_pandas(tested) if isinstance(tested, pd.DataFrame) else tested
        assert tested["p_value"].to_list() == [0.005, 0.005]
        assert tested["p_adjusted"].to_list() == [0.005, 0.005]
        found = af.find_slices(given, columns="kind", metrics="score", cluster="doc").to_polars()
        assert found.select("description", "p_adjusted").rows() == [("kind = invoice", 0.005)]


def test_longer_documents_are_found_with_a_holdout_and_from_a_summary() -> None:
    frame = by_size(0.5)
    search = af.SliceSearch(holdout=0.5)
    honest = af.find_slices(frame, columns="kind", metrics="score", cluster="doc", search=search).frame
    assert honest.select("description", "p_adjusted").rows() == [("kind = invoice", 0.005)]
    summary = af.summarize(frame, metrics="score", by="kind", cluster="doc")
    found = af.find_slices(summary).frame
    assert found.select("description", "p_adjusted").rows() == [("kind = invoice", 0.005)]


def fifths(seed: int, documents: int) -> pl.DataFrame:
    """Fifths of documents by size; the larger the documents, the worse."""
    random = np.random.default_rng(seed)
    sizes = np.sort(np.maximum(np.round(np.exp(random.normal(2, 1, documents))), 1).astype(int))
    fifth = 5 * np.arange(documents) // documents
    document = np.repeat(np.arange(documents), sizes)
    right = random.random(len(document)) < np.linspace(0.97, 0.55, 5)[fifth][document]
    return pl.DataFrame({"doc": document, "kind": fifth[document], "score": right.astype(float)})


def test_the_largest_fifth_of_few_documents_is_found_and_confirmed_on_half_of_many() -> None:
    """Tests of the means of documents find all of them."""
    found = {(30, None): 0, (112, 0.5): 0}
    for (documents, holdout), seed in itertools.product(found, range(10)):
        frame = fifths(seed, documents)
        search = af.SliceSearch(holdout=holdout)
        slices = af.find_slices(frame, columns="kind", metrics="score", cluster="doc", search=search).frame
        found[documents, holdout] += slices.filter(pl.col("p_adjusted") <= 0.05).height > 0
    assert found[30, None] >= 8
    assert found[112, 0.5] == 10


def test_longer_documents_that_are_as_good_are_not_found() -> None:
    frame = by_size(0.95)
    tested = af.report(frame, metrics="score", by="kind", cluster="doc").against_rest()
    assert tested["p_value"].min() > 0.05
    assert not af.find_slices(frame, columns="kind", metrics="score", cluster="doc").sentences


def test_two_documents_have_no_p_value_and_the_warning_says_why() -> None:
    frame = pl.DataFrame(
        {"doc": ["a"] * 8 + ["b"] * 8, "kind": ["x"] * 8 + ["y"] * 8, "score": [1.0] * 8 + [0.0, 1.0] * 4}
    )
    report = af.report(frame, metrics="score", by="kind", cluster="doc")
    with pytest.warns(af.InputWarning, match="p_value is null, because a slice and its rest are a document"):
        tested = report.against_rest()
    assert tested.select("difference", "p_value", "p_adjusted").row(0) == (0.5, None, None)
    # Rows of one document can be exchanged.
    inside = frame.with_columns(doc=pl.lit("a"))
    assert (
        af.report(inside, metrics="score", by="kind", cluster="doc").against_rest()["p_value"].null_count()
        == 0
    )


def disagreeing(of_short: tuple[float, float]) -> pl.DataFrame:
    """One long document that is right and nine that are wrong, beside short ones."""
    documents = [(1000, 1.0), *[(10, 0.0)] * 9, *[(2, of_short[0]), (3, of_short[1])] * 15]
    parts = [
        pl.DataFrame({"doc": [number] * rows, "score": [score] * rows})
        for number, (rows, score) in enumerate(documents)
    ]
    kind = pl.when(pl.col("doc") < 10).then(pl.lit("long")).otherwise(pl.lit("short"))
    return pl.concat(parts).with_columns(kind=kind)


@pytest.mark.parametrize("of_short", [(0.0, 1.0), (0.1, 0.1)])
@pytest.mark.parametrize("copies", [1, 60])
def test_where_rows_and_documents_disagree_there_is_no_p_value(
    of_short: tuple[float, float], copies: int
) -> None:
    """The rows of long documents are better; their documents are worse, or as good (a tenth are right)."""
    frame = disagreeing(of_short)
    frame = pl.concat([frame.with_columns(doc=pl.col("doc") + 40 * copy) for copy in range(copies)])
    means = frame.group_by("doc").agg(pl.first("kind"), pl.mean("score"))
    long, short = (means.filter(kind=kind)["score"].mean() for kind in ("long", "short"))
    assert long <= short
    report = af.report(frame, metrics="score", by="kind", cluster="doc")
    with pytest.warns(af.InputWarning, match="p_value is null for 'long', 'short', because rows and doc"):
        tested = report.against_rest().sort("kind")
    assert tested["difference"].to_list() == [
        pytest.approx(1000 / 1090 - (0.6 if of_short[0] == 0 else 0.1)),
        pytest.approx((0.6 if of_short[0] == 0 else 0.1) - 1000 / 1090),
    ]
    assert tested["p_value"].to_list() == tested["p_adjusted"].to_list() == [None, None]


def test_other_slices_keep_their_p_values_beside_one_that_disagrees() -> None:
    frame = disagreeing((0.0, 1.0)).with_columns(side=pl.int_range(pl.len()) % 2)
    report = af.report(frame, metrics="score", by=["kind", "side"], cluster="doc")
    with pytest.warns(af.InputWarning, match="null for 'long', 'short', because"):
        report.against_rest("kind")
    assert report.against_rest("side")["p_value"].null_count() == 0


def test_comparisons_have_no_p_value_either_where_nothing_can_be_exchanged() -> None:
    """One document in a slice; and averages of documents that all change by as much, which have no spread."""
    frame = pl.DataFrame({"doc": [0, *range(8)] * 4, "old": [1.0] * 36})
    frame = frame.with_columns(
        kind=pl.when(doc=0).then(pl.lit("one")).otherwise(pl.lit("several")), new=pl.col("old") / 2
    )
    metric = af.Metric({"old": "old", "new": "new"}, name="score", bounds=(0, 1))
    options: dict[str, Any] = {"metrics": metric, "cluster": "doc"}
    compared = af.compare(frame, ["old", "new"], None, by="kind", **options)
    alone = compared.by("kind").filter(kind="one")
    assert alone.select("difference", "p_value", "p_adjusted").row(0) == (-0.5, None, None)
    assert compared.untestable().filter(kind="one").height == 1
    assert "cannot be tested at 0.05" in str(compared)
    halves = frame.with_columns(half=pl.col("doc") % 2)
    average = af.compare(halves, ["old", "new"], None, by="half", **options).macro()
    assert average.select("difference", "p_value").row(0) == (-0.5, None)


def test_slices_of_a_ratio_whose_denominators_are_all_0_have_no_p_value() -> None:
    cost = af.Metric("usd", denominator="right", name="cost")
    rows = {"usd": [0.5, 0.25], "right": [0, 0], "lang": ["u", "v"], "doc": ["a", "b"]}
    tested = af.report(pl.DataFrame(rows), metrics=cost, by="lang", cluster="doc").against_rest()
    assert tested.select("n", "cost", "rest", "p_value").rows() == [(1, None, None, None)] * 2
