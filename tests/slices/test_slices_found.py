"""`find_slices` finds faults that were planted, and nothing else; its figures are those of reports."""

from __future__ import annotations

import datetime as dt
import functools
import math
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import anls_frame as af
from anls_frame.slices.tables import check_work
from anls_frame.summary.cells import hashes

ROOT = Path(__file__).parents[2]
N, DOCUMENTS = 3000, 150
COLUMNS = ["kind", "lang", "pages", "when", "types", "is_scan", "size"]
FEW_DRAWS = af.SliceSearch(draws=39)
"""For results that are compared with each other; a p-value may still be a fortieth."""


@functools.cache
def questions(seed: int = 0) -> pl.DataFrame:
    """Rows with columns of all kinds, none of which has to do with the score."""
    random = np.random.default_rng(seed)
    document = random.integers(0, DOCUMENTS, N)
    right = random.random(N) < np.clip(random.normal(0.9, 0.1, DOCUMENTS), 0, 1)[document]
    days = [dt.date(2026, 1, 1) + dt.timedelta(int(day)) for day in random.integers(0, 300, N)]
    size = random.normal(10, 3, N)
    size[random.random(N) < 0.1] = np.nan
    return pl.DataFrame(
        {
            "doc": [f"d{place}" for place in document],
            "prediction": np.where(right, "yes", "?"),
            "answer": ["yes"] * N,
            "kind": pl.Series(random.choice(["form", "fax", "letter"], N), dtype=pl.Categorical),
            "lang": [random.choice(["en", "ja", "missing", None]) for _ in range(N)],
            "pages": random.integers(1, 100, DOCUMENTS)[document],
            "when": days,
            "types": [
                list(random.choice(["table", "text", "figure"], k)) if k else None
                for k in random.integers(0, 3, N)
            ],
            "is_scan": random.random(N) < 0.5,
            "size": size,
        }
    )


FAULTS = {
    "kind = fax and lang = ja": (pl.col("kind").cast(pl.String) == "fax") & (pl.col("lang") == "ja"),
    "types has figure": pl.col("types").list.contains("figure").fill_null(value=False),
    "lang is missing": pl.col("lang").is_null(),
    'lang = "missing"': (pl.col("lang") == "missing").fill_null(value=False),
    "types is missing": pl.col("types").is_null(),
    "is_scan = true": pl.col("is_scan"),
    "size is missing": pl.col("size").is_nan(),
}


def with_fault(frame: pl.DataFrame, where: pl.Expr, share: float = 0.6) -> pl.DataFrame:
    is_hit = pl.Series(np.random.default_rng(1).random(frame.height) < share)
    return frame.with_columns(prediction=pl.when(where & is_hit).then(pl.lit("?")).otherwise("prediction"))


def found_in(frame: Any, **options: Any) -> Any:
    return af.find_slices(frame, "prediction", "answer", COLUMNS, cluster="doc", **options)


def test_nothing_is_found_where_there_is_no_fault() -> None:
    found = found_in(questions())
    assert found.frame.is_empty()
    assert found.n_slices == found.n_tests > 200
    assert "none found" in repr(found)
    with pytest.raises(ValueError, match="no slice was found"):
        found.filter(0)


def test_a_planted_fault_is_found_and_nothing_else() -> None:
    frame = questions()
    for description, where in FAULTS.items():
        corrupted = with_fault(frame, where)
        found = found_in(corrupted)
        assert found.frame["description"].to_list() == [description]
        assert corrupted.filter(found.filter(0)).equals(corrupted.filter(where))
        # The same row sets in the half that it was not found on.
        honest = found_in(corrupted, search=af.SliceSearch(holdout=0.5))
        assert honest.frame["description"][0] == description
        assert honest.frame["p_adjusted"][0] <= 0.05


def test_faults_in_bins_are_found_with_their_bounds() -> None:
    frame = questions()
    for name in ("pages", "when", "size"):
        known = frame[name].fill_nan(None) if name == "size" else frame[name]
        low, high = known.quantile(0.4, "lower"), known.quantile(0.6, "lower")
        where = (pl.col(name) > pl.lit(low)) & (pl.col(name) <= pl.lit(high))
        found = found_in(with_fault(frame, where))
        (condition,) = found.conditions[0]
        assert condition.column == name
        assert condition.kind == "between"
        assert found.frame.height == 1
        rows = frame.filter(found.filter(0))
        assert rows[name].min() > condition.low
        assert rows[name].max() <= condition.high
        shared = frame.filter(found.filter(0) & where).height
        assert shared > 0.9 * rows.height


def test_two_faults_are_listed_and_their_overlaps_are_folded() -> None:
    first, second = FAULTS["kind = fax and lang = ja"], FAULTS["is_scan = true"]
    corrupted = with_fault(with_fault(questions(), first, 0.9), second, 0.3)
    found = found_in(corrupted)
    assert set(found.frame["description"]) == {"kind = fax and lang = ja", "is_scan = true"}
    folded = found.frame["overlapping"].explode(empty_as_null=True, keep_nulls=True).drop_nulls().to_list()
    assert {"kind = fax", "lang = ja"} <= set(folded)


def test_a_slice_and_its_parent_are_both_listed_only_if_each_is_worse_beyond_the_other() -> None:
    parent = FAULTS["is_scan = true"]
    child = parent & (pl.col("kind").cast(pl.String) == "fax")
    names = ["kind = fax and is_scan = true", "is_scan = true"]
    for of_parent, of_child, expected in ((0, 0.4, names[:1]), (0.1, 0.4, names), (0.3, 0.3, names[1:])):
        corrupted = with_fault(with_fault(questions(), parent, of_parent), child, of_child)
        assert found_in(corrupted).frame["description"].to_list() == expected
    # Of the rows that were not read, those of forms are significantly worse than the others, which are worse
    # than the rest, too.
    rows = af.sample()
    columns = ["question_types", "rapidocr_confidence"]
    found = af.find_slices(rows, "rapidocr", "answers", columns, cluster="doc_id").frame
    child = "question_types has form and rapidocr_confidence is missing"
    names = [child, "rapidocr_confidence is missing", "rapidocr_confidence ≤ 0.9824"]
    assert found["description"].to_list() == names
    assert "question_types has form" in found["overlapping"][0]


@pytest.mark.usefixtures("each_default_engine")
def test_figures_are_those_of_reports_and_comparisons_of_the_rows() -> None:
    corrupted = with_fault(questions(), FAULTS["types has figure"])
    metrics = ["anls", "cer_corpus", "exact_match"]
    found = found_in(corrupted, metrics=metrics)
    for place, line in enumerate(found.frame.iter_rows(named=True)):
        chosen = found.filter(place)
        # A slice that is worse in several metrics is named once.
        assert len({line["description"], *line["overlapping"]}) == 1 + len(line["overlapping"])
        name = line["metric"]
        inside, outside = (
            af.report(corrupted.filter(rows), "prediction", "answer", metrics=metrics, cluster="doc").overall
            for rows in (chosen, ~chosen)
        )
        assert line["score"] == inside[name]
        # At the level at which 95 % of the intervals of those that are chosen hold.
        level = 1 - 0.05 * found.frame.height / found.n_tests
        of_level = af.report(
            corrupted.filter(chosen), "prediction", "answer", metrics=metrics, cluster="doc", confidence=level
        ).overall
        low, high = line["score_low"], line["score_high"]
        assert (low, high) == (of_level[f"{name}_low"], of_level[f"{name}_high"])
        assert low < inside[f"{name}_low"] < inside[f"{name}_high"] < high
        assert (line["n"], line["n_clusters"]) == (inside["n"], inside["n_clusters"])
        assert line["rest"] == pytest.approx(outside[name], rel=1e-12)
        assert line["difference"] == line["score"] - line["rest"]
        assert line["share_of_rows"] == corrupted.filter(chosen).height / N
    both = corrupted.with_columns(old=questions()["prediction"])
    found = af.find_slices(both, {"old": "old", "new": "prediction"}, "answer", COLUMNS, cluster="doc")
    assert found.frame["description"].to_list() == ["types has figure"]
    line = found.frame.row(0, named=True)
    compared = af.compare(
        both.filter(found.filter(0)),
        {"old": "old", "new": "prediction"},
        "answer",
        cluster="doc",
        confidence=1 - 0.05 / found.n_tests,
    ).overall.row(0, named=True)
    names = ["baseline_score", "score"]
    assert [line[name] for name in names] == [compared[name] for name in names]
    assert (line["change"], line["change_low"]) == (compared["difference"], compared["difference_low"])
    assert line["share_of_loss"] == 1


def test_where_the_second_system_gained_less_it_did_not_lose() -> None:
    frame = questions()
    worse = pl.when(pl.col("kind").cast(pl.String) == "fax").then(0.5).otherwise(0.2)
    scores = frame.with_columns(old=pl.lit(0.1), new=worse)
    options: dict[str, Any] = {"columns": COLUMNS, "cluster": "doc"}
    # Other slices gained less than faxes did, but nowhere was anything lost.
    assert af.find_slices(scores, {"old": "old", "new": "new"}, **options).frame.is_empty()
    lost = af.find_slices(scores, {"new": "new", "old": "old"}, **options).frame
    assert lost["description"].to_list() == ["kind = fax"]


def test_lower_is_better_where_the_metric_says_so() -> None:
    frame = questions().with_columns(wer=pl.when(pl.col("is_scan")).then(0.5).otherwise(0.1))
    found = af.find_slices(frame, None, None, COLUMNS, metrics="wer", cluster="doc")
    assert found.frame["description"].to_list() == ["is_scan = true"]
    assert found.frame["difference"][0] > 0


def test_all_metrics_are_one_family() -> None:
    frame = with_fault(questions(), FAULTS["is_scan = true"], 0.15)
    one, several = (found_in(frame, metrics=names) for names in ("anls", ["anls", "exact_match", "cer_mean"]))
    assert several.n_tests == 3 * one.n_tests
    assert several.n_slices == one.n_slices
    p_values = [one.frame["p_adjusted"][0], several.frame["p_adjusted"][0]]
    assert p_values == sorted(p_values)


def test_the_kind_of_frame_and_the_order_of_rows_do_not_matter() -> None:
    corrupted = with_fault(questions(), FAULTS["lang is missing"])
    expected = found_in(corrupted, search=FEW_DRAWS)
    shuffled = corrupted.sample(fraction=1, shuffle=True, seed=5)
    categories = shuffled.with_columns(pl.col("doc").cast(pl.Categorical))
    for other in (corrupted.lazy(), shuffled, categories, corrupted.to_arrow()):
        assert found_in(other, search=FEW_DRAWS).frame.equals(expected.frame)
    of_pandas = found_in(corrupted.to_pandas(), search=FEW_DRAWS.replace(holdout=0))
    assert isinstance(of_pandas.frame, pd.DataFrame)
    assert of_pandas.frame["description"].tolist() == expected.frame["description"].to_list()
    assert of_pandas.frame["score"].tolist() == expected.frame["score"].to_list()
    rows = expected.rows(corrupted, 0)
    assert rows.equals(corrupted.filter(expected.filter(0)))
    assert expected.rows(corrupted.lazy(), 0).collect().equals(rows)
    assert pl.DataFrame(expected.rows(corrupted.to_arrow(), 0)).equals(rows)
    pandas_frame = corrupted.to_pandas().set_axis(range(7, N + 7))
    of_pandas_rows = of_pandas.rows(pandas_frame, 0)
    places = corrupted.select(expected.filter(0).arg_true()).to_series().to_list()
    assert of_pandas_rows.equals(pandas_frame.iloc[places])
    honest = [found_in(one, depth=3, search=FEW_DRAWS).frame for one in (corrupted, shuffled)]
    assert honest[0].equals(honest[1])
    of_namespace = corrupted.anls.find_slices(
        "prediction", "answer", COLUMNS, cluster="doc", search=FEW_DRAWS
    )
    assert of_namespace.frame.equals(expected.frame)


def test_columns_that_cannot_slice_are_named() -> None:
    frame = questions().with_columns(
        id=pl.int_range(N).cast(pl.String), constant=pl.lit(1), nested=pl.struct("lang", "is_scan")
    )
    found = af.find_slices(frame, "prediction", "answer", cluster="doc")
    assert found.left_out == {
        "id": "it has 3,000 values, more than 50",
        "constant": "all its values are equal",
        "nested": f"its dtype {frame.schema['nested']} has no values to slice by",
    }
    assert found.settings["columns"] == sorted(COLUMNS)
    with pytest.raises(ValueError, match=r"slice rows: 'id': it has 3,000 values, more than 50\. Name"):
        af.find_slices(frame, "prediction", "answer", ["id"])


def test_expressions_and_features_of_texts_slice_too() -> None:
    random = np.random.default_rng(3)
    texts = ["7", "42", "seven", "no. 7", "七", "なな", "семь"]
    chosen = random.integers(0, len(texts), N)
    frame = questions().with_columns(
        question=pl.Series(["?" * int(length) for length in random.integers(1, 90, N)]),
        answer=pl.Series([[texts[place]] * (1 + place % 2) for place in chosen]),
        prediction=pl.Series([texts[place] for place in chosen]),
        old=pl.Series([texts[place] for place in chosen]),
    )
    length = pl.col("question").str.len_chars().alias("length of the question")
    faults = {
        "length of the question": length > length.quantile(0.8, "lower"),
        "script of the answer = Han": pl.col("old") == "七",
        "digits in the answer = some": pl.col("old") == "no. 7",
        "script of the answer = Cyrillic": pl.col("old") == "семь",
    }
    search = FEW_DRAWS.replace(features=True)
    options: dict[str, Any] = {"columns": ["is_scan", length], "cluster": "doc", "search": search}
    for description, where in faults.items():
        corrupted = with_fault(frame, where)
        found = af.find_slices(corrupted, {"old": "old", "new": "prediction"}, "answer", **options)
        shared = corrupted.filter(found.filter(0) & where).height
        assert shared > 0.9 * corrupted.filter(found.filter(0)).height
        names = [found.frame["description"][0], *found.frame["overlapping"][0]]
        assert any(description in name for name in names)
        in_slice = corrupted.filter(found.filter(0))["doc"]
        assert found.rows(corrupted.to_pandas(), 0)["doc"].tolist() == in_slice.to_list()
    features = ["number of answers", "length of the answer", "digits in the answer", "script of the answer"]
    assert found.settings["columns"] == ["is_scan", "length of the question", *features]
    of_one = af.find_slices(frame, "prediction", "answer", **{**options, "columns": "is_scan"})
    assert of_one.settings["columns"][1] == "length of the question"
    of_one = af.find_slices(frame, "prediction", "answer", **options)
    assert of_one.settings["columns"][-1] == "length of the prediction"
    silent = frame.with_columns(prediction=pl.when(pl.int_range(pl.len()) % 7 > 0).then("prediction"))
    missing = af.find_slices(silent, "prediction", "answer", **options)
    assert "prediction is missing" in missing.frame["description"].to_list()
    with pytest.raises(ValueError, match="features need texts"):
        af.find_slices(frame, metrics="size", columns="is_scan", search=search)
    with pytest.raises(ValueError, match="must not name a column twice"):
        af.find_slices(frame, "prediction", "answer", ["kind", pl.col("lang").alias("kind")])


def test_columns_of_pandas_with_values_of_several_types_are_left_out() -> None:
    frame = questions().to_pandas()
    frame["mixed"] = [1, "x"] * (N // 2)
    frame = frame.set_index("lang")
    found = af.find_slices(frame, "prediction", "answer", cluster="doc")
    assert found.left_out == {"mixed": "must hold values of one type"}
    assert "lang" in af.find_slices(frame, "prediction", "answer", ["lang"]).settings["columns"]
    with pytest.raises(af.DTypeError, match="mixed"):
        af.find_slices(frame, "prediction", "answer", ["mixed"])


def test_small_slices_and_slices_of_few_documents_are_not_tested() -> None:
    frame = pl.DataFrame(
        {
            "score": [0.0] * 30 + [1.0] * 70,
            "doc": [0] * 30 + [1 + place % 20 for place in range(70)],
            "k": ["bad"] * 30 + ["good"] * 70,
        }
    )
    assert af.find_slices(frame, metrics="score", columns="k").n_slices == 2
    assert af.find_slices(frame, metrics="score", columns="k", cluster="doc").n_slices == 0
    assert (
        af.find_slices(frame, metrics="score", columns="k", search=af.SliceSearch(min_rows=31)).n_slices == 0
    )


def test_options_are_checked() -> None:
    frame = pl.DataFrame({"p": ["a"] * 9, "t": ["a"] * 9, "k": ["x", "y", "z"] * 3, "none": [None] * 9})
    for options, message in (
        ({"depth": 4}, "depth must be an integer from 1 to 3, got 4"),
        ({"n": 0}, "n must be"),
        ({"metrics": "zeros"}, "'zeros' is not"),
    ):
        with pytest.raises(ValueError, match=message):
            af.find_slices(frame, "p", "t", "k", **options)
    with pytest.raises(ValueError, match="systems must name one or more"):
        af.find_slices(frame, {}, "t")
    with pytest.raises(TypeError, match="search must be a SliceSearch, got 50"):
        af.find_slices(frame, "p", "t", "k", search=50)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="nothing to score"):
        af.find_slices(frame, "p", "none", "k")
    with pytest.raises(af.exceptions.ColumnNotFoundError):
        af.find_slices(frame, "p", "t", ["l"])


def test_settings_of_a_search_are_checked() -> None:
    search = af.SliceSearch(min_rows=np.int64(30), holdout=0.5)
    assert search.replace(bins=7) == af.SliceSearch(min_rows=30, holdout=0.5, bins=7)
    assert search.bins == 5
    for settings, message in (
        ({"holdout": 1}, "holdout must leave documents to find slices on"),
        ({"draws": 20_001}, "draws must be an integer from 1 to 20,000"),
        ({"bins": 1}, "bins must be"),
        ({"min_rows": 0}, "min_rows must be"),
        ({"min_clusters": 0}, "min_clusters must be"),
        ({"max_values": 1}, "max_values must be"),
        ({"seed": -1}, "seed must be"),
    ):
        with pytest.raises(ValueError, match=message):
            search.replace(**settings)
    with pytest.raises(TypeError, match="features must be True or False"):
        af.SliceSearch(features=1)  # type: ignore[arg-type]


def test_more_combinations_than_can_be_tested_are_refused_with_what_to_leave_out() -> None:
    random = np.random.default_rng(0)
    n = 2000
    frame = pl.DataFrame({f"c{place}": random.integers(0, 50, n).astype(str) for place in range(60)})
    frame = frame.with_columns(score=random.random(n), doc=np.arange(n) % 100)
    options: dict[str, Any] = {"metrics": "score", "cluster": "doc"}
    with pytest.raises(ValueError, match="columns have 4,281,928,000 combinations of up to 3") as raised:
        af.find_slices(frame, depth=3, **options)
    advice = "leave out columns, those with most values first ('c0', 'c1'"
    assert advice in str(raised.value)
    # What it says can be done.
    quick = af.SliceSearch(draws=19, max_values=1000)
    fewer = frame.drop(f"c{place}" for place in range(22))
    assert len(af.find_slices(fewer, search=quick, **options).settings["columns"]) == 38
    wide = {f"w{place}": random.integers(0, 900, n).astype(str) for place in range(3)}
    with pytest.raises(ValueError, match=r"those with most values first \('w\d', "):
        af.find_slices(frame.select("score", "doc").with_columns(**wide), depth=3, search=quick, **options)


def test_searches_in_many_metrics_or_systems_are_refused_earlier() -> None:
    random = np.random.default_rng(0)
    columns = [f"c{place}" for place in range(60)]
    frame = pl.DataFrame({name: random.integers(0, 9, 2000) for name in columns})
    frame = frame.with_columns(pl.lit(score).alias(f"s{score}") for score in range(3))
    # 1,830 combinations of columns, 2,000 rows and 20,000 draws are not too many for one score.
    check_work(dict.fromkeys(columns, 9), rows=2000, depth=2, draws=20_000)
    search = af.SliceSearch(draws=20_000)
    for options in ({"metrics": ["s0", "s1"]}, {"prediction": ["s0", "s1", "s2"]}):
        with pytest.raises(ValueError, match="would take too long to test; leave out columns"):
            af.find_slices(frame, columns=columns, search=search, **options)


def test_progress_is_told_in_draws() -> None:
    frame = questions()
    told: list[int] = []
    search = af.SliceSearch(draws=59)
    options: dict[str, Any] = {"metrics": ["anls", "exact_match"], "search": search, "cluster": "doc"}
    with af.progress(told.append):
        found = af.find_slices(frame, "prediction", "answer", ["kind", "is_scan"], **options)
    assert sum(told) == 2 * 59
    assert len(told) > 2
    silent = af.find_slices(frame, "prediction", "answer", ["kind", "is_scan"], **options)
    assert silent.frame.equals(found.frame)


def in_halves(searched: list[pl.DataFrame], tested: list[pl.DataFrame]) -> pl.DataFrame:
    """Rows of documents, named so that the first are searched and the others are held out by half."""
    names = pl.Series([f"document {number}" for number in range(1000)])
    is_held_out = hashes(names) % (1 << 20) < 1 << 19
    sides = ((names.filter(~is_held_out), searched), (names.filter(is_held_out), tested))
    every = chain.from_iterable(zip(own[: len(rows)], rows, strict=True) for own, rows in sides)
    return pl.concat([rows.with_columns(doc=pl.lit(name)) for name, rows in every])


def honest(frame: pl.DataFrame, columns: list[str]) -> Any:
    search = af.SliceSearch(holdout=0.5)
    return af.find_slices(frame, metrics="score", columns=columns, cluster="doc", depth=1, search=search)


def test_a_found_slice_whose_rows_and_documents_disagree_has_no_p_value() -> None:
    def rows(kind: str, n: int, right: int) -> pl.DataFrame:
        return pl.DataFrame({"kind": [kind] * n, "score": [1.0] * right + [0.0] * (n - right)})

    searched = [rows("long", 20, 8 + number % 5) for number in range(20)]
    searched += [rows("short", 5, 4 + number % 2) for number in range(80)]
    tested = [rows("long", 1000, 1000), *[rows("long", 10, number % 2) for number in range(19)]]
    tested += [rows("short", 3, 1 + number % 3) for number in range(80)]
    found = honest(in_halves(searched, tested), ["kind"])
    assert found.frame["description"].to_list() == ["kind = long"]
    assert found.frame["difference"].item() > 0.1
    assert found.frame["p_adjusted"].item() is None
    assert "No p for 1 slice: there, too few documents are in the slice" in str(found)


def test_a_found_slice_without_rows_outside_the_one_before_has_no_p_value() -> None:
    """On the searched documents, two slices are bad; on the others, the second is a part of the first."""

    def rows(a: str, b: str, right: float) -> pl.DataFrame:
        return pl.DataFrame({"a": [a] * 10, "b": [b] * 10, "score": [right] * 5 + [1.0] * 5})

    searched = [rows(*kind) for kind in [("y", "n", 0.0), ("n", "y", 0.0), *[("n", "n", 1.0)] * 2] * 20]
    tested = [rows(*kind) for kind in [("y", "n", 0.0), ("y", "y", 0.0), *[("n", "n", 1.0)] * 2] * 20]
    found = honest(in_halves(searched, tested), ["a", "b"]).frame
    p = dict(zip(found["description"], found["p_adjusted"], strict=True))
    assert sorted(value is None for value in p.values()) == [False, True]
    assert found.filter(pl.col("p_adjusted").is_null())["difference"].item() < -0.3


@pytest.mark.parametrize("names", [["b", "a"], ["a", "b"]])
def test_columns_in_any_order_give_the_same_slices(names: list[str]) -> None:
    rows = pl.DataFrame(
        {
            "score": [0.0 if number % 4 == 3 else 1.0 for number in range(400)],
            "a": [number % 2 for number in range(400)],
            "b": [number // 2 % 2 for number in range(400)],
        }
    ).with_columns(pl.col("a", "b").cast(pl.String))
    found = af.find_slices(rows.select("score", *names), metrics="score")
    assert found.frame["description"].to_list() == ["a = 1 and b = 1"]


def test_a_duration_is_written_as_in_reports() -> None:
    days = pl.duration(days=pl.int_range(200) % 2)
    rows = pl.DataFrame({"s": [0.0, 1.0] * 100}).with_columns(wait=days)
    found = af.find_slices(rows, metrics="s", columns=["wait"]).frame
    report = af.report(rows, metrics="s", by="wait")
    assert found["description"].to_list() == ["wait = PT0S"]
    assert "│ PT0S " in str(report)


def test_a_rest_without_errors_is_not_negative_zero() -> None:
    frame = pl.DataFrame({"prediction": ["x", "a"] * 40, "answer": ["y", "a"] * 40, "lang": ["u", "v"] * 40})
    rest = af.find_slices(frame, "prediction", "answer", ["lang"], metrics="cer_corpus").frame["rest"][0]
    assert math.copysign(1, rest) == 1
    assert rest == 0


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_rows_with_a_denominator_of_0_count_as_in_reports(cluster: str | None) -> None:
    # Pages without text, for which text was invented, and the cost of wrong answers.
    random = np.random.default_rng(0)
    lang = np.repeat(["u", "v"], 120)
    answer = np.where(random.random(240) < 0.2, "", "abcdefgh")
    misread = np.where(random.random(240) < 0.1, "abXdefgh", answer)
    rows = {
        "prediction": np.where((lang == "v") & (answer == ""), "invented", misread),
        "other": answer,
        "answer": answer,
        "lang": lang,
        "usd": np.where(lang == "v", 0.75, 0.25),
        "right": (random.random(240) < 0.4).astype(int),
        "doc": np.arange(240) // 4,
    }
    frame = pl.DataFrame({name: values.tolist() for name, values in rows.items()})
    cost = af.Metric("usd", denominator="right", higher_is_better=False)
    for metric, texts in (("cer_corpus", ("prediction", "answer")), (cost, (None, None))):
        found = af.find_slices(frame, *texts, ["lang"], metrics=metric, cluster=cluster)
        report = af.report(frame, *texts, by="lang", metrics=metric, cluster=cluster)
        name = report.measures[0].name
        (line,) = found.frame.to_dicts()
        worse, rest = report.by_group.filter(lang="v"), report.by_group.filter(lang="u")
        assert line["description"] == "lang = v"
        assert (line["n"], line["score"], line["rest"]) == (120, worse[name].item(), rest[name].item())
        assert found.account.used == 240
    changed = af.find_slices(
        frame,
        {"old": "other", "new": "prediction"},
        "answer",
        ["lang"],
        metrics="cer_corpus",
        cluster=cluster,
    )
    by_lang = af.compare(
        frame,
        {"old": "other", "new": "prediction"},
        "answer",
        metrics="cer_corpus",
        by="lang",
        cluster=cluster,
    ).by_group.filter(lang="v")
    (line,) = changed.frame.to_dicts()
    assert line["description"] == "lang = v"
    assert (line["n"], line["score"]) == (120, by_lang["score"].item())


def test_documents_of_one_size_without_a_denominator_are_searched() -> None:
    # None of the short documents has a right answer.
    lengths = [1] * 20 + [6] * 30
    doc = [number for number, rows in enumerate(lengths) for _ in range(rows)]
    right = [0 if number < 20 else row % 2 for row, number in enumerate(doc)]
    lang = ["v" if number % 3 == 0 else "u" for number in doc]
    usd = [4.0 if name == "v" else 1.0 for name in lang]
    frame = pl.DataFrame({"usd": usd, "right": right, "lang": lang, "doc": doc})
    cost = af.Metric("usd", denominator="right", higher_is_better=False)
    found = af.find_slices(frame, columns=["lang"], metrics=cost, cluster="doc")
    assert found.frame["description"].to_list() == ["lang = v"]
    of_v = frame.filter(lang="v")
    assert found.frame["score"].item() == of_v["usd"].sum() / of_v["right"].sum()


@pytest.mark.parametrize("old", ["x", "y"])
def test_the_rest_of_a_change_divides_each_system_by_its_own_denominators(old: str) -> None:
    # From x to y, the rest u changes from 2/40 to 3/20, and v from 1/10 to 9/5.
    rows = {"lang": ["u", "v"], "x": [2, 1], "size of x": [40, 10], "y": [3, 9], "size of y": [20, 5]}
    new, is_cost = {"x": ("y", True), "y": ("x", False)}[old]
    metric = af.Metric(
        {"old": old, "new": new},
        denominator={"old": f"size of {old}", "new": f"size of {new}"},
        name="cost",
        higher_is_better=not is_cost,
    )
    frame = pl.concat([pl.DataFrame(rows)] * 40)
    (line,) = af.find_slices(frame, ["old", "new"], None, ["lang"], metrics=metric).frame.to_dicts()
    sign = 1 if is_cost else -1
    assert line["description"] == "lang = v"
    found = [line[name] for name in ("change", "rest", "difference")]
    assert found == pytest.approx([sign * 1.7, sign * 0.1, sign * 1.6])
